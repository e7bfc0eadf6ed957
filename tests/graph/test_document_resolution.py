"""Stage 2 in the graph, on both engines: which documents are meant, and what finding out costs (G4, G5, G11; phase 2.3).

On the OpenAI engine the model's resolution is scripted where its judgement is wanted; tags, settled names, history, titles,
questions and limits around it are PolicyPal's on both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from policypal.application import ask, library
from policypal.application.ask import Request
from policypal.domain.documents import Document
from policypal.errors import TooManyDocuments
from tests.support.conversation import Speaker, answered_by, asked_by, labels
from tests.support.documents import OTHER_RULE, RECORDS_RULE

THIRD_RULE = """Section 1. Outsourcing

A firm must notify the Authority 30 days before it outsources a critical function.
"""


@pytest.fixture
def rules(speaker: Speaker) -> tuple[Document, Document]:
    records, complaints = speaker.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE})
    return records, complaints


def refers_to(*documents: Document) -> dict[str, Any]:
    """A model's resolution: these documents besides the tagged ones."""
    return {"documents": [d.id for d in documents]}


def ids(*documents: Document) -> set[str]:
    return {d.id for d in documents}


def used(response: Any) -> set[str]:
    return {d.id for d in answered_by(response).documents}


@pytest.mark.parametrize("written", ["@Compare @Records Rule and @Complaints Rule", "@Records Rule @Complaints Rule"])
def test_g4_pure_mentions_need_no_resolver(speaker: Speaker, rules: tuple[Document, Document], written: str) -> None:
    """Phase 2.3, test 1: nothing is left to resolve, so no call is paid for."""
    response = answered_by(speaker.say(written, action="compare"))
    assert used(response) == ids(*rules)
    assert speaker.calls(response.thread_id)["router"] == 0
    assert speaker.decided(response.thread_id, "doc_resolver")["inference_source"] == "explicit"


def test_g4_a_pronoun_is_resolved_with_the_last_messages(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    """Phase 2.3, test 3."""
    thread = answered_by(speaker.say("@Summarize", rules[0])).thread_id
    speaker.model_reads(**refers_to(rules[0]))
    response = speaker.anyway(speaker.say("And what does that regulation say about incidents?", thread=thread))
    assert used(response) == {rules[0].id}
    assert speaker.decided(thread, "doc_resolver")["inference_source"] == "inferred"
    for prompt in speaker.prompts("Route"):
        assert "user: @Summarize" in prompt.partition("<history")[2]
        assert (
            re.search(r"^d\d+: Records Rule \|.*used in this conversation", prompt, re.MULTILINE)
            and rules[0].id not in prompt
        )


def test_g4_an_unknown_name_is_tried_by_similarity_and_then_asked_for(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """Phase 2.3, test 4, and 3.3, test 3."""
    speaker.model_reads(unknown=["XYZ Guidelines"])
    question = asked_by(speaker.say("What about the XYZ Guidelines on incidents?", action="summarize"), "text_input")
    assert question.expects == "document" and {o.id for o in question.options or []} == {d.id for d in rules}
    assert "XYZ Guidelines" in question.message and "Please tag the document" in question.message
    assert speaker.state(question.thread_id)["inference_confidence"] == "low"
    again = asked_by(speaker.reply(question, "Zebra Circular"), "text_input")
    assert again.options and "Zebra Circular" in again.message
    assert used(speaker.anyway(speaker.reply(again, rules[1].id))) == {rules[1].id}


@pytest.mark.parametrize("typed", ["Recrods Rule", "Record Rules"])
def test_g4_a_misspelt_name_is_matched_without_another_call(
    speaker: Speaker, rules: tuple[Document, Document], typed: str
) -> None:
    """Stage 3: rapidfuzz ≥ 85 for names that the task left open."""
    speaker.model_reads(unknown=[typed])
    response = speaker.anyway(speaker.say(f"What does the {typed} say about incidents?", action="inquire"))
    assert used(response) == {rules[0].id}
    assert speaker.calls(response.thread_id)["router"] == 1


def test_g4_a_tag_and_an_implicit_reference_make_a_hybrid(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    thread = answered_by(speaker.say("@Summarize", rules[0])).thread_id
    speaker.model_reads(**refers_to(rules[0]))
    response = answered_by(speaker.say("@Compare it with @Complaints Rule", thread=thread))
    assert [d.id for d in response.documents] == [rules[1].id, rules[0].id], "tagged documents first"
    assert speaker.decided(thread, "doc_resolver")["inference_source"] == "hybrid"
    assert not speaker.prompts("Route"), "an action that was chosen, with a tag, costs no reading"


@pytest.mark.parametrize("words", ["both", "those two", "them"])
def test_g11_both_are_the_two_documents_of_the_conversation(
    speaker: Speaker, rules: tuple[Document, Document], words: str
) -> None:
    speaker.add("Outsourcing Rule", THIRD_RULE)
    thread = answered_by(speaker.say("@Compare", *rules)).thread_id
    speaker.model_reads(**refers_to(*rules))
    response = answered_by(speaker.say(f"Now summarize {words}", thread=thread, action="summarize"))
    assert used(response) == ids(*rules)


def test_g11_the_first_one_is_the_document_named_first(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    thread = answered_by(speaker.say("@Summarize @Complaints Rule")).thread_id
    answered_by(speaker.say("@Summarize @Records Rule", thread=thread))
    speaker.model_reads(**refers_to(rules[1]))
    response = answered_by(speaker.say("Summarize the first one", thread=thread, action="summarize"))
    assert used(response) == {rules[1].id}
    assert list(speaker.state(thread)["conversation_docs"]) == ["Complaints Rule", "Records Rule"]


@pytest.mark.parametrize("by", ["tag", "words"])
def test_g6_a_set_stands_for_its_documents(speaker: Speaker, by: str) -> None:
    members = speaker.add_all({"Records Rule": RECORDS_RULE, "Complaints Rule": OTHER_RULE}, set_name="Authority")
    speaker.add("Outsourcing Rule", THIRD_RULE)
    speaker.model_reads(**refers_to(*members))
    message = "@Summarize @Authority" if by == "tag" else "Summarize the documents of the set Authority"
    response = answered_by(speaker.say(message, action="summarize"))
    assert used(response) == ids(*members)


def test_g4_several_candidates_are_offered_with_all_of_these(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """Phase 3.3, test 1: two regulations fit "the regulation"."""
    speaker.model_reads(candidates=[d.id for d in rules])
    question = asked_by(speaker.say("Summarize the regulation", action="summarize"), "doc_choice")
    assert labels(question) == ["Complaints Rule", "Records Rule", "All of these"]
    assert question.allow_multiple
    everything = answered_by(speaker.reply(question, "all"))
    assert used(everything) == ids(*rules)
    assert speaker.calls(question.thread_id)["router"] == 1


def test_g4_six_documents_are_refused_however_they_are_named(speaker: Speaker, another: Callable[[], Speaker]) -> None:
    six = speaker.add_all({f"Rule {w}": f"Rule {w} obliges every firm to keep register {w}." for w in "ABCDEF"})
    before = speaker.everything()
    for request in (
        Request(message="Summarize these", document_ids=tuple(d.id for d in six)),
        Request(message=" ".join(f"@{d.title}" for d in six)),
        Request(composer=_composed(six)),
    ):
        with pytest.raises(TooManyDocuments, match="uses 6 documents; at most 5"):
            ask.send(speaker.app, speaker.user, ask.new_thread_id(), request)
    assert speaker.everything() == before


def test_g4_six_documents_of_a_set_are_refused(speaker: Speaker) -> None:
    texts = {f"Rule {w}": f"Rule {w} obliges every firm to keep register {w}." for w in "ABCDEF"}
    speaker.add_all(texts, set_name="Registers")
    before = speaker.everything()
    with pytest.raises(TooManyDocuments):
        ask.send(speaker.app, speaker.user, ask.new_thread_id(), Request(message="@Summarize @Registers"))
    assert speaker.everything() == before


def test_g4_a_sixth_document_in_an_answer_is_refused_aloud_and_the_question_goes_on(speaker: Speaker) -> None:
    """Five are held already; the question says so and asks again, and none is dropped."""
    six = speaker.add_all({f"Rule {w}": f"Rule {w} obliges every firm to keep register {w}." for w in "ABCDEF"})
    speaker.model_reads(unknown=["XYZ Guidelines"])
    question = asked_by(
        speaker.say("Summarize these and the XYZ Guidelines", *six[:5], action="summarize"), "text_input"
    )
    again = asked_by(speaker.reply(question, "Rule F"), "text_input")
    assert "6 documents; at most 5" in again.message
    response = answered_by(speaker.reply(again, "Rule E"))
    assert used(response) == ids(*six[:5])
    assert speaker.calls(response.thread_id)["router"] == 0


def test_g11_the_registry_grows_and_survives_a_cancel(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    """Phase 2.4c and G8: titles of every successful turn, merged; a cancelled turn adds nothing and takes nothing."""
    thread = answered_by(speaker.say("@Summarize @Records Rule")).thread_id
    assert speaker.state(thread)["conversation_docs"] == {"Records Rule": rules[0].id}
    question = asked_by(speaker.say("@Compare @Complaints Rule", thread=thread))
    speaker.cancel(question)
    assert speaker.state(thread)["conversation_docs"] == {"Records Rule": rules[0].id}
    answered_by(speaker.say("@Summarize @Complaints Rule", thread=thread))
    assert speaker.state(thread)["conversation_docs"] == {"Records Rule": rules[0].id, "Complaints Rule": rules[1].id}
    speaker.model_reads(**refers_to(*rules))
    response = answered_by(speaker.say("Compare both", thread=thread, action="compare"))
    assert used(response) == ids(*rules)


@pytest.mark.parametrize("words", ["Summarize it", "Summarize that document", "Summarize the Gone Rule"])
def test_g11_a_deleted_document_of_the_registry_is_named_and_nothing_is_taken_for_it(
    speaker: Speaker, rules: tuple[Document, Document], words: str
) -> None:
    gone = speaker.add("Gone Rule", THIRD_RULE)
    thread = answered_by(speaker.say("@Summarize @Gone Rule")).thread_id
    library.delete(speaker.app, speaker.user, gone.id)
    speaker.model_reads(**refers_to(gone))
    question = asked_by(speaker.say(words, thread=thread, action="summarize"), "text_input")
    assert "Gone Rule" in question.message and "library" in question.message
    assert speaker.state(thread)["conversation_docs"] == {"Gone Rule": gone.id}
    response = answered_by(speaker.reply(question, "Records Rule"))
    assert used(response) == {rules[0].id}


def _composed(documents: list[Document]) -> dict[str, Any]:
    tags = [
        {"type": "mention", "attrs": {"id": d.id, "label": d.display_title, "category": "document"}} for d in documents
    ]
    return {
        "type": "doc",
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Summarize "}, *tags]}],
    }
