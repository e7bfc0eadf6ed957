"""The eight end-to-end steps of phase 3.7, on both engines, as events of a run and as the stored conversation."""

from __future__ import annotations

import pytest

from policypal.application import ask
from policypal.application.ask import Request
from policypal.application.wiring import build_container
from policypal.domain.documents import Document
from policypal.domain.events import StatusEvent
from policypal.domain.interrupts import Answer
from policypal.errors import NoPendingQuestion, QuestionPending, RunInProgress
from tests.support.conversation import Speaker, answered_by, asked_by
from tests.support.questions import DRAFT, ambiguous


def test_p37_step_1_an_ambiguous_message_is_asked_about(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say(f"Audit against the regulation: {DRAFT}"), "doc_choice")
    statuses = [e.message for e in speaker.told if isinstance(e, StatusEvent)]
    assert statuses[:2] == ["Clarifying intent...", "Finding documents..."]
    assert speaker.told[-1] is question or speaker.told[-1] == question


def test_p37_step_2_the_picked_document_leads_to_the_answer(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say(f"Audit against the regulation: {DRAFT}"), "doc_choice")
    response = answered_by(speaker.reply(question, rules[0].id))
    statuses = [e.message for e in speaker.told if isinstance(e, StatusEvent)]
    assert "Validating request..." in statuses and "Auditing against regulations..." in statuses
    assert response.report is not None


def test_p37_step_3_several_actions_end_in_the_chosen_one(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("Summarize and audit @Records Rule"), "action_choice")
    assert answered_by(speaker.reply(question, "summarize")).action == "summarize"


def test_p37_step_4_a_typed_answer_goes_on_with_the_run(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("@Compare @Records Rule"), "text_input")
    response = answered_by(speaker.reply(question, "the complaints rule"))
    assert response.action == "compare" and len(response.documents) == 2
    note = speaker.history(response.thread_id)[1]
    assert (note.role, note.content) == ("pal_assist", "the complaints rule")
    assert note.payload["question"]["message"] == question.message, "question and answer stay as an audit note (U2)"
    assert note.payload["answer"]["value"] == "the complaints rule"


def test_p37_step_5_after_a_cancel_the_next_message_starts_afresh(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    thread = answered_by(speaker.say("@Summarize @Complaints Rule")).thread_id
    question = asked_by(speaker.say("@Compare @Records Rule", thread=thread))
    assert speaker.cancel(question).cancelled
    response = answered_by(speaker.say("@Summarize @Records Rule", thread=thread))
    assert response.notices == [] and [d.id for d in response.documents] == [rules[0].id]
    assert speaker.nodes[0] == "intent_resolver"
    assert set(speaker.state(thread)["conversation_docs"]) == {"Complaints Rule", "Records Rule"}


def test_p37_step_6_an_open_question_is_there_again_in_another_process(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """3.8 too: restored from the checkpoint with the same words; once answered, nothing is open."""
    question = asked_by(speaker.say("@Compare @Records Rule"))
    thread = question.thread_id
    elsewhere = build_container(speaker.app.settings, run_worker=False)
    try:
        there = Speaker(elsewhere, speaker.user, speaker.server)
        assert there.pending(thread) == question
        assert there.roles(thread) == ["user"]
        response = answered_by(there.reply(question, "Complaints Rule"))
        assert len(response.documents) == 2
        assert there.pending(thread) is None
    finally:
        elsewhere.close()
    assert speaker.pending(thread) is None
    assert speaker.roles(thread) == ["user", "pal_assist", "assistant"]


def test_p37_step_7_a_nested_question_shows_its_own_words(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    first = asked_by(speaker.say("Compare the regulation", action="compare"), "doc_choice")
    second = asked_by(speaker.reply(first, rules[0].id), "text_input")
    assert second.interrupt_id != first.interrupt_id
    assert second.message == "Compare requires at least 2 documents. Please tag the additional document."
    assert speaker.pending(first.thread_id) == second
    with pytest.raises(NoPendingQuestion):
        speaker.reply(first, rules[1].id)
    assert len(answered_by(speaker.reply(second, "Complaints Rule")).documents) == 2


def test_p37_step_8_a_message_right_after_a_cancel_is_not_lost(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """No waiting in between: the cancelled run is either finished, or the message is refused as "still working"."""
    question = asked_by(speaker.say("@Compare @Records Rule"))
    thread = question.thread_id
    ask.resume(speaker.app, speaker.user, thread, Answer(type="cancel"), interrupt_id=question.interrupt_id)
    for _ in range(200):
        try:
            event = speaker.send(Request(message="@Summarize @Records Rule"), thread)
            break
        except (RunInProgress, QuestionPending):
            list(ask.events(speaker.app, speaker.user, thread, timeout_seconds=1))
    assert answered_by(event).action == "summarize"
    assert speaker.roles(thread) == ["user", "pal_assist", "assistant", "user", "assistant"]
    contents = [m.content for m in speaker.history(thread)]
    assert (
        contents[2] == "Compare requires at least 2 documents. Please @tag them and try again."
        and contents[3] == "@Summarize @Records Rule"
    )
