"""A run as the tables tell it: of another process, or over for longer than this one remembers (U6).

Another process's steps are known when they are done, because that is when its trace has them.
"""

import time
from collections.abc import Iterator

from pydantic import TypeAdapter

from policypal.application.container import Container
from policypal.db import conversations
from policypal.domain.conversations import Message
from policypal.domain.events import COUNTED, STATUS_MESSAGES, ErrorEvent, Event, ResponseEvent, StatusEvent

LOOK_SECONDS = 0.5
_OUTCOME: TypeAdapter[ResponseEvent | ErrorEvent] = TypeAdapter(ResponseEvent | ErrorEvent)


def steps(app: Container, user_id: str, run_id: str) -> list[Event]:
    """The nodes a run has passed so far, with what they searched the web for and what they have counted."""
    passed = conversations.nodes_passed(app.db, user_id, run_id)
    return [
        StatusEvent(
            node=name, message=STATUS_MESSAGES[name], web_query=detail.get("web_query"),
            counts={k: n for k, n in detail.items() if k in COUNTED} or None,
        )
        for name, detail in passed
        if name in STATUS_MESSAGES
    ]  # fmt: skip


def follow(app: Container, user_id: str, thread_id: str, timeout_seconds: float | None) -> Iterator[Event]:
    """The events of a thread's latest run, as far as they are in the tables; waits until it has ended or the time is over.

    A run that died without an outcome tells no last event.
    """
    stage = conversations.stage(app.db, user_id, thread_id)
    if stage is None or not stage.run_id:
        return
    deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    told = 0
    while True:
        is_live = app.runner.live_run(user_id, thread_id) == stage.run_id
        passed = steps(app, user_id, stage.run_id)
        yield from passed[told:]
        told = len(passed)
        if not is_live:
            break
        if deadline is not None and time.monotonic() >= deadline:
            return
        time.sleep(LOOK_SECONDS)
    last = outcome(app, user_id, thread_id, stage.run_id)
    if last is not None:
        yield last


def outcome(app: Container, user_id: str, thread_id: str, run_id: str) -> Event | None:
    """How a run ended: its answer or error from the history, or the question it left open, even where its process died
    before it could note that it asked."""
    kept = conversations.outcome_of(app.db, user_id, run_id)
    if kept is not None:
        return event_of(kept)
    stage = conversations.stage(app.db, user_id, thread_id)
    if stage is None or stage.run_id != run_id:
        return None
    return app.graph_of(stage.kind).pending(user_id, thread_id)


def event_of(message: Message) -> ResponseEvent | ErrorEvent:
    """The event whose record an answer or an error in the history is."""
    return _OUTCOME.validate_python(message.payload)
