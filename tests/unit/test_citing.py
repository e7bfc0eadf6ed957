"""What an answer shows of its quotes, and what it says it could not verify (C1, C2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from policypal.answer.evidence import CitedSentence, Quote
from policypal.domain.documents import DocumentType, Passage
from policypal.domain.support import Degree
from policypal.graph.citing import Citer

FIRST = "4.1 A bank must keep a register of incidents for at least 5 years. 4.2 The register must be sent to"
SECOND = "the Authority by 31 January of each year. 4.3 A bank may publish it."


@pytest.fixture
def citer() -> Citer:
    pages = {("d", 1): FIRST, ("d", 2): SECOND}
    passages = [
        Passage(f"p{n}", "d", "Rulebook", "2025", DocumentType.REGULATORY, n, n, 0, len(text), None, text)
        for (_, n), text in pages.items()
    ]
    return Citer(passages, pages)


def said(text: str, *quotes: str, evidence: int = 1) -> CitedSentence:
    return CitedSentence(text=text, quotes=[Quote(evidence=evidence, text=q) for q in quotes])


def degree(citer: Citer) -> Degree:
    """Of the latest sentence."""
    return citer.judged[-1].degree


def test_c2_the_run_log_counts_verified_corrected_and_unverified_quotes(citer: Citer) -> None:
    citer.render(said("Registers are kept for 5 years.", "A bank must keep a register of incidents"))
    citer.render(said("Registers are kept.", "A bank shall keep a register of the incidents for at least 5 years."))
    citer.render(said("Banks pay a fee.", "Every bank pays a yearly fee of 900 crowns."))
    assert citer.counts == {"verified": 1, "corrected": 1, "unverified": 1}
    assert (citer.flagged, citer.lost_everything) == (1, False)


def test_c2_an_absent_quote_loses_its_marks_and_is_not_supported(citer: Citer) -> None:
    shown = citer.render(said("The rule says “every bank pays a yearly fee”.", "every bank pays a yearly fee"))
    assert shown == "The rule says every bank pays a yearly fee."
    assert degree(citer) is Degree.NOT_SUPPORTED and citer.judged[-1].reason
    assert citer.lost_everything


def test_c2_words_in_marks_that_no_quote_has_lose_them(citer: Citer) -> None:
    sentence = said(
        "A bank keeps a register, “and burns it after one week”.", "A bank must keep a register of incidents"
    )
    assert "“" not in citer.render(sentence)
    assert degree(citer) is Degree.NOT_SUPPORTED
    title = citer.render(said("“Rulebook (2025)” was read.", "A bank must keep a register of incidents"))
    assert "“Rulebook (2025)”" in title


def test_c2_a_drifted_quote_is_replaced_inside_the_sentence(citer: Citer) -> None:
    claimed = "A bank must keep the register of incident for at least 5 years."
    assert "“A bank must keep a register of incidents for at least 5 years.” 📄1" in citer.render(
        said(f"“{claimed}”", claimed)
    )


def test_c2_a_quote_over_a_page_break_has_a_citation_on_each_page(citer: Citer) -> None:
    quote = "The register must be sent to the Authority by 31 January of each year."
    shown = citer.render(said("The register is due by 31 January.", quote, evidence=2))
    assert shown.endswith("📄1 📄2")
    assert [(c.page, c.quote) for c in citer.citations] == [
        (1, "The register must be sent to"),
        (2, "the Authority by 31 January of each year"),
    ]
    assert all((FIRST, SECOND)[(c.page or 0) - 1][slice(c.start, c.end)] == c.quote for c in citer.citations)


def test_c2b_a_sentence_that_must_cite_and_does_not_is_not_supported(citer: Citer) -> None:
    assert citer.render(said("Banks are careful.")) == "Banks are careful." and citer.judged == []
    assert citer.render(said("Banks are careful."), must_cite=True) == "Banks are careful."
    assert degree(citer) is Degree.NOT_SUPPORTED


def test_c2b_the_gate_reads_the_whole_sentence_a_quote_is_cut_from(citer: Citer) -> None:
    citer.render(said("A bank must keep a register of incidents.", "A bank must keep a register of incidents"))
    assert degree(citer) is Degree.SUPPORTED
    assert citer.judged[-1].cited == ("4.1 A bank must keep a register of incidents for at least 5 years.",)
    assert "Rulebook (2025), page 1" in citer.judged[-1].passages[0]


def test_c2b_whole_sentences_are_quoted_and_other_words_supported(citer: Citer) -> None:
    words = "A bank must keep a register of incidents for at least 5 years."
    citer.render(said(words, words))
    assert degree(citer) is Degree.QUOTED
    citer.render(said("Banks have to keep their incident register for five years or more.", words))
    assert degree(citer) is Degree.SUPPORTED
    citer.render(said("Banks have to keep their incident register for two years.", words))
    assert degree(citer) is Degree.NOT_SUPPORTED and "two years" in citer.judged[-1].reason


def test_r4_what_the_rules_wrote_is_quoted(citer: Citer) -> None:
    citer.by_rules = True
    citer.render(said("Rulebook (2025), page 2:", "A bank may publish it."))
    assert degree(citer) is Degree.QUOTED


def test_c2_exact_words_on_another_page_of_the_document_come_before_a_drift_on_the_one_named(citer: Citer) -> None:
    claimed = "A bank must keep a register of incidents for at least 5 years."
    for evidence in (1, 2):
        shown = citer.render(
            said("A bank must keep a register of incidents for at least 5 years.", claimed, evidence=evidence)
        )
        assert shown.endswith("years. 📄1")
    twin = "A bank must keep a register of all incidents for at least 5 years."
    pages = {("d", 1): f"The part applies. {twin}", ("d", 2): f"It applies. {claimed}"}
    passages = [replace(p, start=0, end=len(pages["d", p.page])) for p in citer.passages]
    both = Citer(passages, pages)
    both.render(said(claimed, claimed))
    assert [(c.page, c.quote) for c in both.citations] == [(2, claimed[:-1])] or both.citations[0].page == 2
    assert both.counts["corrected"] == 0


ARTICLE = (
    "Article 33\n\nNotification of a personal data breach\n\n1. The controller shall notify the supervisory authority of a breach."
    "\n\n4. The board approves all outsourcing contracts and their renewal.\n\nArticle 34\n\nThe processor shall tell the controller."
)


@pytest.fixture
def of_article() -> Citer:
    passage = Passage("p", "d", "Rulebook", "", DocumentType.REGULATORY, 0, 1, 0, len(ARTICLE), "Article 33", ARTICLE)
    return Citer([passage], {("d", 1): ARTICLE})


@pytest.mark.parametrize(
    ("text", "quote", "is_refused"),
    [
        ("Article 33 requires notice of a breach.", "The controller shall notify the supervisory authority", False),
        ("No article but Article 33 requires notice.", "The controller shall notify the supervisory authority", True),
        ("Article 33(1) says so.", "The controller shall notify the supervisory authority", False),
        ("Paragraph 4 is about contracts.", "The board approves all outsourcing contracts", False),
        ("Article 35 requires notice of a breach.", "The controller shall notify the supervisory authority", True),
        ("Paragraph 5 is about contracts.", "The board approves all outsourcing contracts", True),
        ("Notice is due within 33 hours.", "The controller shall notify the supervisory authority", True),
        ("The 33 directors approve contracts.", "The board approves all outsourcing contracts", True),
    ],
)
def test_c2b_the_numbers_of_a_citations_own_section_count(
    of_article: Citer, text: str, quote: str, is_refused: bool
) -> None:
    of_article.render(said(text, quote))
    assert (degree(of_article) is Degree.NOT_SUPPORTED) is is_refused


def test_c2b_half_a_sentence_is_no_heading(of_article: Citer) -> None:
    assert of_article.cite(Quote(evidence=1, text="The board approves all outsourcing contracts")) is not None
    for heading in ("Article 33", "Notification of a personal data breach", "Notification of a personal data"):
        assert of_article.cite(Quote(evidence=1, text=heading)) is None
