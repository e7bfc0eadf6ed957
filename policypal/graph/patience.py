"""Waiting for a stage that may hang, without being held by it (U6: Stop really stops)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from policypal.concurrency import started

Value = TypeVar("Value")

STOP_CHECK_SECONDS = 0.1


def unless_stopped(work: Callable[[], Value], check_stop: Callable[[], None]) -> Value:
    """The result of ``work``; what ``check_stop`` raises ends the waiting at once. Abandoned work can no longer write to
    the thread's state."""
    done = started(work, "policypal-step")
    while True:
        check_stop()
        try:
            return done.result(timeout=STOP_CHECK_SECONDS)
        except TimeoutError:
            if done.done():
                return done.result()
