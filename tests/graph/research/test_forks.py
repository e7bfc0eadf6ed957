"""The timeline, and forks from it: the original stays byte for byte as it was (W6)."""

from __future__ import annotations

from typing import Any

import pytest

from policypal.application import research
from policypal.domain.research import Step, StepValues
from policypal.errors import InvalidInput, NotFound
from tests.support.conversation import asked_by
from tests.support.research_world import Analyst, content_of, report_of


def _steps(analyst: Analyst, thread: str) -> dict[str, Step]:
    return {s.node: s for s in research.timeline(analyst.app, analyst.user, thread)}


def _values(analyst: Analyst, thread: str, node: str) -> StepValues:
    step = _steps(analyst, thread)[node]
    return research.step_values(analyst.app, analyst.user, thread, step.checkpoint_id)


def test_w6_the_timeline_tells_every_stage_in_plain_words(librarian: Analyst) -> None:
    thread, report = librarian.report()
    steps = research.timeline(librarian.app, librarian.user, thread)
    assert [s.node for s in steps][:4] == ["start", "planner", "research", "writer"]
    assert [s.node for s in steps][-2:] == ["red_team", "publish"]
    assert all(s.title and s.told for s in steps) and [s.at for s in steps] == sorted(s.at for s in steps)
    assert (steps[0].can_edit, steps[1].can_edit) == (["goal"], ["goal", "plan"])
    assert steps[2].can_edit == ["goal", "plan", "sources"] and "draft" in steps[3].can_edit
    values = _values(librarian, thread, "publish")
    assert [s.key for s in values.sources] == [s.key for s in report.sources]
    assert values.plan is not None and report.sections[0].heading in values.draft


def test_w6_a_fork_without_edits_comes_to_the_same_report(librarian: Analyst) -> None:
    thread, report = librarian.report()
    for node in ("start", "planner", "research", "publish"):
        fork = research.fork(librarian.app, librarian.user, thread, _steps(librarian, thread)[node].checkpoint_id)
        assert content_of(report_of(librarian.follow(fork))) == content_of(report), node


@pytest.mark.parametrize("edit", ["goal", "plan", "sources", "draft"])
def test_w6_forking_leaves_the_original_byte_for_byte_as_it_was(librarian: Analyst, edit: str) -> None:
    thread, report = librarian.report()
    values, last = _values(librarian, thread, "publish"), _steps(librarian, thread)["publish"].checkpoint_id
    assert values.plan is not None
    edits: dict[str, Any] = {
        "goal": {"goal": "How long must a bank keep the entries of its register of incidents?"},
        "plan": {"plan": values.plan.model_copy(update={"queries": ["training of staff and tests of the procedure"]})},
        "sources": {"excluded": [report.sources[0].key]},
        "draft": {"draft": values.draft.replace(report.sections[0].heading, "What we found")},
    }[edit]
    before = librarian.rows(thread)
    fork = research.fork(librarian.app, librarian.user, thread, last, **edits)
    event = librarian.follow(fork)
    assert librarian.rows(thread) == before
    assert report_of(event).thread_id == fork != thread
    found = research.find(librarian.app, librarian.user, fork)
    assert (found.parent_thread_id, found.parent_checkpoint_id) == (thread, last)
    assert found.forked_at == "Report published"


def test_w6_an_excluded_source_is_not_used_and_nothing_is_searched_again(librarian: Analyst) -> None:
    thread, report = librarian.report()
    gone = report.citations[0].document_id
    fork = research.fork(
        librarian.app, librarian.user, thread, _steps(librarian, thread)["publish"].checkpoint_id, excluded=[str(gone)]
    )
    rewritten = report_of(librarian.follow(fork))
    assert rewritten.citations and gone not in {c.document_id for c in rewritten.citations}
    assert gone not in {s.key for s in rewritten.sources}
    log = research.run_log(librarian.app, librarian.user, fork)
    assert not [e for e in log if e.kind == "search"] and "look_up" not in librarian.nodes


def test_w6_an_edited_plan_is_searched_for_and_its_goal_is_the_forks(librarian: Analyst) -> None:
    thread, _ = librarian.report()
    values = _values(librarian, thread, "planner")
    assert values.plan is not None
    plan = values.plan.model_copy(update={"goal": "Training of staff", "queries": ["training of staff in incidents"]})
    fork = research.fork(
        librarian.app, librarian.user, thread, _steps(librarian, thread)["planner"].checkpoint_id, plan=plan
    )
    librarian.follow(fork)
    assert research.find(librarian.app, librarian.user, fork).goal == "Training of staff"
    assert "assess" not in librarian.nodes
    _, carried_out = research.plan(librarian.app, librarian.user, fork)
    assert carried_out == plan


def test_w6_words_written_by_hand_are_checked_like_all_others(librarian: Analyst) -> None:
    thread, report = librarian.report()
    draft = _values(librarian, thread, "publish").draft + (
        "\n\n## Added by hand\n\n- Banks are free to do as they please, which nobody has ever written down."
    )
    fork = research.fork(
        librarian.app, librarian.user, thread, _steps(librarian, thread)["publish"].checkpoint_id, draft=draft
    )
    checked = report_of(librarian.follow(fork))
    assert "Banks are free" not in checked.markdown and "Added by hand" not in [s.heading for s in checked.sections]
    assert all(s.verified for section in checked.sections for s in section.statements)
    assert {"outline", "write_section"}.isdisjoint(librarian.nodes)
    assert {c.quote for c in checked.citations} <= {c.quote for c in report.citations}


def test_w6_a_fork_of_a_fork_is_told_as_a_tree_and_outlives_its_parents(keyless: Analyst) -> None:
    thread, _ = keyless.report()
    child = research.fork(keyless.app, keyless.user, thread, _steps(keyless, thread)["research"].checkpoint_id)
    keyless.follow(child)
    grandchild = research.fork(keyless.app, keyless.user, child, _steps(keyless, child)["publish"].checkpoint_id)
    keyless.follow(grandchild)
    threads = {t.thread_id: t for t in research.list_threads(keyless.app, keyless.user)}
    assert (threads[child].parent_thread_id, threads[grandchild].parent_thread_id) == (thread, child)
    research.delete(keyless.app, keyless.user, thread)
    assert research.find(keyless.app, keyless.user, child).parent_thread_id is None
    assert research.reports(keyless.app, keyless.user, grandchild)


def test_u6_two_clicks_are_one_fork(keyless: Analyst) -> None:
    app, user = keyless.app, keyless.user
    thread, _ = keyless.report()
    step = _steps(keyless, thread)["research"].checkpoint_id
    fork, again = (research.fork(app, user, thread, step, idempotency_key="one click") for _ in range(2))
    keyless.follow(fork)
    once_more = research.fork(app, user, thread, step, idempotency_key="one click")
    other = research.fork(app, user, thread, step, idempotency_key="another click")
    keyless.follow(other)
    assert fork == again == once_more != other
    assert {t.thread_id for t in research.list_threads(app, user)} == {thread, fork, other}
    assert len(research.reports(app, user, fork)) == 1


def test_w6_a_thread_that_waits_can_be_forked_and_goes_on_waiting(keyless: Analyst) -> None:
    thread, event = keyless.run("Incident rules", mode="plan")
    before = keyless.rows(thread)
    fork = research.fork(
        keyless.app, keyless.user, thread, _steps(keyless, thread)["start"].checkpoint_id, goal="Outsourcing rules"
    )
    assert asked_by(keyless.follow(fork), "plan_choice").thread_id == fork
    assert keyless.rows(thread) == before
    assert research.pending(keyless.app, keyless.user, thread) == event


def test_w6_edits_that_contradict_one_another_fork_nothing(keyless: Analyst) -> None:
    thread, _ = keyless.report()
    steps = _steps(keyless, thread)
    last, first = steps["publish"].checkpoint_id, steps["start"].checkpoint_id
    app, user = keyless.app, keyless.user
    for checkpoint, edits in (
        (last, {"draft": "# Mine", "goal": "Another goal for banks"}), (last, {"draft": " "}), (first, {"draft": "# Mine"}),
        (last, {"goal": " "}),
    ):  # fmt: skip
        with pytest.raises(InvalidInput):
            research.fork(app, user, thread, checkpoint, **edits)  # type: ignore[arg-type]
    for unknown in ("", "no such step", "1efb3b4c-0000-6000-8000-000000000000"):
        with pytest.raises(NotFound):
            research.fork(app, user, thread, unknown)
    assert [t.thread_id for t in research.list_threads(app, user)] == [thread]
