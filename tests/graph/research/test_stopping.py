"""Stop really stops, failures are told, and both can be continued from the last good checkpoint (W7, U6, M8)."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from policypal.application import research
from policypal.domain.events import StatusEvent
from policypal.errors import RunInProgress
from tests.support.conversation import failed_by
from tests.support.openai_server import EMBEDDINGS, fails, hangs
from tests.support.research_world import Analyst, content_of, report_of
from tests.support.timeouts import LONGEST_WAIT_SECONDS


def _until(analyst: Analyst, thread: str, node: str) -> None:
    """Return as soon as a node is at work."""
    for event in research.events(analyst.app, analyst.user, thread, timeout_seconds=LONGEST_WAIT_SECONDS):
        if isinstance(event, StatusEvent) and event.node == node:
            return
    raise AssertionError(f"{node} was never at work")


def _tasks(analyst: Analyst) -> Counter[str]:
    assert analyst.model is not None
    return Counter(r.task for r in analyst.model.requests if r.task != EMBEDDINGS)


def test_u6_a_stopped_run_ends_at_once_and_is_continued_where_it_was(modeller: Analyst) -> None:
    assert modeller.model is not None
    modeller.model.script("Outline", hangs(30))
    thread = modeller.start()
    _until(modeller, thread, "outline")
    began = time.monotonic()
    assert research.stop(modeller.app, modeller.user, thread)
    assert failed_by(modeller.follow(thread)).code == "run_stopped"
    assert time.monotonic() - began < 5
    assert research.find(modeller.app, modeller.user, thread).status == "stopped"
    modeller.model.requests.clear()
    assert report_of(modeller.continued(thread)).sections
    assert _tasks(modeller)["PlanDraft"] == 0 and "make_plan" not in modeller.nodes


def test_w7_a_failed_model_call_is_the_only_one_made_again(modeller: Analyst) -> None:
    """One section of several fails for good; the others are written already, and stay."""
    assert modeller.model is not None
    modeller.model.script("WrittenSection", *[fails(400, "bad_request")])
    thread = modeller.start()
    error = failed_by(modeller.follow(thread))
    assert error.code.startswith("model")
    assert research.find(modeller.app, modeller.user, thread).status == "failed"
    log = research.run_log(modeller.app, modeller.user, thread)  # the failed run has its trace (M5)
    assert [e.name for e in log if e.kind == "error"] == ["write_section"]
    assert any(e.kind == "task" and e.name == "write_section" and "error" in e.detail for e in log)
    before = modeller.calls()
    report = report_of(modeller.continued(thread))
    again = modeller.calls() - before
    assert report.sections
    sections = [call for call in modeller.calls() if call.startswith("WrittenSection")]
    repeated = {call for call in sections if before[call] and again[call]}
    assert len(repeated) == 1 and all(modeller.calls()[call] == 1 for call in sections if call not in repeated)


def test_u6_one_run_at_a_time(modeller: Analyst) -> None:
    assert modeller.model is not None
    modeller.model.script("PlanDraft", hangs(30))
    thread = modeller.start()
    _until(modeller, thread, "make_plan")
    with pytest.raises(RunInProgress):
        research.continue_run(modeller.app, modeller.user, thread)
    with pytest.raises(RunInProgress):
        research.delete(modeller.app, modeller.user, thread)
    assert research.find(modeller.app, modeller.user, thread).status == "running"
    research.stop(modeller.app, modeller.user, thread)
    failed_by(modeller.follow(thread))


def test_u6_two_tabs_that_continue_at_once_make_one_run(modeller: Analyst) -> None:
    assert modeller.model is not None
    modeller.model.script("WrittenSection", fails(400, "bad_request"))
    thread = modeller.start()
    failed_by(modeller.follow(thread))
    outcomes: list[str] = []

    def press() -> None:
        try:
            research.continue_run(modeller.app, modeller.user, thread)
            outcomes.append("running")
        except RunInProgress:
            outcomes.append("refused")

    tabs = [threading.Thread(target=press) for _ in range(2)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(outcomes) == ["refused", "running"]
    assert report_of(modeller.follow(thread)).version == 1
    assert len(research.reports(modeller.app, modeller.user, thread)) == 1


@pytest.mark.parametrize("way", ["looked at", "continued"])
def test_m1_a_report_that_was_complete_when_its_process_died_is_stored_when_somebody_comes_back(
    modeller: Analyst, way: str
) -> None:
    thread, report = modeller.report()
    with modeller.app.db.as_owner() as c:  # as if it had died between its last checkpoint and the tables
        c.execute("DELETE FROM messages WHERE thread_id = %s AND role = 'assistant'", (thread,))
        c.execute("DELETE FROM research_reports WHERE thread_id = %s", (thread,))
        c.execute("UPDATE runs SET status = 'failed' WHERE thread_id = %s", (thread,))
    assert modeller.model is not None
    modeller.model.requests.clear()
    if way == "continued":
        research.continue_run(modeller.app, modeller.user, thread)
    assert research.find(modeller.app, modeller.user, thread).status == "finished"
    (stored,) = research.reports(modeller.app, modeller.user, thread)
    assert content_of(stored) == content_of(report) and not modeller.model.requests
