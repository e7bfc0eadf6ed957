"""The planner's drawer: questions, one's own words, the plan (W2)."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.events import InterruptEvent
from policypal.domain.research import Plan
from policypal.domain.users import User
from policypal.ui import state
from policypal.ui.research import drawer as research_drawer
from policypal.ui.research import plan as research_plan
from tests.ui import research_page
from tests.ui.conftest import OpenPage, assert_healthy, labels, texts


@pytest.fixture
def thread(ui_app: Container, analyst: User, samples: list[Document]) -> str:
    """A research in Plan mode whose first question is open."""
    assert samples
    research_page.forget_research(ui_app, analyst)
    made = research.start(ui_app, analyst, "Outsourcing rules", mode="plan", idempotency_key="drawer")
    research_page.finish(ui_app, analyst, made)
    return made


def _question(app: Container, user: User, thread: str) -> InterruptEvent:
    question = research.pending(app, user, thread)
    assert question is not None
    return question


def _answer_until_the_plan(app: Container, user: User, thread: str, tab: AppTest) -> InterruptEvent:
    """With one's own words, through the page."""
    for _ in range(4):
        question = _question(app, user, thread)
        if question.interrupt_type == "plan_approval":
            break
        tab.text_input(key=f"{state.PLANNER}_{question.interrupt_id}_words").set_value("Cloud <b>services</b>")
        tab.button(key=f"FormSubmitter:{state.PLANNER}_{question.interrupt_id}_custom-Use my answer").click().run()
        research_page.settle(tab)
    return _question(app, user, thread)


def test_w2_one_question_at_a_time_with_options_and_ones_own_words(
    ui_app: Container, analyst: User, thread: str, open_page: OpenPage
) -> None:
    tab = open_page("research", thread=thread)
    question = _question(ui_app, analyst, thread)
    assert question.interrupt_type == "plan_choice"
    offered = [o.label for o in question.options or [] if o.id != "all"]
    assert len(offered) == 4
    shown = [*labels(tab), *(box.label.replace("\\", "") for box in tab.checkbox)]
    assert all(any(label.replace("\\", "") == one for one in shown) for label in offered), shown
    assert question.message.partition(":")[0] in texts(tab)
    _answer_until_the_plan(ui_app, analyst, thread, tab)
    assert "Cloud &lt;b&gt;services" in texts(tab), "earlier answers stay visible, as text"
    assert "<b>services" not in texts(tab)


def test_w2_the_plan_is_edited_as_a_form_and_then_carried_out(
    ui_app: Container, analyst: User, thread: str, open_page: OpenPage
) -> None:
    tab = open_page("research", thread=thread)
    question = _answer_until_the_plan(ui_app, analyst, thread, tab)
    assert "Estimate" in texts(tab)
    key = f"{state.PLANNER}_{question.interrupt_id}_plan"
    tab.text_area(key=f"{key}_queries").set_value("")
    tab.button(key=f"FormSubmitter:{key}-Start with these changes").click().run()
    assert_healthy(tab)
    assert _question(ui_app, analyst, thread).interrupt_id == question.interrupt_id, (
        "a plan without searches is refused"
    )
    tab.text_area(key=f"{key}_queries").set_value("sub-outsourcing consent\n\n  due diligence ")
    tab.button(key=f"FormSubmitter:{key}-Start with these changes").click().run()
    research_page.settle(tab)
    _, plan = research.plan(ui_app, analyst, thread)
    assert plan is not None and plan.queries == ["sub-outsourcing consent", "due diligence"]
    assert research.reports(ui_app, analyst, thread)
    assert "statements verified" in texts(tab)


def test_w2_cancel_ends_it_and_says_so(ui_app: Container, analyst: User, thread: str, open_page: OpenPage) -> None:
    tab = open_page("research", thread=thread)
    question = _question(ui_app, analyst, thread)
    tab.button(key=f"{state.PLANNER}_{question.interrupt_id}_cancel").click().run()
    research_page.settle(tab)
    assert "This research was cancelled" in texts(tab)
    assert research.pending(ui_app, analyst, thread) is None


_PLAN = Plan(goal="G", deliverable="D", steps=["S"], queries=["Q"], estimated_pages=1, estimated_cost_usd=0.004)


def test_w2_only_what_was_changed_is_sent() -> None:
    assert research_drawer.edits(_PLAN, _PLAN) == "approve"
    assert json.loads(research_drawer.edits(_PLAN, _PLAN.model_copy(update={"queries": ["Ä"]}))) == {"queries": ["Ä"]}


def test_w2_the_estimate_is_told_in_words() -> None:
    assert research_plan.estimate(_PLAN) == "about 1 page · less than $0.01"
    none = _PLAN.model_copy(update={"estimated_pages": 0, "estimated_cost_usd": 0.0})
    assert research_plan.estimate(none) == "no web pages · no model cost"


def test_x2_a_plan_is_shown_as_text() -> None:
    hostile = _PLAN.model_copy(update={"goal": "<img src=x onerror=1>", "queries": ["<b>"], "document_ids": ["gone"]})
    shown = research_plan.html(hostile)
    assert "<img" not in shown and "<b>" not in shown
    assert "no longer in your library" in shown
