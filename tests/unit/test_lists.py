"""Lists: what a question asks the kinds of, which line introduces such a list, and lists cut by passages (A2, C1)."""

from __future__ import annotations

import pytest

from policypal.answer.questions import analyse
from policypal.answer.statements import statements_of
from policypal.answer.task import ANSWER, Answer, AnswerInput, Evidence
from policypal.domain.documents import DocumentType, Passage, RetrievedPassage
from policypal.llm.task import TaskContext
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.search.kinds import Kind, holds, kind_asked_for
from policypal.search.lists import category_of, is_open, lead_ins, leads_in
from policypal.search.question import weigh
from policypal.search.reranking import rerank

CONTEXT = TaskContext(WordLlamaEmbedder())

MOORING = """Article 4
Lawfulness of mooring
1. Mooring shall be lawful only where at least one of the following applies:
(a) the harbour master has given a permit for the vessel;
(b) the vessel seeks shelter from a storm;
(c) the owner rents a berth in the harbour;"""
MOORING_GOES_ON = """(c) the owner rents a berth in the harbour;
(d) the vessel is on public service;
(e) the vessel waits for the bridge.
2. The harbour master shall keep a list of permits."""


def _ask(question: str, *texts: str) -> Answer:
    found = [Evidence(number=n, document="Harbour Act", page=4, text=t, score=1.0) for n, t in enumerate(texts, 1)]
    return ANSWER.extractive(AnswerInput(question=question, evidence=found, titles=["Harbour Act"]), CONTEXT)


def _said(answer: Answer) -> str:
    return " ".join(" ".join(q.text for q in answer.sentences[0].quotes).split())


@pytest.mark.parametrize(
    ("question", "category"),
    [
        ("what are the lawful grounds for mooring?", "ground"),
        ("on which legal bases may we moor?", "base"),
        ("what factors are considered when setting a fee?", "factor"),
        ("when may a vessel stay overnight?", "circumst"),
        ("what should owners do to be safe?", ""),
        ("how long is a permit valid?", ""),
    ],
)
def test_a2_a_question_says_what_it_asks_the_kinds_of(question: str, category: str) -> None:
    assert category_of(question) == category


def test_a2_a_list_need_not_say_its_name() -> None:
    assert leads_in("Mooring shall be lawful only where at least one of the following applies", "ground")
    assert leads_in("In setting the fee, regard shall be given to the following", "factor")
    assert leads_in("The master has the following tasks", "task")
    assert not leads_in("The master has the following tasks", "ground")
    assert not leads_in("Mooring shall be lawful only where at least one of the following applies", "principl")


def test_a2_a_list_that_goes_on_after_its_passage_is_open() -> None:
    assert lead_ins(MOORING)[0].startswith("Mooring shall be lawful")
    assert is_open(MOORING) and is_open("The notice shall state:")
    assert not is_open(MOORING_GOES_ON) and not is_open("No list; only a sentence")


def test_a2_what_are_the_is_answered_by_the_introduction_and_every_item() -> None:
    answer = _ask("What are the lawful grounds for mooring?", MOORING_GOES_ON, MOORING)
    said = _said(answer)
    assert said.startswith("Mooring shall be lawful only where at least one of the following applies:")
    assert all(label in said for label in ("(a)", "(b)", "(c)", "(d)", "(e)"))
    assert said.count("rents a berth") == 1
    assert not answer.sentences[0].text.endswith("[…]”")


def test_c1_every_part_of_a_quoted_list_is_verbatim_and_short() -> None:
    texts = (MOORING, MOORING_GOES_ON)
    for quote in _ask("What are the lawful grounds for mooring?", *texts).sentences[0].quotes:
        assert quote.text in texts[quote.evidence - 1] and len(quote.text) <= 300


def test_a2_an_item_may_introduce_a_list_of_its_own() -> None:
    text = """For all vessels:
1) Keep a safety plan that:
a) names the crew;
b) shows the exits; and
2) Test the pump every month."""
    intros = {
        s.text: text[slice(*s.intro)]
        for s in statements_of([Evidence(number=1, document="P", page=1, text=text)])
        if s.intro
    }
    assert intros["names the crew;"] == "Keep a safety plan that:"
    assert intros["Test the pump every month."] == "For all vessels:"
    assert "names the crew" in _said(_ask("What must the safety plan contain?", text))


def test_a2_only_a_term_is_defined_not_what_a_document_provides() -> None:
    assert analyse("What is a berth?").definiendum == "berth"
    assert analyse("Who is a harbour master?").definiendum == "harbour master"
    for question in ("What are the grounds for mooring?", "What is the maximum fine?", "What is the right of passage?"):
        assert analyse(question).definiendum is None, question


def test_a2_who_must_is_answered_by_a_duty_not_a_permission() -> None:
    texts = (
        "A group of owners may appoint a single safety officer for their vessels.",
        "The owner shall designate a safety officer where the vessel carries more than twelve passengers.",
    )
    assert _said(_ask("Who must appoint a safety officer?", *texts)).startswith("The owner shall designate")


def _hit(text: str, ordinal: int, heading: str | None = None) -> RetrievedPassage:
    passage = Passage(f"p{ordinal}", "d", "T", "", DocumentType.REGULATORY, ordinal, 1, 0, len(text), heading, text)
    return RetrievedPassage(passage, 0.5, 0.5)


def _best(query: str, *hits: RetrievedPassage) -> int:
    question = weigh(query, 1000, {}, {})
    return rerank(question, hits)[0].passage.ordinal


def test_a2_the_list_asked_for_ranks_before_a_passing_mention() -> None:
    mention = _hit("The master may refuse mooring on other lawful grounds and shall give reasons for it in writing.", 1)
    assert _best("What are the lawful grounds for mooring?", mention, _hit(MOORING, 9)) == 9


def test_a2_a_heading_inside_a_passage_counts_as_one_over_it() -> None:
    text = (
        "Other duties end here.\n\nArticle 7\nSecurity of the quay\n1. The owner shall use such means as fit the case."
    )
    plain = text.replace("Security of the quay", "Miscellaneous provisions")
    assert _best("security of the quay", _hit(plain, 1), _hit(text, 9)) == 9


def test_a2_the_provision_ranks_before_the_recital_that_explains_it() -> None:
    recital = "The owner should report an accident to the harbour master within two days so that others are warned."
    provision = "The owner shall report an accident to the harbour master within two days so that others are warned."
    assert _best("How soon must an accident be reported?", _hit(recital, 1), _hit(provision, 9)) == 9


def test_a2_a_synonym_is_found_and_counts_less_than_the_word() -> None:
    texts = ["A sanction of 500 crowns applies.", "A fine of 500 crowns applies.", "A crown is a coin used here."]
    ranked = rerank(weigh("What fine applies?", 1000, {}, {}), [_hit(t, 9 * n) for n, t in enumerate(texts)])
    assert [hit.passage.ordinal for hit in ranked] == [9, 0, 18]
    assert 1.0 > ranked[1].coverage > ranked[2].coverage


@pytest.mark.parametrize(
    ("question", "kind", "held", "not_held"),
    [
        ("How long are records kept?", Kind.TIME, "for five (5) years", "for a long while"),
        ("What is the maximum fine?", Kind.AMOUNT, "up to EUR 5 000", "a heavy fine"),
        ("What must the notice contain?", Kind.LIST, "shall contain:\n(a) the name", "shall be brief: always"),
    ],
)
def test_a2_the_kind_of_answer_is_known(question: str, kind: Kind, held: str, not_held: str) -> None:
    assert kind_asked_for(question) is kind
    assert holds(kind, held) and not holds(kind, not_held)
