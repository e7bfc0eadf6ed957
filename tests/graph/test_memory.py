"""Long conversations: summary of the older messages, the last ten verbatim, constant storage (M2, M3)."""

from __future__ import annotations

from typing import Any

import pytest

from policypal.application import ask, conversations
from policypal.application.container import Container
from policypal.domain.events import Event, ResponseEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.openai_server import OpenAIServer, quota_exhausted
from tests.support.timeouts import LONGEST_WAIT_SECONDS

QUESTION = "How long must records be kept?"
HELP = "What can you do?"


def say(app: Container, user: User, thread: str, message: str, *documents: str) -> list[Event]:
    ask.send(app, user, thread, ask.Request(message=message, document_ids=documents))
    told = list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    if told[-1].type == "interrupt":  # the protocol server's vectors are crude
        ask.resume(app, user, thread, Answer(type="retrieval_low", value="continue"))
        told = list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    assert isinstance(told[-1], ResponseEvent), told[-1]
    return told


def owner_of(app: Container, thread: str) -> str:
    with app.db.as_owner() as c:
        row = c.execute("SELECT user_id FROM conversations WHERE thread_id = %s", (thread,)).fetchone()
    assert row is not None
    return str(row["user_id"])


def state_of(app: Container, thread: str) -> dict[str, Any]:
    graph = app.agent._graph.compile(checkpointer=app.checkpoints.saver(owner_of(app, thread)))
    return dict(graph.get_state({"configurable": {"thread_id": thread}}).values)


def kept_contents(app: Container, thread: str) -> list[str]:
    return [m["content"] for m in state_of(app, thread)["messages"]]


def told_messages(app: Container, user: User, thread: str) -> list[str]:
    return [
        m.content for m in conversations.history(app, user, thread).messages if m.role in ("user", "assistant")
    ]  # fmt: skip


def tasks_of(app: Container, user: User, thread: str, kind: str = "task") -> list[str]:
    traces = conversations.history(app, user, thread).traces
    return [e.name for entries in traces.values() for e in entries if e.kind == kind]


def test_m3_older_messages_become_a_summary_at_17_and_27_messages(any_app: Container, any_user: User) -> None:
    document = add_text(any_app, any_user, "Records Rule", RECORDS_RULE)
    thread = ask.new_thread_id()
    for turn in range(1, 15):
        told = say(
            any_app, any_user, thread, QUESTION if turn == 1 else f"{HELP} {turn}", *([document.id] * (turn == 1))
        )
        state = state_of(any_app, thread)
        # earlier messages: 16 when turn 9 begins, 26 when turn 14 begins
        expected = 0 if turn < 9 else 6 if turn < 14 else 16
        assert state.get("summarized_messages", 0) == expected, turn
        assert len(state["messages"]) == 2 * turn - expected
        assert [e.node for e in told if e.type == "status"].count("remember") == (turn in (9, 14))
    assert tasks_of(any_app, any_user, thread).count("summarize_history") == 2
    everything = told_messages(any_app, any_user, thread)
    assert len(everything) == 28
    assert kept_contents(any_app, thread) == everything[-12:], "what is forgotten by the graph stays in the history"
    assert state["conversation_docs"] == {"Records Rule": document.id}


def test_m3_the_keyless_summary_names_the_documents_and_the_requests(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    thread = ask.new_thread_id()
    for turn in range(9):
        say(app, user, thread, f"{QUESTION} {turn}", document.id)
    summary = state_of(app, thread)["conversation_summary"]
    assert "* Records Rule" in summary
    assert [f"{QUESTION} {turn}" in summary for turn in range(4)] == [True, True, True, False]


def test_m3_tasks_are_sent_the_summary_and_the_last_ten_messages(
    model_app: Container, model_server: OpenAIServer, any_model_user: User
) -> None:
    user = any_model_user
    document = add_text(model_app, user, "Records Rule", RECORDS_RULE)
    thread = ask.new_thread_id()
    for turn in range(8):
        say(model_app, user, thread, f"{HELP} {turn:03}")
    model_server.reset()
    model_server.on("HistorySummary", lambda request: {"summary": "They asked about abilities."})
    say(model_app, user, thread, QUESTION, document.id)
    (request,) = model_server.requests_for("HistorySummary")
    given = str(request.messages)
    assert [f"{HELP} {turn:03}" in given for turn in range(4)] == [True, True, True, False]
    (answer,) = model_server.requests_for("Answer")
    sent = str(answer.messages)
    assert "summary: They asked about abilities." in sent
    assert [f"{HELP} {turn:03}" in sent for turn in range(8)] == [False] * 3 + [True] * 5


def test_m3_a_summary_that_a_model_fails_at_is_made_by_the_rules(
    model_app: Container, model_server: OpenAIServer, any_model_user: User
) -> None:
    user, thread = any_model_user, ask.new_thread_id()
    for turn in range(8):
        say(model_app, user, thread, f"{HELP} {turn}")
    model_server.script("HistorySummary", quota_exhausted())
    response = say(model_app, user, thread, f"{HELP} 8")[-1]
    assert isinstance(response, ResponseEvent)
    assert any("summarising the conversation so far" in notice for notice in response.notices)
    state = state_of(model_app, thread)
    assert state["conversation_summary"]
    assert (state["summarized_messages"], len(state["messages"])) == (6, 12)
    assert kept_contents(model_app, thread) == told_messages(model_app, user, thread)[-12:]


def test_m2_the_agents_memory_of_a_thread_does_not_grow(app: Container, user: User) -> None:
    document = add_text(app, user, "Records Rule", RECORDS_RULE)
    thread = ask.new_thread_id()
    sizes = []
    for _ in range(20):
        say(app, user, thread, QUESTION, document.id)
        with app.db.as_owner() as c:
            rows = [
                c.execute(f"SELECT sum(pg_column_size(t.*)) AS n FROM {t} t WHERE thread_id = %s", (thread,)).fetchone()
                for t in ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
            ]
        sizes.append(sum(int(row["n"] or 0) for row in rows if row))
    assert max(sizes[9:]) <= 1.2 * max(sizes[:9]), sizes


@pytest.fixture
def any_model_user(model_app: Container, model_server: OpenAIServer) -> User:
    from uuid import uuid4

    from policypal.db import users

    model_server.reset()
    someone = User(id=str(uuid4()), email="someone@example.org")
    users.ensure_user(model_app.db, someone)
    return someone
