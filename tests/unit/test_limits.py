"""What sentences set: deadlines, frequencies, amounts and bounded figures, and what they measure (D11, D12)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.domain.documents import Page
from policypal.domain.provisions import Kind
from policypal.text.clauses import clauses_of, topic_of
from policypal.text.limits import limits_of
from policypal.text.provisions import read_provisions


@pytest.mark.parametrize(
    ("sentence", "words", "measures"),
    [
        ("2.1 An operator must report an outage within 36 hours of its discovery.", "at most 36 hours", "report an outage"),
        ("Records shall be kept for at least five years.", "at least five years", "Records shall be kept"),
        ("Where a case is open, the board must meet no later than 10 working days after it.", "at most 10 working days", "the board must meet"),
        ("(b) Review the access log quarterly;", "quarterly", "Review the access log"),
        ("The fine may not exceed 4 % of turnover.", "at most 4 %", "of turnover"),
        ("The committee must have at least three members.", "at least three members", "The committee must have"),
        ("The plan must be filed by 31 March 2027.", "at most 31 March 2027", "The plan must be filed"),
        ("The provider shall, without undue delay and not later than 72 hours, tell the client.", "at most 72 hours", "tell the client"),
    ],
)  # fmt: skip
def test_d11_a_limit_has_its_bound_and_what_it_measures(sentence: str, words: str, measures: str) -> None:
    found = {limit.words: limit.measures for limit in limits_of(sentence)}
    assert found.get(words, "absent").startswith(measures), found


@pytest.mark.parametrize(
    "sentence",
    [
        "Article 33 applies to two of them.",
        "The scope covers four areas in total.",  # "over" is no bound inside "covers four"
        "See section 4.3 and paragraph 12.",
        "The board has seven members.",
    ],
)
def test_d11_plain_numbers_and_references_limit_nothing(sentence: str) -> None:
    assert limits_of(sentence) == ()


WORDS = st.sampled_from(
    "A bank must shall report within at least no later than 24 hours days of the by 31 March 2026 5 % EUR 300 every year . ; , : and it".split()
)


@settings(max_examples=200, deadline=None)
@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_d11_what_a_limit_measures_stands_in_its_sentence(text: str) -> None:
    for limit in limits_of(text):
        assert limit.text in " ".join(text.split())
        assert limit.measures.removesuffix(" …") in " ".join(text.split())


def test_d11_a_clause_goes_on_over_a_page_break_and_keeps_both_places() -> None:
    pages = [
        Page(1, "3.1 The register must name the cause of each outage and the"),
        Page(2, "person who found it.\n3.2 It must be kept."),
    ]
    first, second = clauses_of(read_provisions(pages))
    assert first.text == "The register must name the cause of each outage and the person who found it."
    assert [p.page for p in first.places] == [1, 2]
    assert (first.label, first.provision, first.kind) == ("3.1", "3.1", Kind.OBLIGATION)
    assert second.text == "It must be kept."


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("Article 33 – Notification of a breach", "Notification of a breach"),
        ("4.2 Access control", "Access control"),
        ("AC-2 Account Management", "Account Management"),
        ("Part 7", "Part 7"),
        ("Complaints", "Complaints"),
    ],
)
def test_a3_a_heading_is_about_its_words_without_its_number(heading: str, topic: str) -> None:
    assert topic_of(heading) == topic
