"""``ask`` and ``resume``: the events of a run, one line each (G7–G12)."""

from __future__ import annotations

import signal
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from policypal.application import ask as conversation
from policypal.application import library, sets
from policypal.cli import EXIT_ERROR, EXIT_QUESTION, EXIT_RESPONSE
from policypal.cli.answers import answer_text, question_text
from policypal.cli.output import Output
from policypal.cli.records import event_record
from policypal.cli.session import application
from policypal.domain.conversations import Action
from policypal.domain.users import User
from policypal.errors import PolicyPalError, RunInterrupted
from policypal.graph.events import ErrorEvent, Event, InterruptEvent, ResponseEvent
from policypal.graph.interrupts import Answer

if TYPE_CHECKING:
    from policypal.application.container import Container

_EXIT_CODES = {"response": EXIT_RESPONSE, "interrupt": EXIT_QUESTION, "error": EXIT_ERROR}


def ask(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        thread_id = args.thread or conversation.new_thread_id()
        try:
            conversation.send(app, user, thread_id, _request(app, user, args))
        except PolicyPalError as error:
            out.error(error, thread_id=thread_id)
            return EXIT_ERROR
        return follow(app, user, thread_id, out)


def resume(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        try:
            question = conversation.pending(app, user, args.thread)
            conversation.resume(app, user, args.thread, _answer(args, question))
        except PolicyPalError as error:
            out.error(error, thread_id=args.thread)
            return EXIT_ERROR
        return follow(app, user, args.thread, out)


def follow(app: Container, user: User, thread_id: str, out: Output) -> int:
    """Tell the run's events until its last one; the exit code. Ctrl-C stops the run at its next step."""
    with _stopping(app, user, thread_id):
        for event in conversation.events(app, user, thread_id):
            _tell(out, event)
            if event.type in _EXIT_CODES:
                return _EXIT_CODES[event.type]
    out.error(RunInterrupted(), thread_id=thread_id)
    return EXIT_ERROR


def _request(app: Container, user: User, args: Namespace) -> conversation.Request:
    return conversation.Request(
        message=args.message,
        document_ids=tuple(library.find_by_title(app, user, title).id for title in args.doc),
        set_ids=tuple(sets.find_set(app, user, name).id for name in args.set),
        action=Action(args.action) if args.action else None,
        web=args.web,
        without_model=args.without_model,
    )


def _answer(args: Namespace, question: InterruptEvent | None) -> Answer:
    """The answer as typed; an option may be named by its label instead of its id."""
    options = (question.options or []) if question is not None else []
    ids = {o.label.casefold(): o.id for o in options}
    known = {o.id for o in options}
    values = [v if v in known else ids.get(v.strip().casefold(), v) for v in args.value]
    return Answer(type=args.type, value=values[0] if len(values) == 1 else values or None)


def _tell(out: Output, event: Event) -> None:
    if isinstance(event, ResponseEvent):
        out.show(event_record(event), answer_text(event))
    elif isinstance(event, InterruptEvent):
        out.show(event_record(event), question_text(event))
    elif out.json:
        out.show(event_record(event), "")
    elif isinstance(event, ErrorEvent):
        out.remark(f"{event.title}: {event.message}")
    else:
        out.remark(f"· {event.message}")


@contextmanager
def _stopping(app: Container, user: User, thread_id: str) -> Iterator[None]:
    """The first signal asks the run to stop, so that it ends with its own last event; the second one is not patient."""

    def on_signal(*_: Any) -> None:
        restore()
        # in a thread of its own: the interrupted code may hold the lock that stopping needs
        threading.Thread(target=conversation.stop, args=(app, user, thread_id), daemon=True).start()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        restore()
