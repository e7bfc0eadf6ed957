"""What an answer shows of its quotes, and what it says it could not verify (C1, C2)."""

from __future__ import annotations

import pytest

from policypal.answer.evidence import CitedSentence, Quote
from policypal.domain.documents import DocumentType, Passage
from policypal.domain.support import Degree, each_placed
from policypal.graph.citing import Citer

FIRST = "4.1 A bank must keep a register of incidents for at least 5 years.\n4.2 It may destroy the register earlier, unless the Authority objects."
SECOND = "4.3 A bank may publish the register. It has the heading “Incidents of the year”."
CUT = FIRST[: FIRST.index(", unless")]


@pytest.fixture
def citer() -> Citer:
    """Two pages; the first passage ends before the "unless" of its page."""
    texts = (CUT, SECOND)
    passages = [
        Passage(f"p{n}", "d", "Rulebook", "2025", DocumentType.REGULATORY, n, n, 0, len(text), None, text)
        for n, text in enumerate(texts, 1)
    ]
    return Citer(passages, {("d", 1): FIRST, ("d", 2): SECOND})


def said(text: str, *cites: str) -> CitedSentence:
    return CitedSentence(text=text, cites=list(cites))


def quoted(text: str, *quotes: str, evidence: int = 1) -> CitedSentence:
    return CitedSentence(text=text, quotes=[Quote(evidence=evidence, text=q) for q in quotes])


def degree(citer: Citer) -> Degree:
    """Of the latest sentence."""
    return citer.judged[-1].degree


def test_c2_a_cited_sentence_is_quoted_whole_with_the_exception_its_passage_cuts_off(citer: Citer) -> None:
    shown = citer.render(said("The register may be destroyed earlier.", "1.2"))
    (citation,) = citer.citations
    assert (
        FIRST[slice(citation.start, citation.end)] == citation.quote
        and "unless the Authority objects" in citation.quote
    )
    assert shown == "The register may be destroyed earlier, unless the Authority objects. 📄1", "the exception is added"
    assert degree(citer) is Degree.SUPPORTED
    assert citer.judged[-1].cited == ("4.2 It may destroy the register earlier, unless the Authority objects.",)


def test_c1_a_long_sentence_is_cited_whole_and_its_beginning_shown() -> None:
    page = f"A bank must keep {', '.join(f'the register number {n}' for n in range(30))} and the minutes of its board."
    passage = Passage("p", "d", "Rule", "", DocumentType.REGULATORY, 0, 1, 0, len(page), None, page)
    citer = Citer([passage], {("d", 1): page})
    citer.render(said("A bank must keep the minutes of its board.", "1.1"))
    (citation,) = citer.citations
    assert (citation.start, citation.end) == (0, len(page)) and len(citation.quote) <= 300 < len(page)
    assert degree(citer) is Degree.SUPPORTED, "the words stand behind what is shown of the quotation"


@pytest.mark.parametrize("number", ["9.1", "1.9", "0.1", "1.0", "", "Rulebook", "1"])
def test_c2_a_number_of_no_sentence_supports_nothing(citer: Citer, number: str) -> None:
    assert citer.render(said("A bank must keep a register of incidents for at least 5 years.", number))[-1] == "."
    assert degree(citer) is Degree.NOT_SUPPORTED and "does not exist" in citer.judged[-1].reason
    assert citer.lost_everything and citer.counts == {"verified": 0, "unverified": 1}


def test_c2_a_number_beside_one_that_exists_is_counted_and_one_given_twice_is_one(citer: Citer) -> None:
    shown = citer.render(said("A bank must keep a register for 5 years.", "1.1", "[1.1]", "1.1", "7.7"))
    assert shown.endswith(" 📄1") and len(citer.citations) == 1
    assert citer.counts["unverified"] == 1 and citer.verified_share < 1


def test_c2_a_clause_that_no_model_was_shown_has_no_number(citer: Citer) -> None:
    clause = Passage("", "d", "Rulebook", "2025", DocumentType.REGULATORY, 0, 1, 0, len(CUT), None, CUT)
    citer.passages = [*citer.passages, clause]
    citer.render(said("A bank must keep a register of incidents for at least 5 years.", "3.1"))
    assert not citer.citations
    assert citer.render(quoted("“A bank must keep a register”", "A bank must keep a register", evidence=3)).endswith(
        "📄1"
    )


def test_c2_words_in_marks_that_nothing_cited_has_lose_them(citer: Citer) -> None:
    sentence = said("A bank keeps a register, “and burns it after one week”.", "1.1")
    assert "“" not in citer.render(sentence)
    assert degree(citer) is Degree.NOT_SUPPORTED
    assert "“Rulebook (2025)”" in citer.render(said("“Rulebook (2025)” was read.", "1.1"))
    assert "“a register of incidents for at least 5 years”" in citer.render(
        said("A bank must keep “a register of incidents for at least 5 years”.", "1.1")
    )


def test_c2b_a_sentence_that_must_cite_and_does_not_is_not_supported(citer: Citer) -> None:
    assert citer.render(said("Banks are careful.")) == "Banks are careful." and citer.judged == []
    assert citer.render(said("Banks are careful."), must_cite=True) == "Banks are careful."
    assert degree(citer) is Degree.NOT_SUPPORTED


def test_c2b_whole_sentences_are_quoted_and_other_words_supported(citer: Citer) -> None:
    citer.render(said("A bank must keep a register of incidents for at least 5 years.", "1.1"))
    assert degree(citer) is Degree.QUOTED
    citer.render(said("Banks have to keep their incident register for five years or more.", "1.1"))
    assert degree(citer) is Degree.SUPPORTED and "Rulebook (2025), page 1" in citer.judged[-1].passages[0]
    citer.render(said("Banks have to keep their incident register for two years.", "1.1"))
    assert degree(citer) is Degree.NOT_SUPPORTED and "two years" in citer.judged[-1].reason


def test_a3_of_a_sentence_only_what_it_cites_of_one_document_is_left(citer: Citer) -> None:
    other = Passage("o", "other", "Policy", "", DocumentType.COMPANY, 0, 1, 0, len(SECOND), None, SECOND)
    citer.passages = [*citer.passages, other]
    both = said("A bank may publish the register.", "1.1", "3.1", "9.9")
    assert citer.of_document(both, "other").cites == ["3.1"] and citer.of_document(both, "d").cites == ["1.1"]
    assert citer.document_of(both) == "d" and citer.document_of(said("Nothing.")) is None


def test_r4_what_the_rules_wrote_is_quoted(citer: Citer) -> None:
    citer.by_rules = True
    shown = citer.render(
        quoted(
            "Rulebook (2025), page 2: “A bank may publish the register.”",
            "A bank may publish the register.",
            evidence=2,
        )
    )
    assert degree(citer) is Degree.QUOTED and shown.endswith("“A bank may publish the register.” 📄1")


def test_r4_words_that_run_over_the_end_of_a_page_are_cited_as_far_as_it_goes(citer: Citer) -> None:
    words = f"{SECOND[4:]} It is kept."
    clause = Passage("", "d", "Rulebook", "2025", DocumentType.REGULATORY, 0, 2, 4, len(SECOND), None, words)
    citation = citer.cite_words(clause, words)
    assert citation is not None and citation.quote == SECOND[4:]
    assert citer.cite_words(clause, "Every bank pays a yearly fee of 900 crowns.") is None


def test_c2b_sentences_keep_their_places_for_the_gate_at_the_end(citer: Citer) -> None:
    citer.is_placed = True
    shown = [citer.render(said("A bank may publish the register.", "2.1")) for _ in range(2)]
    assert [each_placed(s, lambda n, words: f"{n}:{words}") for s in shown] == [
        f"{n}:A bank may publish the register. 📄1" for n in (0, 1)
    ]
    assert (
        citer.blank().render(said("A bank may publish the register.", "2.1")) == "A bank may publish the register. 📄1"
    )


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
    of_article.render(quoted(text, quote))
    assert (degree(of_article) is Degree.NOT_SUPPORTED) is is_refused
