"""Runs belong to their thread: one at a time, replayed, stoppable, and given back by the dead (U6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from uuid import uuid4

import pytest

from policypal.application import ask
from policypal.application.container import Container
from policypal.application.runner import Run, Runner
from policypal.db import conversations
from policypal.domain.conversations import TraceEntry
from policypal.domain.events import Event, ResponseEvent, StatusEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.errors import InvalidInput, RunInProgress
from tests.support.timeouts import LONGEST_WAIT_SECONDS

STATUS = StatusEvent(node="n", message="m")


@pytest.fixture
def runner(app: Container) -> Iterator[Runner]:
    runner = Runner(app.db)
    yield runner
    runner.close()


@pytest.fixture
def thread(app: Container, user: User) -> str:
    thread_id = str(uuid4())
    assert conversations.create_conversation(app.db, user.id, thread_id)
    return thread_id


def start(runner: Runner, user: User, thread: str, work: object) -> Run | None:
    return runner.start(user.id, thread, str(uuid4()), work, accept=lambda: True)  # type: ignore[arg-type]


def until_stopped(run: Run) -> Iterator[Event]:
    """Works until it is told to stop, ten seconds at most."""
    for _ in range(1000):
        run.check_stop()
        time.sleep(0.01)
        yield STATUS


def response(thread: str) -> ResponseEvent:
    return ResponseEvent(response="done", action="inquire", thread_id=thread)


def test_u6_a_second_run_on_a_busy_thread_is_refused(runner: Runner, user: User, thread: str) -> None:
    gate = threading.Event()

    def work(run: Run) -> Iterator[Event]:
        gate.wait(5)
        yield response(thread)

    run = start(runner, user, thread, work)
    with pytest.raises(RunInProgress):
        start(runner, user, thread, work)
    gate.set()
    assert run is not None
    assert [e.type for e in run.follow()] == ["response"]
    assert start(runner, user, thread, work) is not None, "the lease is given back before the end is told"


def test_u6_events_are_replayed_to_whoever_comes_back(runner: Runner, user: User, thread: str) -> None:
    gate = threading.Event()

    def work(run: Run) -> Iterator[Event]:
        yield STATUS
        gate.wait(5)
        yield response(thread)

    run = start(runner, user, thread, work)
    assert run is not None
    assert [e.type for e in run.follow(timeout_seconds=1.5)] == ["status"]
    gate.set()
    assert [e.type for e in run.follow()] == ["status", "response"]
    again = runner.get(user.id, thread)
    assert again is not None and [e.type for e in again.follow()] == ["status", "response"]


def test_x1_a_run_is_invisible_to_others(runner: Runner, user: User, thread: str) -> None:
    run = start(runner, user, thread, lambda run: iter([response(thread)]))
    assert run is not None
    list(run.follow())
    assert runner.get(str(uuid4()), thread) is None
    assert not runner.stop(str(uuid4()), thread)


def test_u6_stop_ends_the_run_at_its_next_step(runner: Runner, app: Container, user: User, thread: str) -> None:
    run = start(runner, user, thread, until_stopped)
    assert run is not None
    time.sleep(0.05)
    assert runner.stop(user.id, thread)
    last = list(run.follow())[-1]
    assert last.type == "error" and last.code == "run_stopped"
    stage = conversations.stage(app.db, user.id, thread)
    assert stage is not None and (stage.run_id, stage.run_status) == (run.run_id, "stopped")


def test_x4_an_unexpected_failure_becomes_a_typed_error_event(runner: Runner, user: User, thread: str) -> None:
    def work(run: Run) -> Iterator[Event]:
        yield STATUS
        raise ZeroDivisionError("secret detail")

    run = start(runner, user, thread, work)
    assert run is not None
    last = list(run.follow())[-1]
    assert last.type == "error" and last.code == "unexpected"
    assert "secret detail" not in last.model_dump_json()


def test_u6_what_accept_raises_gives_the_lease_back(runner: Runner, user: User, thread: str) -> None:
    def refuse() -> bool:
        raise InvalidInput

    with pytest.raises(InvalidInput):
        runner.start(user.id, thread, str(uuid4()), lambda run: iter([]), accept=refuse)
    assert runner.start(user.id, thread, str(uuid4()), lambda run: iter([]), accept=lambda: False) is None
    assert start(runner, user, thread, lambda run: iter([response(thread)])) is not None


def test_u6_a_refused_click_does_not_take_the_place_of_the_latest_run(
    app: Container, runner: Runner, user: User, thread: str
) -> None:
    run = start(runner, user, thread, lambda run: iter([response(thread)]))
    assert run is not None and [e.type for e in run.follow()] == ["response"]
    assert runner.start(user.id, thread, str(uuid4()), lambda run: iter([]), accept=lambda: False) is None
    stage = conversations.stage(app.db, user.id, thread)
    assert stage is not None and (stage.run_id, stage.run_status) == (run.run_id, "finished")


def test_u6_the_lease_of_a_dead_process_is_released_at_the_next_start(app: Container, user: User, thread: str) -> None:
    dead = f"{Runner(app.db)._host}:999999999:gone"
    assert conversations.begin_run(app.db, user.id, thread, str(uuid4()), dead)
    assert conversations.lease(app.db, user.id, thread)
    Runner(app.db).close()
    assert conversations.lease(app.db, user.id, thread) is None


def test_u6_a_lease_without_heartbeat_is_taken_over(app: Container, runner: Runner, user: User, thread: str) -> None:
    assert conversations.begin_run(app.db, user.id, thread, str(uuid4()), "another-host:1:x")
    with app.db.as_owner() as c:
        c.execute("UPDATE runs SET heartbeat_at = now() - interval '1 hour' WHERE thread_id = %s", (thread,))
    assert start(runner, user, thread, lambda run: iter([response(thread)])) is not None


def test_u6_stop_reaches_a_run_of_another_runner_within_two_seconds(
    runner: Runner, app: Container, user: User, thread: str
) -> None:
    run = start(runner, user, thread, until_stopped)
    assert run is not None
    assert app.runner.get(user.id, thread) is None
    asked = time.monotonic()
    assert app.runner.stop(user.id, thread)
    last = list(run.follow())[-1]
    assert time.monotonic() - asked < 2.5
    assert last.type == "error" and last.code == "run_stopped"
    assert not app.runner.stop(user.id, thread), "there is nothing to stop any more"


def test_u6_a_stop_asked_for_does_not_outlive_its_run(runner: Runner, app: Container, user: User, thread: str) -> None:
    assert conversations.begin_run(app.db, user.id, thread, str(uuid4()), f"{runner._host}:999999999:gone")
    assert conversations.request_stop(app.db, user.id, thread)
    run = start(runner, user, thread, until_stopped)
    assert run is not None
    time.sleep(2.2)
    assert not run.finished and not run.stop_requested
    assert runner.stop(user.id, thread)


def test_u6_a_run_whose_lease_was_taken_over_stops(runner: Runner, app: Container, user: User, thread: str) -> None:
    """Two writers would spoil the thread."""
    run = start(runner, user, thread, until_stopped)
    assert run is not None
    assert conversations.end_run(app.db, user.id, run.run_id, "failed")
    last = list(run.follow(timeout_seconds=5))[-1]
    assert last.type == "error" and last.code == "run_stopped"


def test_u6_a_live_run_keeps_its_lease_alive(
    runner: Runner, app: Container, user: User, thread: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("policypal.application.runner.HEARTBEAT_SECONDS", 0.5)
    run = start(runner, user, thread, until_stopped)
    with app.db.as_owner() as c:
        c.execute("UPDATE runs SET heartbeat_at = now() - interval '1 hour' WHERE thread_id = %s", (thread,))
    time.sleep(2.5)
    held = conversations.lease(app.db, user.id, thread)
    assert run is not None and held is not None and not held.expired
    assert runner.stop(user.id, thread)


def test_u6_finished_runs_are_forgotten_and_the_tables_replay_them(
    app: Container, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process lives for months; answers with their reports are large."""
    threads = [ask.new_thread_id() for _ in range(4)]
    told = [_ask(app, user, thread, "What can you do?") for thread in threads]
    monkeypatch.setattr("policypal.application.runner.KEPT_RUNS", 2)
    app.runner._forget_old()
    assert [app.runner.get(user.id, t) is None for t in threads] == [True, True, False, False]
    monkeypatch.setattr("policypal.application.runner.KEPT_SECONDS", 0.0)
    app.runner._forget_old()
    assert all(app.runner.get(user.id, t) is None for t in threads)

    for thread, events in zip(threads, told, strict=True):
        again = list(ask.events(app, user, thread))
        assert again[-1] == events[-1]
        assert {e.node for e in again[:-1]} == {e.node for e in events[:-1]}  # type: ignore[union-attr]
        assert ask.progress(app, user, thread) == ([], False)


def test_u6_an_open_question_is_replayed_from_the_tables(
    app: Container, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = ask.new_thread_id()
    told = _ask(app, user, thread, "Have a look at it please")
    assert told[-1].type == "interrupt"
    monkeypatch.setattr("policypal.application.runner.KEPT_SECONDS", 0.0)
    app.runner._forget_old()
    assert list(ask.events(app, user, thread))[-1] == told[-1]


def test_u6_the_run_of_another_process_is_followed(app: Container, runner: Runner, user: User, thread: str) -> None:
    """This process answered before; then another one takes the thread up."""
    before = _ask(app, user, thread, "What can you do?")
    gate = threading.Event()

    def work(run: Run) -> Iterator[Event]:
        conversations.add_trace(app.db, user.id, thread, run.run_id, [TraceEntry("node", "retrieve", 0.1)])
        gate.wait(10)
        event = response(thread)
        conversations.finish_run(
            app.db, user.id, thread, run.run_id, "finished", "assistant", "done", event.model_dump(mode="json")
        )
        yield event

    seen = ask.version(app, user, thread)
    assert start(runner, user, thread, work) is not None
    changed = ask.version(app, user, thread)
    assert changed != seen
    steps = list(ask.events(app, user, thread, timeout_seconds=2))
    assert [e.node for e in steps] == ["retrieve"]  # type: ignore[union-attr]
    assert ask.progress(app, user, thread) == (steps, True)
    gate.set()
    assert list(ask.events(app, user, thread, timeout_seconds=5)) == [*steps, response(thread)]
    assert ask.progress(app, user, thread) == ([], False)
    assert ask.version(app, user, thread) not in (seen, changed)
    assert before[-1].type == "response"


def test_u6_the_version_of_a_thread_changes_with_everything_there_is_to_show(app: Container, user: User) -> None:
    thread = ask.new_thread_id()
    assert ask.version(app, user, thread) == ask.version(app, user, "nonsense") == ""
    versions = []

    def look() -> None:
        versions.append(ask.version(app, user, thread))
        assert ask.version(app, user, thread) == versions[-1], "as long as nothing happens it stays"

    assert _ask(app, user, thread, "Have a look at it please")[-1].type == "interrupt"
    look()
    ask.resume(app, user, thread, Answer(type="cancel"))
    list(ask.events(app, user, thread))
    look()
    conversations.rename_conversation(app.db, user.id, thread, "Another name")
    look()
    _ask(app, user, thread, "What can you do?")
    look()
    assert len(set(versions)) == 4 and "" not in versions
    assert ask.version(app, User(id=str(uuid4()), email="other@example.org"), thread) == ""


def _ask(app: Container, user: User, thread: str, message: str) -> list[Event]:
    ask.send(app, user, thread, ask.Request(message=message))
    return list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
