"""Plan mode: one question at a time, then the plan to approve or edit; nothing is asked or paid twice (W2, G1, G9)."""

from __future__ import annotations

import json

import pytest

from policypal.application import research
from policypal.domain.documents import DocumentType
from policypal.domain.events import Event, InterruptEvent
from policypal.domain.interrupts import Answer
from policypal.domain.research import Plan
from policypal.errors import InvalidInput, NoPendingQuestion, QuestionPending
from tests.support.conversation import Speaker, answered_by, asked_by
from tests.support.openai_server import EMBEDDINGS
from tests.support.research_world import Analyst, report_of

VAGUE = "Incident rules"


def _approval(analyst: Analyst, goal: str = VAGUE) -> tuple[str, Event]:
    """The open question about the plan, after the first option of every question before it."""
    thread, event = analyst.run(goal, mode="plan")
    while isinstance(event, InterruptEvent) and event.interrupt_type == "plan_choice":
        event = analyst.answer(event, "1")
    return thread, asked_by(event, "plan_approval")


def _plan(analyst: Analyst, thread: str) -> Plan:
    _, plan = research.plan(analyst.app, analyst.user, thread)
    assert plan is not None
    return plan


def test_w2_one_question_after_the_other_then_the_plan_then_the_report(librarian: Analyst) -> None:
    thread, event = librarian.run(VAGUE, mode="plan")
    first = asked_by(event, "plan_choice")
    assert [o.id for o in first.options or []][:4] == ["1", "2", "3", "4"] and first.expects == "text"
    total = int(first.message.split(" of ")[1].split(":")[0])
    assert 1 <= total <= 4 and first.message.startswith("Question 1 of")
    answered = [first]
    while (event := librarian.answer(answered[-1], "2")) and asked_by(event).interrupt_type == "plan_choice":
        answered.append(asked_by(event))
    assert len(answered) == total
    answers, plan = research.plan(librarian.app, librarian.user, thread)
    options = [o.label for o in first.options or []]
    assert answers[0].values == [options[1]] and len(answers) == total and plan is not None
    approval = asked_by(event, "plan_approval")
    assert approval.options and approval.options[0].id == "approve"
    assert all(query in approval.message for query in plan.queries)
    report = report_of(librarian.answer(approval, "approve"))
    assert report.sections and research.find(librarian.app, librarian.user, thread).mode == "plan"


def test_g1_every_model_call_of_the_planner_is_made_once(modeller: Analyst) -> None:
    assert modeller.model is not None
    modeller.model.requests.clear()
    _, approval = _approval(modeller)
    modeller.answer(approval, "approve")
    tasks = [r.task for r in modeller.model.requests]
    assert tasks.count("PlanQuestions") == tasks.count("PlanDraft") == tasks.count("Outline") == 1
    assert {n for call, n in modeller.calls().items() if not call.startswith(EMBEDDINGS)} == {1}


def test_x5_whoever_words_a_plans_queries_is_not_told_what_the_companys_documents_say(modeller: Analyst) -> None:
    assert modeller.model is not None
    text = (
        "Section 1. Incidents of the Heron sale\n\nWe report every serious incident within 72 hours after discovery.\n"
    )
    Speaker(modeller.app, modeller.user).add("Plan", text, type=DocumentType.COMPANY)
    _approval(modeller, "What must be reported about serious incidents?")
    (sent,) = modeller.model.requests_for("PlanDraft")
    assert "Reporting of incidents" in str(sent.messages) and "Heron" not in str(sent.messages)


def test_w2_own_words_and_all_of_the_above_are_answers(keyless: Analyst) -> None:
    thread, event = keyless.run(VAGUE, mode="plan")
    first = asked_by(event, "plan_choice")
    assert first.options is not None and first.options[-1].id == "all" and first.allow_multiple
    second = asked_by(keyless.answer(first, ["all"]))
    answers, _ = research.plan(keyless.app, keyless.user, thread)
    assert answers[0].values == [o.label for o in first.options if o.id != "all"]
    keyless.answer(second, "What the supervisors expect of us")
    answers, _ = research.plan(keyless.app, keyless.user, thread)
    assert answers[1].values == ["What the supervisors expect of us"]


@pytest.mark.parametrize("value", [None, "", "   ", ["1", "2", "own words", "more words"], "x" * 60_000])
def test_w2_an_answer_that_is_none_leaves_the_question_open(keyless: Analyst, value: str | list[str] | None) -> None:
    thread, event = keyless.run(VAGUE, mode="plan")
    with pytest.raises(InvalidInput):
        keyless.answer(event, value)
    assert research.pending(keyless.app, keyless.user, thread) == event


def test_w2_an_edited_plan_is_what_is_carried_out(librarian: Analyst) -> None:
    thread, approval = _approval(librarian)
    edits = {"queries": ["register of incidents entries kept"], "deliverable": "A short note for the board"}
    report = report_of(librarian.answer(approval, json.dumps(edits)))
    plan = _plan(librarian, thread)
    assert (plan.queries, plan.deliverable) == (edits["queries"], edits["deliverable"])
    searched = {
        e.detail["query"] for e in research.run_log(librarian.app, librarian.user, thread) if e.kind == "search"
    }
    assert edits["queries"][0] in searched and report.sections


@pytest.mark.parametrize("value", [
    "yes please", "{", "[]", '{"queries": []}', '{"goal": " "}', '{"estimated_cost_usd": 0}', '{"secrets": "all"}',
    '{"since": "last year"}', '{"queries": "one"}', '{"steps": ["' + "x" * 2000 + '"]}',
])  # fmt: skip
def test_w2_a_plan_that_cannot_be_carried_out_is_refused_and_stays_open(keyless: Analyst, value: str) -> None:
    thread, approval = _approval(keyless)
    before = keyless.rows(thread)
    with pytest.raises(InvalidInput):
        keyless.answer(approval, value)
    assert keyless.rows(thread) == before
    assert research.pending(keyless.app, keyless.user, thread) == approval


def test_g9_a_question_is_answered_once(keyless: Analyst) -> None:
    thread, event = keyless.run(VAGUE, mode="plan")
    first = asked_by(event)
    keyless.answer(first, "1")
    before = keyless.rows(thread)
    for late in (Answer(type="plan_choice", value="2"), Answer(type="cancel")):
        with pytest.raises(NoPendingQuestion):
            research.resume(keyless.app, keyless.user, thread, late, interrupt_id=first.interrupt_id)
    assert keyless.rows(thread) == before
    with pytest.raises(QuestionPending):
        research.continue_run(keyless.app, keyless.user, thread)


def test_g9_a_finished_thread_has_nothing_to_answer_or_continue(keyless: Analyst) -> None:
    thread, _ = keyless.report()
    with pytest.raises(NoPendingQuestion):
        research.resume(keyless.app, keyless.user, thread, Answer(type="plan_approval", value="approve"))
    with pytest.raises(InvalidInput):
        research.continue_run(keyless.app, keyless.user, thread)


@pytest.mark.parametrize("at", ["question", "plan"])
def test_g8_cancelling_ends_the_thread_clearly(librarian: Analyst, at: str) -> None:
    thread, event = librarian.run(VAGUE, mode="plan") if at == "question" else _approval(librarian)
    response = librarian.cancel(event)
    assert response.cancelled and "cancelled" in response.response and response.research is None
    assert research.pending(librarian.app, librarian.user, thread) is None
    assert research.find(librarian.app, librarian.user, thread).status == "finished"
    assert research.timeline(librarian.app, librarian.user, thread)[-1].title == "Cancelled"


def test_u5_the_open_question_is_told_by_the_timeline_and_the_list(keyless: Analyst) -> None:
    thread, event = keyless.run(VAGUE, mode="plan")
    assert research.find(keyless.app, keyless.user, thread).status == "waiting"
    last = research.timeline(keyless.app, keyless.user, thread)[-1]
    assert any("Waiting for your answer: Question 1 of" in line for line in last.told)
    assert answered_by(keyless.cancel(event)).cancelled


def test_r4_a_thread_without_a_model_stays_without_one_after_its_questions(modeller: Analyst) -> None:
    assert modeller.model is not None
    modeller.model.requests.clear()
    _, event = modeller.run(VAGUE, mode="plan", without_model=True)
    while isinstance(event, InterruptEvent):
        event = modeller.answer(event, "approve" if event.interrupt_type == "plan_approval" else "1")
    assert report_of(event).engine == "extractive" and not modeller.model.requests
