"""What is left of a run whose process died, and that nobody has to wait for it (U6, M1, M8)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from uuid import uuid4

import psutil
import pytest

from policypal.application import ask, audits, conversations, outcomes
from policypal.application.container import Container
from policypal.application.runner import Run
from policypal.db import audits as audits_db
from policypal.db import conversations as conversations_db
from policypal.db import documents as documents_db
from policypal.db import users
from policypal.domain.documents import Document, DocumentType
from policypal.domain.events import ErrorEvent, Event, InterruptEvent, ResponseEvent, StatusEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.errors import RunInProgress
from policypal.graph.agent.state import Turn
from policypal.graph.context import RunContext
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS

QUESTION = "How long must records be kept?"


@pytest.fixture
def document(app: Container, user: User) -> Document:
    return add_text(app, user, "Records Rule", RECORDS_RULE)


def die_before_storing(app: Container, user: User, thread: str, message: str, *document_ids: str) -> Event:
    """What a process does up to the moment after the graph's last checkpoint, then nothing more: no answer is stored, the
    lease is not given back."""
    stream, recorder = under_way(app, user, thread, message, *document_ids)
    event = list(stream)[-1]
    recorder.close()
    return event


def under_way(
    app: Container, user: User, thread: str, message: str, *document_ids: str
) -> tuple[Iterator[Event], outcomes.Recorder]:
    """The events of a run as they come, outside the runner."""
    conversations_db.create_conversation(app.db, user.id, thread)
    run = begin_dead_run(app, user, thread, message)
    turn = Turn(message_id=str(uuid4()), text=message, clean_query=message, tagged_ids=list(document_ids))
    recorder = outcomes.Recorder(app, run)
    context = RunContext(
        user_id=user.id,
        thread_id=thread,
        run_id=run.run_id,
        profile=users.load_profile(app.db, user.id),
        library=documents_db.list_documents(app.db, user.id),
        recorder=recorder,
        check_stop=run.check_stop,
        tell=run.publish,
    )
    return app.agent.send(turn, context), recorder


def begin_dead_run(app: Container, user: User, thread: str, message: str, owner: str = "") -> Run:
    run = Run(str(uuid4()), user.id, thread)
    assert conversations_db.begin_run(app.db, user.id, thread, run.run_id, owner or f"{app.runner._host}:999999999:0:x")
    conversations_db.add_message(app.db, user.id, thread, "user", message, run_id=run.run_id)
    return run


def send(app: Container, user: User, thread: str, message: str, *document_ids: str) -> Event:
    ask.send(app, user, thread, ask.Request(message=message, document_ids=document_ids))
    return list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]


def roles(app: Container, user: User, thread: str) -> list[str]:
    return [m.role for m in conversations.history(app, user, thread).messages]


def test_u6_an_answer_that_was_complete_is_recovered_at_the_next_look(
    app: Container, user: User, document: Document
) -> None:
    thread = ask.new_thread_id()
    lost = die_before_storing(app, user, thread, QUESTION, document.id)
    assert isinstance(lost, ResponseEvent) and lost.citations
    told = conversations.history(app, user, thread)
    assert not told.lost_run
    assert [m.role for m in told.messages] == ["user", "assistant"]
    assert told.messages[-1].payload == lost.model_dump(mode="json")
    assert told.traces[told.messages[-1].run_id or ""]
    assert conversations.history(app, user, thread).messages == told.messages, "once"


def test_u6_the_next_message_recovers_it_first(app: Container, user: User, document: Document) -> None:
    thread = ask.new_thread_id()
    die_before_storing(app, user, thread, QUESTION, document.id)
    assert send(app, user, thread, "What can you do?").type == "response"
    assert roles(app, user, thread) == ["user", "assistant", "user", "assistant"]


def test_g9_a_question_is_in_the_memory_before_anybody_hears_of_it(app: Container, user: User) -> None:
    """Or a message that is sent in that moment would be taken, and the question lost."""
    thread = ask.new_thread_id()
    stream, recorder = under_way(app, user, thread, "Compare them")
    event = next(e for e in stream if not isinstance(e, StatusEvent))
    assert isinstance(event, InterruptEvent)
    assert app.agent.pending(user.id, thread) == event
    recorder.close()


@pytest.mark.parametrize("report_was_stored", [False, True])
def test_a5_a_recovered_audit_is_stored_once_with_the_findings_that_are_shown(
    app: Container, user: User, report_was_stored: bool
) -> None:
    rule = add_text(app, user, "Records Rule", RECORDS_RULE)
    policy = add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    thread = ask.new_thread_id()
    event = die_before_storing(app, user, thread, "Audit Our Policy against Records Rule", rule.id, policy.id)
    assert isinstance(event, ResponseEvent) and event.report is not None
    if report_was_stored:
        audits_db.save_report(app.db, user.id, event.report)
    for _ in range(2):
        told = conversations.history(app, user, thread)
    (stored,) = audits.list_reports(app, user)
    shown = told.messages[-1].payload["report"]
    assert stored.findings and [f["id"] for f in shown["findings"]] == [f.id for f in stored.findings]


def test_u6_a_question_that_was_asked_is_still_open(app: Container, user: User, document: Document) -> None:
    thread = ask.new_thread_id()
    lost = die_before_storing(app, user, thread, "Compare Records Rule", document.id)
    assert lost.type == "interrupt"
    assert ask.pending(app, user, thread) == lost
    assert not conversations.history(app, user, thread).lost_run
    ask.resume(app, user, thread, Answer(type="cancel"))
    list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    assert roles(app, user, thread) == ["user", "pal_assist", "assistant"]


def test_m8_a_run_that_died_on_the_way_is_shown_as_lost_and_the_thread_is_free(
    app: Container, user: User, document: Document
) -> None:
    thread = ask.new_thread_id()
    assert send(app, user, thread, QUESTION, document.id).type == "response"
    begin_dead_run(app, user, thread, "And the incidents?")
    told = conversations.history(app, user, thread)
    assert told.lost_run
    assert [m.role for m in told.messages] == ["user", "assistant", "user"], "the earlier answer is not given again"
    assert ask.progress(app, user, thread)[1] is False
    assert send(app, user, thread, "What can you do?").type == "response"
    assert roles(app, user, thread) == ["user", "assistant", "user", "user", "assistant"]
    assert not conversations.history(app, user, thread).lost_run


def test_u6_a_lease_without_heartbeat_is_lost_wherever_its_owner_was(app: Container, user: User) -> None:
    thread = ask.new_thread_id()
    conversations_db.create_conversation(app.db, user.id, thread)
    begin_dead_run(app, user, thread, QUESTION, owner="another-host:1:0:x")
    assert not conversations.history(app, user, thread).lost_run
    assert ask.progress(app, user, thread)[1] is True
    with pytest.raises(RunInProgress):
        ask.send(app, user, thread, ask.Request(message=QUESTION))
    with app.db.as_owner() as c:
        c.execute("UPDATE runs SET heartbeat_at = now() - interval '1 hour' WHERE thread_id = %s", (thread,))
    assert conversations.history(app, user, thread).lost_run


@pytest.fixture
def zombie() -> Iterator[psutil.Process]:
    child = subprocess.Popen([sys.executable, "-c", ""])
    process = psutil.Process(child.pid)
    end = time.monotonic() + 20
    while process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
        time.sleep(0.02)
    yield process
    child.wait()


def test_u6_nobody_waits_for_a_process_that_is_gone_a_zombie_or_another_with_its_id(
    app: Container, user: User, zombie: psutil.Process
) -> None:
    gone = f"{app.runner._host}:999999999:0:x"
    not_reaped = f"{app.runner._host}:{zombie.pid}:{int(zombie.create_time())}:x"
    id_used_again = f"{app.runner._host}:{os.getppid()}:1000000000:x"
    for owner in (gone, not_reaped, id_used_again):
        thread = ask.new_thread_id()
        conversations_db.create_conversation(app.db, user.id, thread)
        begin_dead_run(app, user, thread, QUESTION, owner)
        assert send(app, user, thread, "What can you do?").type == "response", owner


def test_u6_a_living_process_keeps_its_thread(app: Container, user: User) -> None:
    parent = psutil.Process(os.getppid())
    thread = ask.new_thread_id()
    conversations_db.create_conversation(app.db, user.id, thread)
    begin_dead_run(
        app, user, thread, QUESTION, f"{app.runner._host}:{parent.pid}:{int(parent.create_time())}:x"
    )  # fmt: skip
    with pytest.raises(RunInProgress):
        ask.send(app, user, thread, ask.Request(message="What can you do?"))


def test_u6_a_run_that_lost_its_lease_leaves_no_second_outcome(app: Container, user: User) -> None:
    thread = ask.new_thread_id()
    conversations_db.create_conversation(app.db, user.id, thread)

    def work(run: Run) -> Iterator[Event]:
        conversations_db.end_run(app.db, user.id, run.run_id, "failed")  # another process took the thread over
        answer = ResponseEvent(response="Too late.", action="inquire", thread_id=thread)
        yield from outcomes.recorded(app, run, [], lambda context: iter([answer]), without_model=True)

    run = app.runner.start(user.id, thread, str(uuid4()), work, accept=lambda: True)
    assert run is not None
    (event,) = run.follow(20)
    assert isinstance(event, ErrorEvent) and event.code == "run_interrupted"
    assert conversations.history(app, user, thread).messages == []


def test_u5_a_question_that_was_saved_when_its_process_died_is_how_its_run_ended(
    app: Container, user: User, document: Document
) -> None:
    thread = str(uuid4())
    asked = die_before_storing(app, user, thread, "Have a look at this rule, please.", document.id)
    assert isinstance(asked, InterruptEvent)
    told = list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    assert [e for e in told if e.type != "status"] == [asked] == told[-1:]
    assert ask.pending(app, user, thread) == asked
