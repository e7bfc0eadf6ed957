"""Waiting for calls that may never end (W4, M8)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import TypeVar

Value = TypeVar("Value")


def side_by_side(calls: Sequence[Callable[[], Value]], seconds: float) -> list[Future[Value]]:
    """Make the calls at the same time and wait for them, at most so long; their futures in the same order.

    They run in daemon threads: one that hangs (a name server, a parser) is left behind, and its result dropped. Whoever
    is not ``done()`` has been abandoned.
    """
    futures = [_started(call) for call in calls]
    wait(futures, timeout=seconds)
    return futures


def _started(call: Callable[[], Value]) -> Future[Value]:
    future: Future[Value] = Future()
    context = copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(call))
        except BaseException as error:  # noqa: BLE001 - handed to the one who waits
            future.set_exception(error)

    threading.Thread(target=run, name="policypal-web", daemon=True).start()
    return future
