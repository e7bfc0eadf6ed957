"""Work that may never end, kept apart from the one who waits for it (W4, M8, U6)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import TypeVar

Value = TypeVar("Value")


def side_by_side(calls: Sequence[Callable[[], Value]], seconds: float) -> list[Future[Value]]:
    """Make the calls at the same time and wait for them, at most so long; their futures in the same order.

    Whoever is not ``done()`` has been abandoned: a name server or a parser that hangs is left behind.
    """
    futures = [started(call, "policypal-web") for call in calls]
    wait(futures, timeout=seconds)
    return futures


def started(work: Callable[[], Value], name: str) -> Future[Value]:
    """``work`` in a daemon thread with the caller's context. Abandoned, it goes on until what it waits for is over, and
    its result is dropped: it does not keep the process alive."""
    done: Future[Value] = Future()
    context = copy_context()

    def run() -> None:
        try:
            done.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001 - handed to the one who waits, who raises it
            done.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return done
