"""``ask``, ``research`` and ``resume``: the events of a run, one line each (G7–G12, W1)."""

import signal
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from uuid import uuid4

from policypal.application import ask as conversation
from policypal.application import library, research, sets
from policypal.application.container import Container
from policypal.cli import EXIT_ERROR, EXIT_QUESTION, EXIT_RESPONSE
from policypal.cli.answers import answer_text, question_text
from policypal.cli.output import Output
from policypal.cli.records import event_record
from policypal.cli.session import application
from policypal.domain.conversations import Action
from policypal.domain.events import ErrorEvent, Event, InterruptEvent, ResponseEvent, StatusEvent
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound, PolicyPalError, RunInterrupted

_EXIT_CODES = {"response": EXIT_RESPONSE, "interrupt": EXIT_QUESTION, "error": EXIT_ERROR}


Talk = ModuleType
"""What the two kinds of threads have in common (``pending``, ``resume``, ``events``, ``stop``): :mod:`policypal.application.ask`
or :mod:`policypal.application.research`."""


def ask(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        thread_id = args.thread or conversation.new_thread_id()
        try:
            conversation.send(app, user, thread_id, _request(app, user, args))
        except PolicyPalError as error:
            out.error(error, thread_id=thread_id)
            return EXIT_ERROR
        return follow(app, user, thread_id, out)


def start(args: Namespace, out: Output) -> int:
    """``research``: a report from the library and the web (section W)."""
    with application(args) as (app, user):
        thread_id = research.start(
            app, user, args.goal, mode=args.mode, idempotency_key=str(uuid4()), without_model=args.without_model,
            document_ids=[library.find_by_title(app, user, title).id for title in args.doc],
        )  # fmt: skip
        out.remark(f"Should this stop before its end: resume {thread_id}")
        return follow(app, user, thread_id, out, research)


def resume(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        try:
            talk = _talk(app, user, args.thread)
            _go_on(app, user, args, talk)
        except PolicyPalError as error:
            out.error(error, thread_id=args.thread)
            return EXIT_ERROR
        return follow(app, user, args.thread, out, talk)


def follow(app: Container, user: User, thread_id: str, out: Output, talk: Talk = conversation) -> int:
    """Tell the run's events until its last one; the exit code. Ctrl-C stops the run at its next step."""
    with _stopping(app, user, thread_id, talk):
        told = ""
        for event in talk.events(app, user, thread_id):
            told = _tell(out, event, told)
            if event.type in _EXIT_CODES:
                return _EXIT_CODES[event.type]
    out.error(RunInterrupted(), thread_id=thread_id)
    return EXIT_ERROR


def _talk(app: Container, user: User, thread_id: str) -> Talk:
    """Which kind of thread this is; an unknown one is left to the chat, which refuses it."""
    try:
        research.find(app, user, thread_id)
    except NotFound:
        return conversation
    return research


def _go_on(app: Container, user: User, args: Namespace, talk: Talk) -> None:
    if args.type is not None:
        question = talk.pending(app, user, args.thread)
        talk.resume(app, user, args.thread, _answer(args, question))
    elif talk is research:
        research.continue_run(app, user, args.thread)
    elif not conversation.version(app, user, args.thread):
        raise NotFound("This conversation does not exist.")
    else:
        raise InvalidInput("Please say with --type which question of this conversation you answer.")


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


def _tell(out: Output, event: Event, told: str) -> str:
    """Tell an event; the remark it made, if any. ``told`` is the one before, which is not made twice."""
    if isinstance(event, ResponseEvent):
        out.show(event_record(event), answer_text(event))
    elif isinstance(event, InterruptEvent):
        out.show(event_record(event), question_text(event))
    elif out.json:
        out.show(event_record(event), "")
    else:
        remark = (
            f"{event.title}: {event.message}" if isinstance(event, ErrorEvent) else f"· {event.message}{_counts(event)}"
        )
        if remark != told:
            out.remark(remark)
        return remark
    return ""


def _counts(event: StatusEvent) -> str:
    """What research has counted so far: " (12 hits, 3 pages)"."""
    counts = [f"{number} {name.replace('_', ' ')}" for name, number in (event.counts or {}).items() if number]
    return f" ({', '.join(counts)})" if counts else ""


@contextmanager
def _stopping(app: Container, user: User, thread_id: str, talk: Talk) -> Iterator[None]:
    """The first signal asks the run to stop, so that it ends with its own last event; the second one is not patient."""

    def on_signal(*_: Any) -> None:
        restore()
        # in a thread of its own: the interrupted code may hold the lock that stopping needs
        threading.Thread(target=talk.stop, args=(app, user, thread_id), daemon=True).start()

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
