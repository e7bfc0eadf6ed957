"""Work that may never end, kept apart from the one who waits for it (W4, M8, U6)."""

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import Generic, TypeVar

Value = TypeVar("Value")

_STOP_CHECK_SECONDS = 0.1


def side_by_side(calls: Sequence[Callable[[], Value]], seconds: float) -> list[Future[Value]]:
    """Make the calls at the same time and wait for them, at most so long; their futures in the same order.

    Whoever is not ``done()`` has been abandoned: a name server or a parser that hangs is left behind.
    """
    futures = [started(call, "policypal-web") for call in calls]
    wait(futures, timeout=seconds)
    return futures


def few_at_once(calls: Sequence[Callable[[], Value]], most: int, name: str) -> list[Value]:
    """The results of the calls in their order, at most so many made at the same time. After the first that fails no other is begun, and
    its error is raised when those under way are over."""
    results: dict[int, Value] = {}
    waiting, lock = iter(enumerate(calls)), threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number, call = next(waiting, (0, None))
            if call is None:
                return
            try:
                results[number] = call()
            except BaseException:
                with lock:
                    list(waiting)
                raise

    workers = [started(work, name) for _ in range(min(most, len(calls)))]
    wait(workers)
    for worker in workers:
        worker.result()
    return [results[number] for number in range(len(calls))]


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


def unless_stopped(work: Callable[[], Value], check_stop: Callable[[], None]) -> Value:
    """The result of ``work``; what ``check_stop`` raises ends the waiting at once (U6: Stop really stops). Abandoned work can
    no longer write to the thread's state."""
    done = started(work, "policypal-step")
    while True:
        check_stop()
        try:
            return done.result(timeout=_STOP_CHECK_SECONDS)
        except TimeoutError:
            if done.done():
                return done.result()


class Joint(Generic[Value]):
    """Work on the same thing at the same time is done once: whoever comes while it is being done waits for its result."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Future[Value]] = {}

    def run(self, thing: Hashable, work: Callable[[], Value], seconds: float | None = None) -> tuple[Value, bool]:
        """The result of ``work`` and whether it was done here, not by somebody else; what it raises, everybody gets.
        Raises TimeoutError: somebody else's work took longer than ``seconds``."""
        with self._lock:
            others = self._under_way.get(thing)
            own = self._under_way.setdefault(thing, Future())
        if others is not None:
            return others.result(seconds), False
        try:
            own.set_result(work())
        except BaseException as error:  # noqa: BLE001 - handed to all who wait, and raised here
            own.set_exception(error)
        finally:
            with self._lock:
                del self._under_way[thing]
        return own.result(), True
