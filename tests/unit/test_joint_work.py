"""Work on one thing at one time is done once, whatever becomes of it (W7)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from policypal.concurrency import Joint


def test_w7_everybody_gets_the_result_of_the_one_who_came_first() -> None:
    joint: Joint[int] = Joint()
    done: list[int] = []
    gate = threading.Barrier(6)

    def work() -> int:
        threading.Event().wait(0.1)
        done.append(1)
        return len(done)

    def ask(_: int) -> tuple[int, bool]:
        gate.wait()
        return joint.run("thing", work)

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(ask, range(6)))
    assert [value for value, _ in results] == [1] * 6 and sum(own for _, own in results) == 1
    assert joint.run("thing", work) == (2, True), "afterwards it is done again"
    assert joint.run("another", work) == (3, True)


def test_w7_a_failure_is_everybodys_and_nothing_stays_behind() -> None:
    joint: Joint[int] = Joint()
    begun, end = threading.Event(), threading.Event()

    def fails() -> int:
        begun.set()
        end.wait(5)
        raise ValueError("no")

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(joint.run, "thing", fails)
        begun.wait(2)
        with pytest.raises(TimeoutError):
            joint.run("thing", lambda: 1, 0.05)
        threading.Timer(0.05, end.set).start()
        with pytest.raises(ValueError, match="no"):
            joint.run("thing", lambda: 1)
        with pytest.raises(ValueError, match="no"):
            first.result()
    assert joint.run("thing", lambda: 1) == (1, True)
