"""Each task is paid for once, however many questions come between (G1)."""

from __future__ import annotations

from policypal.domain.documents import Document
from tests.support.conversation import Speaker, answered_by, asked_by
from tests.support.questions import ambiguous


def test_g1_one_question_costs_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    question = asked_by(speaker.say("Have a look at the Records Rule"), "action_choice")
    response = answered_by(speaker.reply(question, "summarize"))
    assert speaker.calls(response.thread_id) == {
        "router": 1, "summarize": 1,
    }  # fmt: skip


def test_g1_two_nested_questions_cost_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say("Have a look at the regulation"), "action_choice")
    which = asked_by(speaker.reply(question, "summarize"), "doc_choice")
    response = answered_by(speaker.reply(which, rules[1].id))
    assert [d.id for d in response.documents] == [rules[1].id]
    assert speaker.calls(response.thread_id) == {
        "router": 1, "summarize": 1,
    }  # fmt: skip


def test_g1_three_nested_questions_cost_no_second_call(speaker: Speaker, rules: tuple[Document, Document]) -> None:
    """action_choice → doc_choice → action_choice: the web that was wished for is not configured."""
    ambiguous(speaker, *rules)
    question = asked_by(speaker.say("Have a look at the regulation", web=True), "action_choice")
    which = asked_by(speaker.reply(question, "summarize"), "doc_choice")
    without = asked_by(speaker.reply(which, rules[1].id), "action_choice")
    response = answered_by(speaker.reply(without, "without_web"))
    assert response.action == "summarize"
    assert [d.id for d in response.documents] == [rules[1].id]
    assert speaker.calls(response.thread_id) == {
        "router": 1, "summarize": 1,
    }  # fmt: skip
    assert speaker.roles(response.thread_id) == ["user", *["pal_assist"] * 3, "assistant"]


def test_g1_four_nested_questions_with_typed_answers_cost_no_second_call(
    speaker: Speaker, rules: tuple[Document, Document]
) -> None:
    """action_choice → text_input for an unknown name → text_input for the second document → again, after a typing error."""
    speaker.model_reads(unknown=["XYZ Guidelines"])
    event = speaker.say("Have a look at the XYZ Guidelines")
    event = speaker.reply(asked_by(event, "action_choice"), "compare")
    event = speaker.reply(asked_by(event, "text_input"), "Records Rule")
    event = speaker.reply(asked_by(event, "text_input"), "Qwertz Circular")
    event = speaker.reply(asked_by(event, "text_input"), "Complaints Rule")
    response = answered_by(event)
    assert {d.id for d in response.documents} == {d.id for d in rules}
    assert speaker.calls(response.thread_id) == {
        "router": 1, "compare": 1,
    }  # fmt: skip
