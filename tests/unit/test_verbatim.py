"""Words that code took from a page, found on it again, and what may stand as a quotation (C2)."""

from __future__ import annotations

import pytest

from policypal.gate.quotable import clip_quote, is_heading_only
from policypal.gate.verbatim import find_words

PAGE = (
    "Article 33\nNotification of a breach\n"
    "1. In the case of a personal data breach, the controller shall without undue delay and, where feasible, not later\n"
    "than 72 hours after having become aware of it, notify the breach to the supervisory authority. "
    "The notification must not be delayed for commercial reasons. A fee of 2.5% is not charged. "
    "The proces-\nsor shall assist the controller 👍 at all times."
)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("shall assist the controller 👍 at all times.", "shall assist the controller 👍 at all times."),
        (
            "Not later than 72 hours after having become aware of it",
            "not later\nthan 72 hours after having become aware of it",
        ),
        ("the controller shall, without undue delay", "the controller shall without undue delay"),
        ("The processor shall assist the controller", "The proces-\nsor shall assist the controller"),
    ],
)
def test_c2_case_white_space_typesetting_and_punctuation_do_not_matter(words: str, shown: str) -> None:
    span = find_words(words, PAGE)
    assert span is not None and PAGE[slice(*span)] == shown


@pytest.mark.parametrize(
    "words",
    ["A fee of 25% is not charged", "A fee of 5% is not charged.", "A fee of 2% is", "A fee of 2", "rapist", "72 apples",
     "Firms must hold own funds of EUR 125,000.", "", "…", "the controller must without undue delay"],
)  # fmt: skip
def test_c2_other_words_are_not_found(words: str) -> None:
    assert find_words(words, PAGE) is None and find_words("the rapist", "The therapist spoke.") is None


@pytest.mark.parametrize("words", ["keep it for 15", "an amount of 5", "a fee of 2.5 in the", "than 1.5 of", "EUR 3"])
def test_c2_a_number_is_never_cut_in_two(words: str) -> None:
    page = (
        "The firm must keep it for 150 days. The bank holds an amount of $5,000. It pays a fee of 2.5 % in the first year, and "
        "no more than 21.5 of it in the second. The licence costs EUR 3 million."
    )
    assert find_words(words, page) is None


def test_c2_of_equally_good_places_the_near_one_counts() -> None:
    page = "It must be kept. It must be kept."
    assert find_words("It must be kept.", page) == (0, 16)
    assert find_words("It must be kept.", page, (17, len(page))) == (17, 33)


def test_c2_typesetting_does_not_matter() -> None:
    page = "The oﬃcer must con\u00adﬁrm the café’s third-\nparty contract."
    span = find_words("the officer must confirm the cafe\u0301's third-party contract", page)
    assert span is not None and page[slice(*span)] == page[:-1]
    assert find_words("The area measures 102 metres", "The area measures 10² metres in total.") is None


def test_c2_quotes_are_clipped_at_a_sentence() -> None:
    sentence = "The firm must keep a complete record of every decision it takes. "
    assert clip_quote(sentence * 6) == (sentence * 4).strip()
    assert clip_quote("word " * 100) == ("word " * 60).strip()


@pytest.mark.parametrize(
    "text", ["Article 5", "3. Record keeping", "CHAPTER II", "Notification of a Breach", "Section 4: Training"]
)
def test_c2_a_heading_alone_supports_nothing(text: str) -> None:
    assert is_heading_only(text)


@pytest.mark.parametrize(
    "text", ["Records must be kept.", "Staff shall report breaches", "within 72 hours", "Keep for 5 years"]
)
def test_c2_a_statement_is_no_heading(text: str) -> None:
    assert not is_heading_only(text)
