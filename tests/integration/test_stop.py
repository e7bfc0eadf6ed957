"""Stop really stops, even while a provider does not answer, and never spoils the thread (U6)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from uuid import uuid4

import pytest

from policypal.application import ask, conversations
from policypal.application.container import Container, local_analyst
from policypal.db import usage, users
from policypal.domain.events import ErrorEvent, Event, ResponseEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.errors import RunInProgress
from tests.support.cli import Cli
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.openai_server import API_KEY, EMBEDDINGS, OpenAIServer, hangs
from tests.support.timeouts import LONGEST_WAIT_SECONDS

PROMPT_SECONDS = 2.0
QUESTION = "How long must records be kept?"


@pytest.fixture
def someone(model_app: Container, model_server: OpenAIServer) -> User:
    user = User(id=str(uuid4()), email="someone@example.org")
    users.ensure_user(model_app.db, user)
    model_server.reset()
    return user


def wait_until(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def follow(app: Container, user: User, thread: str) -> Event:
    return list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))[-1]


def answered(app: Container, user: User, thread: str, event: Event) -> ResponseEvent:
    if event.type == "interrupt":
        ask.resume(app, user, thread, Answer(type="retrieval_low", value="continue"))
        event = follow(app, user, thread)
    assert isinstance(event, ResponseEvent), event
    return event


@pytest.mark.parametrize("hanging", ["Route", "Answer", EMBEDDINGS])
def test_u6_stop_during_a_hanging_call_ends_the_run_and_keeps_the_thread_whole(
    model_app: Container, model_server: OpenAIServer, someone: User, hanging: str
) -> None:
    document = add_text(model_app, someone, "Records Rule", RECORDS_RULE)
    thread = ask.new_thread_id()
    model_server.reset()
    model_server.script(hanging, hangs(3))
    ask.send(model_app, someone, thread, ask.Request(message=QUESTION, document_ids=(document.id,)))
    wait_until(lambda: model_server.requests_for(hanging) or not ask.progress(model_app, someone, thread)[1])
    if ask.pending(model_app, someone, thread) is not None:  # asked about weak evidence before the answer
        ask.resume(model_app, someone, thread, Answer(type="retrieval_low", value="continue"))
        wait_until(lambda: model_server.requests_for(hanging))
    pressed = time.monotonic()
    assert ask.stop(model_app, someone, thread)
    event = follow(model_app, someone, thread)
    assert time.monotonic() - pressed < PROMPT_SECONDS
    assert isinstance(event, ErrorEvent) and event.code == "run_stopped"
    assert ask.pending(model_app, someone, thread) is None

    # at once, while the abandoned call still hangs
    ask.send(model_app, someone, thread, ask.Request(message=f"{QUESTION} Again.", document_ids=(document.id,)))
    answered(model_app, someone, thread, follow(model_app, someone, thread))
    time.sleep(3.2)  # the late reply has come by now
    roles = [m.role for m in conversations.history(model_app, someone, thread).messages if m.role != "pal_assist"]
    assert roles == ["user", "error", "user", "assistant"]
    graph = model_app.agent._graph.compile(checkpointer=model_app.checkpoints.saver(someone.id))
    state = graph.get_state({"configurable": {"thread_id": thread}})
    assert [m["role"] for m in state.values["messages"]][-2:] == ["user", "assistant"]
    assert not state.next


def test_m7_an_abandoned_call_is_paid_for_and_therefore_counted(
    model_app: Container, model_server: OpenAIServer, someone: User
) -> None:
    thread = ask.new_thread_id()
    model_server.script("Route", hangs(1))
    ask.send(model_app, someone, thread, ask.Request(message=QUESTION))
    wait_until(lambda: model_server.requests_for("Route"))
    ask.stop(model_app, someone, thread)
    assert follow(model_app, someone, thread).type == "error"
    wait_until(lambda: sum(day.calls for day in usage.usage_by_day(model_app.db, someone.id)))
    assert len(model_server.requests) == 1, "and it was the last one"


def test_u6_a_run_of_another_process_is_seen_stopped_and_told(
    model_app: Container, model_server: OpenAIServer, someone: User
) -> None:
    """The command line works on the thread; the application's other process sees it and stops it."""
    analyst = local_analyst(model_app)
    thread = ask.new_thread_id()
    model_server.script("Route", hangs(30))
    keys = {"OPENAI_API_KEY": API_KEY, "OPENAI_BASE_URL": model_server.base_url}
    other = Cli(model_app.settings.data_dir, keys).start("ask", QUESTION, "--thread", thread, "--json")
    try:
        wait_until(lambda: model_server.requests_for("Route"), 60)
        assert ask.progress(model_app, analyst, thread)[1]
        with pytest.raises(RunInProgress):
            ask.send(model_app, analyst, thread, ask.Request(message="Meanwhile"))
        pressed = time.monotonic()
        assert ask.stop(model_app, analyst, thread)
        told = list(ask.events(model_app, analyst, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
        assert time.monotonic() - pressed < PROMPT_SECONDS + 1
        assert isinstance(told[-1], ErrorEvent) and told[-1].code == "run_stopped"
        out, _ = other.communicate(timeout=30)
    finally:
        other.kill()
    assert other.returncode == 1
    assert json.loads(out.splitlines()[-1])["code"] == "run_stopped"
    assert [m.role for m in conversations.history(model_app, analyst, thread).messages] == ["user", "error"]
    assert not ask.stop(model_app, analyst, thread)


@pytest.mark.parametrize("thread", ["", "nonsense", "0b6f0d0e-5a3f-4f5b-9d53-7b1f8f0f6c11"])
def test_u6_there_is_nothing_to_stop_in_an_unknown_conversation(
    model_app: Container, someone: User, thread: str
) -> None:
    assert not ask.stop(model_app, someone, thread)
    assert list(ask.events(model_app, someone, thread)) == []
