"""Runs belong to their thread: one at a time, replayed, stoppable, and given back by the dead (U6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from uuid import uuid4

import pytest

from policypal.application.container import Container
from policypal.application.runner import Run, Runner
from policypal.db import conversations
from policypal.domain.users import User
from policypal.errors import InvalidInput, RunInProgress
from policypal.graph.events import Event, ResponseEvent, StatusEvent

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
    assert [e.type for e in run.follow(timeout_seconds=0.3)] == ["status"]
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
    def work(run: Run) -> Iterator[Event]:
        for _ in range(500):
            run.check_stop()
            time.sleep(0.01)
            yield STATUS
        yield response(thread)

    run = start(runner, user, thread, work)
    assert run is not None
    time.sleep(0.05)
    assert runner.stop(user.id, thread)
    last = list(run.follow())[-1]
    assert last.type == "error" and last.code == "run_stopped"
    assert conversations.last_run(app.db, user.id, thread) == (run.run_id, "stopped")


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


def test_u6_the_lease_of_a_dead_process_is_released_at_the_next_start(app: Container, user: User, thread: str) -> None:
    dead = f"{Runner(app.db)._host}:999999999:gone"
    assert conversations.begin_run(app.db, user.id, thread, str(uuid4()), dead)
    assert conversations.running_run(app.db, user.id, thread)
    Runner(app.db).close()
    assert conversations.running_run(app.db, user.id, thread) is None


def test_u6_a_lease_without_heartbeat_is_taken_over(app: Container, runner: Runner, user: User, thread: str) -> None:
    assert conversations.begin_run(app.db, user.id, thread, str(uuid4()), "another-host:1:x")
    with app.db.as_owner() as c:
        c.execute("UPDATE runs SET heartbeat_at = now() - interval '1 hour' WHERE thread_id = %s", (thread,))
    assert start(runner, user, thread, lambda run: iter([response(thread)])) is not None
