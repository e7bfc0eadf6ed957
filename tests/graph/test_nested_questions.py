"""Each task is paid for once, however many questions come between (G1)."""

from __future__ import annotations

from policypal.domain.documents import Document
from tests.support.conversation import Speaker, answered_by, asked_by
from tests.support.questions import NONSENSE, ambiguous, several, weak_evidence


def test_g1_one_question_costs_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    several(speaker, "summarize", "audit")
    question = asked_by(speaker.say("Summarize and audit the Records Rule"), "action_choice")
    response = answered_by(speaker.reply(question, "summarize"))
    assert speaker.calls(response.thread_id) == {
        "intent": 1, "resolve_documents": 1, "summarize": 1, "thread_title": 1,
    }  # fmt: skip


def test_g1_two_nested_questions_cost_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    several(speaker, "summarize", "audit")
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say("Summarize and audit the regulation"), "action_choice")
    which = asked_by(speaker.reply(question, "summarize"), "doc_choice")
    response = answered_by(speaker.reply(which, rules[1].id))
    assert [d.id for d in response.documents] == [rules[1].id]
    assert speaker.calls(response.thread_id) == {
        "intent": 1, "resolve_documents": 1, "summarize": 1, "thread_title": 1,
    }  # fmt: skip


def test_g1_three_nested_questions_cost_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    """action_choice → doc_choice → retrieval_low."""
    several(speaker, "inquire", "summarize")
    ambiguous(speaker, *rules)
    weak_evidence(speaker)
    message = f"Tell me what the regulation says on this, and summarize it. {NONSENSE}"
    question = asked_by(speaker.say(message), "action_choice")
    which = asked_by(speaker.reply(question, "inquire"), "doc_choice")
    weak = asked_by(speaker.reply(which, rules[1].id), "retrieval_low")
    response = answered_by(speaker.reply(weak, "continue"))
    assert response.action == "inquire"
    assert [d.id for d in response.documents] == [rules[1].id]
    assert speaker.calls(response.thread_id) == {
        "intent": 1, "resolve_documents": 1, "rewrite_query": 1, "answer": 1, "thread_title": 1,
    }  # fmt: skip
    assert speaker.roles(response.thread_id) == ["user", *["pal_assist"] * 3, "assistant"]


def test_g1_four_nested_questions_with_typed_answers_cost_no_second_call(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """action_choice → text_input for an unknown name → text_input for the second document → again, after a typing error."""
    several(speaker, "compare", "audit")
    speaker.model_says("Resolution", unresolved_names=["XYZ Guidelines"], confidence="low")
    event = speaker.say("Compare and audit the XYZ Guidelines")
    event = speaker.reply(asked_by(event, "action_choice"), "compare")
    event = speaker.reply(asked_by(event, "text_input"), "Records Rule")
    event = speaker.reply(asked_by(event, "text_input"), "Qwertz Circular")
    event = speaker.reply(asked_by(event, "text_input"), "Complaints Rule")
    response = answered_by(event)
    assert {d.id for d in response.documents} == {d.id for d in rules}
    assert speaker.calls(response.thread_id) == {
        "intent": 1, "resolve_documents": 1, "compare": 1, "thread_title": 1,
    }  # fmt: skip
