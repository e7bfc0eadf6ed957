"""Waiting for work that may hang, without being held by it (U6: Stop really stops)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TypeVar

Value = TypeVar("Value")

STOP_CHECK_SECONDS = 0.1


def unless_stopped(work: Callable[[], Value], check_stop: Callable[[], None]) -> Value:
    """The result of ``work``; what ``check_stop`` raises ends the waiting at once.

    ``work`` runs in a daemon thread with the caller's context. Abandoned, it goes on until its current request to a
    provider is over, and its result is dropped: it can neither write to the thread's state nor keep the process alive.
    """
    done: Future[Value] = Future()
    context = copy_context()

    def run() -> None:
        try:
            done.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
            done.set_exception(error)

    threading.Thread(target=run, name="policypal-step", daemon=True).start()
    while True:
        check_stop()
        try:
            return done.result(timeout=STOP_CHECK_SECONDS)
        except TimeoutError:
            if done.done():
                return done.result()
