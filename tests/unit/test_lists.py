"""Lists: what a question asks the kinds of, which line introduces such a list, and lists cut by passages (A2, C1)."""

from __future__ import annotations

import pytest

from policypal.answer.questions import analyse
from policypal.domain.documents import DocumentType, Passage, RetrievedPassage
from policypal.search.kinds import Kind, holds, kind_asked_for
from policypal.search.lists import category_of, leads_in
from policypal.search.question import weigh
from policypal.search.reranking import rerank

MOORING = """Article 4
Lawfulness of mooring
1. Mooring shall be lawful only where at least one of the following applies:
(a) the harbour master has given a permit for the vessel;
(b) the vessel seeks shelter from a storm;
(c) the owner rents a berth in the harbour;"""


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


def test_a2_only_a_term_is_defined_not_what_a_document_provides() -> None:
    assert analyse("What is a berth?").definiendum == "berth"
    assert analyse("Who is a harbour master?").definiendum == "harbour master"
    for question in ("What are the grounds for mooring?", "What is the maximum fine?", "What is the right of passage?"):
        assert analyse(question).definiendum is None, question


def _hit(text: str, ordinal: int, heading: str | None = None) -> RetrievedPassage:
    passage = Passage(f"p{ordinal}", "d", "T", "", DocumentType.REGULATORY, ordinal, 1, 0, len(text), heading, text)
    return RetrievedPassage(passage, 0.5, 0.5)


def _best(query: str, *hits: RetrievedPassage) -> int:
    question = weigh(query, 1000, {}, {})
    return rerank(question, hits)[0].passage.ordinal


def test_a2_the_list_asked_for_ranks_before_a_passing_mention() -> None:
    mention = _hit("The master may refuse mooring on other lawful grounds and shall give reasons for it in writing.", 1)
    assert _best("What are the lawful grounds for mooring?", mention, _hit(MOORING, 9)) == 9


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
