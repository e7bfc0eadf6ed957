"""Cancelling a question: the exact words of the feature specification, and a thread that is free again (G8)."""

from __future__ import annotations

import pytest

from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import Event
from policypal.graph.agent import feedback
from tests.support.conversation import Speaker, answered_by, asked_by
from tests.support.documents import COMPANY_POLICY
from tests.support.questions import NONSENSE, ambiguous, nothing_searchable

CANCELLED = {
    "intent": "I wasn't sure which action to perform. Try again using @Summarize, @Inquire, @Compare, or @Audit.",
    "documents": "I can't proceed with Summarize without a specific document.",
    "compare": "Compare requires at least 2 documents. Please @tag them and try again.",
    "audit target": "I need a regulation document to run Audit. Please @tag one and try again.",
    "audit text": "I need the text you'd like to audit. Please include it with a @tagged regulation document.",
    "web": feedback.WEB_CANCELLED,
}


def _asked(speaker: Speaker, rules: tuple[Document, Document], source: str) -> Event:
    if source == "intent":
        return speaker.say("Have a look at @Records Rule")
    if source == "documents":
        ambiguous(speaker, *rules)
        return speaker.say("Summarize the regulation", action="summarize")
    if source == "audit target":
        speaker.add("Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
        return speaker.say("@Audit @Our Policy")
    message = {"compare": "@Compare @Records Rule", "audit text": "@Audit @Records Rule"}.get(source, "@Summarize")
    return speaker.say(message, rules[0], web=source == "web")


@pytest.mark.parametrize("source", CANCELLED)
def test_g8_cancelling_gives_the_words_of_its_source_and_frees_the_thread(
    speaker: Speaker, rules: tuple[Document, Document], source: str
) -> None:
    question = asked_by(_asked(speaker, rules, source))
    thread = question.thread_id
    calls = speaker.calls(thread)
    response = speaker.cancel(question)
    assert (response.response, response.cancelled, response.citations) == (CANCELLED[source], True, [])
    assert speaker.nodes[-1] == "format_response" and len(speaker.nodes) == 2
    assert speaker.calls(thread) == calls, "a cancel asks no model"
    assert speaker.pending(thread) is None
    assert speaker.state(thread).get("conversation_docs", {}) == {}
    assert speaker.roles(thread) == ["user", "pal_assist", "assistant"]
    assert [m["content"] for m in speaker.state(thread)["messages"]][-1] == CANCELLED[source]
    fresh = answered_by(speaker.say("@Summarize @Records Rule", thread=thread))
    assert fresh.citations and not fresh.cancelled
    assert "confirm_inputs" not in speaker.nodes and speaker.nodes[0] == "intent_resolver"


def test_g8_cancelling_where_nothing_can_be_searched(modeller: Speaker) -> None:
    nothing_searchable(modeller)
    question = asked_by(modeller.say(f"@Inquire {NONSENSE}"), "retrieval_low")
    calls = modeller.calls(question.thread_id)
    response = modeller.cancel(question)
    assert (response.response, response.cancelled) == (feedback.RETRIEVAL_CANCELLED, True)
    assert modeller.calls(question.thread_id) == calls and modeller.pending(question.thread_id) is None


def test_g8_a_document_named_as_unknown_is_cancelled_for_its_action(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    speaker.model_reads(unknown=["XYZ Guidelines"])
    question = asked_by(speaker.say("What about the XYZ Guidelines?", action="summarize"), "text_input")
    assert speaker.cancel(question).response == "I can't proceed with Summarize without a specific document."
