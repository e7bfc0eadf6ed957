"""Where a research begins: goal, mode, examples, earlier reports (W1, W2)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.events import StatusEvent
from policypal.domain.research import ResearchThread
from policypal.domain.users import User
from policypal.ui import state
from policypal.ui.research import list as research_list
from policypal.ui.research import progress as research_progress
from policypal.ui.research import start as research_start
from tests.ui import research_page
from tests.ui.conftest import OpenPage, assert_healthy, labels, texts


@pytest.fixture(autouse=True)
def _no_research(ui_app: Container, analyst: User) -> None:
    research_page.forget_research(ui_app, analyst)


@pytest.mark.usefixtures("no_documents")
def test_w1_without_documents_the_page_says_so_and_leads_to_documents(open_page: OpenPage) -> None:
    tab = open_page("research")
    assert "Your library is empty" in texts(tab)
    assert "Add sample documents" in labels(tab)
    assert "Start research" not in labels(tab)
    assert [link.proto.label for link in tab.get("page_link")] == ["Upload your own"]


@pytest.mark.usefixtures("samples")
def test_r7_without_web_search_the_page_says_how_to_configure_it(open_page: OpenPage) -> None:
    assert "set TAVILY_API_KEY or EXA_API_KEY in the environment" in texts(open_page("research"))


def test_w1_the_examples_are_about_the_users_own_documents(samples: list[Document], open_page: OpenPage) -> None:
    tab = open_page("research")
    offered = research_start.examples(samples)
    assert len(offered) == len(set(offered)) == 3
    assert all(any(d.display_title in goal for d in samples) for goal in offered)
    tab.button(key=f"{state.SUGGESTION}_research_1").click().run()
    assert_healthy(tab)
    assert tab.text_area(key=state.RESEARCH_GOAL).value == offered[1]
    assert "2023" not in " ".join(offered), "the latest edition is what counts"


@pytest.mark.usefixtures("samples")
def test_w2_plan_is_suggested_for_a_vague_goal_and_the_switch_wins(
    ui_app: Container, analyst: User, open_page: OpenPage
) -> None:
    tab = open_page("research")
    tab.text_area(key=state.RESEARCH_GOAL).set_value("Rules").run()
    assert_healthy(tab)
    assert "Plan suggested." in texts(tab)
    tab.button(key="use_plan").click().run()
    assert tab.session_state[state.RESEARCH_MODE] == "plan"
    assert "Plan suggested." not in texts(tab)
    tab.button(key="start_research").click().run()
    assert_healthy(tab)
    (thread,) = research.list_threads(ui_app, analyst)
    assert (thread.goal, thread.mode) == ("Rules", "plan")
    assert tab.query_params[state.PARAM_THREAD] == thread.thread_id


@pytest.mark.usefixtures("samples")
def test_w1_an_empty_goal_is_refused_with_the_reason(ui_app: Container, analyst: User, open_page: OpenPage) -> None:
    tab = open_page("research")
    tab.button(key="start_research").click().run()
    assert_healthy(tab)
    assert tab.error
    assert research.list_threads(ui_app, analyst) == []


@pytest.mark.parametrize("thread", ["3b0f6f0e-0000-4000-8000-000000000000", "../../etc", "<b>"])
def test_x1_a_research_that_is_not_mine_is_not_found(open_page: OpenPage, thread: str) -> None:
    tab = open_page("research", thread=thread)
    assert "does not exist" in tab.error[0].value
    assert "Research" in texts(tab)


def _thread(name: str, parent: str | None = None) -> ResearchThread:
    return ResearchThread(
        thread_id=name, goal=name, title=name, mode="auto", status="finished", parent_thread_id=parent,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip


def test_w6_forks_stand_below_what_they_were_forked_from() -> None:
    threads = [_thread("c", "b"), _thread("x"), _thread("b", "a"), _thread("orphan", "deleted"), _thread("a")]
    tree = [(depth, t.thread_id) for depth, t in research_list.branches(threads)]
    assert tree == [(0, "x"), (0, "orphan"), (0, "a"), (1, "b"), (2, "c")]
    assert {t.thread_id for t in research_list.family(threads, "b")} == {"a", "b", "c"}
    assert [t.thread_id for t in research_list.family(threads, "x")] == ["x"]


def test_u4_counts_stay_with_the_stage_that_made_them() -> None:
    told = research_progress.progress_of([
        StatusEvent(node="look_up", message="Searching", counts={"queries": 3}),
        StatusEvent(node="harvest_page", message="Reading", counts={"queries": 3, "read": 2}),
        StatusEvent(node="write_section", message="Writing", counts={"read": 9, "written": 1}),
    ])  # fmt: skip
    assert told.stage == "writer"
    assert told.counts == {"research": {"queries": 3, "read": 9}, "writer": {"written": 1}}
    shown = research_progress.stages_html(told.stage, told.counts)
    assert "3 queries · 9 pages read" in shown
    assert [shown.count(f"pp-stage-{s}") for s in ('done"', 'now"', 'next"')] == [2, 1, 2]


def test_x2_what_a_run_tells_is_escaped() -> None:
    counts = {"planner": {"<img src=x>": 1}}
    assert "<img" not in research_progress.stages_html("planner", counts)


def test_u4_every_node_of_research_belongs_to_a_stage() -> None:
    nodes = {
        "assess": "planner",
        "confirm_harvest": "research",
        "assemble": "writer",
        "check_claims": "fact_check",
        "publish": "review",
    }
    assert {n: research_progress.stage_of(n) for n in nodes} == nodes
    assert research_progress.stage_of("writer.write_section") == "writer"
