"""Scenarios S1–S4 of the graph fix plan and its final integration check, on both engines (G4, G5, A2)."""

from __future__ import annotations

import re

import pytest

from policypal.domain.documents import Document
from policypal.domain.events import InterruptEvent
from tests.support.conversation import Speaker, answered_by, asked_by
from tests.support.openai_answers import said

_GENERAL = re.compile(r"\bmode\W+general\b", re.IGNORECASE)
GUIDE = """Training

Muscle grows when training load increases progressively and each muscle group is trained twice a week.
A beginner should perform three sets of eight to twelve repetitions for every exercise.

Nutrition

An adult who trains for muscle growth should eat at least 1.6 grams of protein per kilogram of body weight each day.
"""
HABITS = """The four laws

A habit should be made obvious, attractive, easy and satisfying.
Key habits grow when a new habit is stacked on an existing one.

Identity

Every action is a vote for the type of person someone wishes to become.
"""


@pytest.fixture
def books(speaker: Speaker) -> tuple[Document, Document]:
    guide, habits = speaker.add_all({"Muscle Building Guide": GUIDE, "Atomic Habits": HABITS})
    return guide, habits


def test_s1_an_explicit_document_and_explain_are_answered_from_it(
    speaker: Speaker, books: tuple[Document, Document]
) -> None:
    """S1: the label is taken out whole, the rules make a query of what is left."""
    response = speaker.anyway(speaker.say("@Inquire @Muscle Building Guide Explain"))
    thread = response.thread_id
    assert [d.id for d in response.documents] == [books[0].id]
    assert response.citations and {c.document_id for c in response.citations} == {books[0].id}
    state = speaker.state(thread)
    assert state["clean_query"] == "Explain"
    assert state["resolved_doc_titles"] == {books[0].id: "Muscle Building Guide"}
    assert state["inference_source"] == "explicit"
    calls = speaker.calls(thread)
    readings = 1 if speaker.server else 2  # rules read again after the relaxed search, a model is asked once per turn
    assert (calls["router"], calls["answer"]) == (0, readings)
    assert state["search_query"] not in ("", "Explain", "Building Guide Explain")


def test_s2_an_explicit_document_and_a_single_word_are_answered_from_it(
    speaker: Speaker, books: tuple[Document, Document]
) -> None:
    """S2: "Summary" is no query; with the document's name it becomes one."""
    response = speaker.anyway(speaker.say("@Inquire @Atomic Habits Summary"))
    assert response.action == "inquire"
    assert [d.id for d in response.documents] == [books[1].id]
    assert response.citations and {c.document_id for c in response.citations} == {books[1].id}
    assert speaker.calls(response.thread_id)["router"] == 0
    assert speaker.state(response.thread_id)["search_query"] != "Summary"


def test_s3_a_general_question_without_documents_is_answered_with_low_confidence(speaker: Speaker) -> None:
    """S3: nothing to search in, so no rewrite and no citation; general knowledge, or the keyless word that it has none."""
    response = answered_by(speaker.say("What is capital interest?"))
    assert response.action == "inquire" and response.response
    assert (response.retrieval_confidence, response.confidence_score) == ("low", 0.0)
    assert response.citations == [] and response.documents == []
    calls = speaker.calls(response.thread_id)
    assert (calls["router"], calls["answer"]) == (1, 1)
    assert all(_GENERAL.search(prompt) for prompt in speaker.prompts("Answer"))


def test_s4_what_a_tagged_document_does_not_contain_is_said_and_not_made_up(
    speaker: Speaker, books: tuple[Document, Document]
) -> None:
    """S4, A2: the nearest passages, labelled as such; never general knowledge behind a tagged document, and never a claim
    that it contains nothing."""
    speaker.model_says("Answer", found=False, sentences=[said("The guide does not deal with this.")])
    response = answered_by(speaker.say("@Inquire @Muscle Building Guide What is quantum physics?"))
    assert {c.document_id for c in response.citations} == {books[0].id}
    assert (response.retrieval_confidence, response.confidence_score) == ("low", 0.0)
    assert [d.id for d in response.documents] == [books[0].id]
    assert response.response.startswith("Nothing close (searched ") and "not deal" not in response.response
    assert not any(_GENERAL.search(prompt) for prompt in speaker.prompts("Answer"))


def test_p5_a_pure_mention_needs_neither_resolver_nor_rewriter(
    speaker: Speaker, books: tuple[Document, Document]
) -> None:
    """Final check 1: a summary samples the document, so its only call is the summary itself."""
    response = answered_by(speaker.say("@Summarize @Atomic Habits"))
    state = speaker.state(response.thread_id)
    assert (state["clean_query"], state["resolved_doc_titles"]) == ("", {books[1].id: "Atomic Habits"})
    assert speaker.calls(response.thread_id) == {"summarize": 1}


def test_p5_query_and_titles_travel_through_an_interrupt(speaker: Speaker, books: tuple[Document, Document]) -> None:
    """Final check 2: what the resolver found is there after the answer; the tagged document is not asked for again."""
    speaker.add("Sleep Guide", "Sleep eight hours each night.")
    question = asked_by(speaker.say("@Compare @Muscle Building Guide on weekly routines"))
    assert speaker.state(question.thread_id)["clean_query"] == "on weekly routines"
    response = answered_by(speaker.reply(question, _answer_for(question, books[1])))
    assert {d.id for d in response.documents} == {d.id for d in books}
    assert speaker.state(response.thread_id)["clean_query"] == "on weekly routines"
    assert speaker.state(response.thread_id)["resolved_doc_titles"] == {d.id: d.title for d in books}
    calls = speaker.calls(response.thread_id)
    assert (calls["router"], calls["compare"]) == (0, 1)


def test_p5_a_cancelled_question_goes_to_the_feedback_and_nowhere_else(
    speaker: Speaker, books: tuple[Document, Document]
) -> None:
    """Final check 3: no action runs after a cancel."""
    question = asked_by(speaker.say("@Compare @Muscle Building Guide"))
    assert speaker.cancel(question).cancelled
    assert speaker.nodes == ["confirm_inputs", "format_response"]
    assert speaker.calls(question.thread_id)["compare"] == 0


def _answer_for(question: InterruptEvent, document: Document) -> str | list[str]:
    """The document as the question wants it: by id where it is offered, by name where it is asked for."""
    return [document.id] if question.interrupt_type == "doc_choice" else document.title
