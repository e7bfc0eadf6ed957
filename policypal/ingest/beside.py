"""A second process for half of a long document's pages, where there is a core for it (D6)."""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

_PR_SET_PDEATHSIG = 1


def has_core_for_it() -> bool:
    """Whether a fork of this process can work beside it. Elsewhere than on Linux libraries do not survive a fork."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def work_beside(work: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """What ``work`` gives, one JSON value after the other, done by a fork of this process under the limits of its own. Where the
    fork ends early (a limit, a crash), so does this: whoever asked does the rest and meets the same trouble."""
    receiving, sending = os.pipe()
    ours = os.getpid()
    try:
        fork = os.fork()
    except OSError:  # no more processes, or no more memory
        os.close(receiving)
        os.close(sending)
        return iter(())
    if fork == 0:
        _be_the_fork(work, sending, ours)
    os.close(sending)
    return _received(receiving, fork)


def _received(receiving: int, fork: int) -> Iterator[Any]:
    try:
        with os.fdopen(receiving, encoding="ascii") as lines:
            yield from (json.loads(line) for line in lines if line.endswith("\n"))
    finally:
        os.kill(fork, signal.SIGKILL)
        os.waitpid(fork, 0)


def _be_the_fork(work: Callable[[], Iterable[Any]], sending: int, parent: int) -> NoReturn:
    try:
        _end_with(parent)
        with os.fdopen(sending, "w", encoding="ascii") as stream:
            for item in work():
                stream.write(json.dumps(item) + "\n")
                stream.flush()
    finally:
        os._exit(0)


def _end_with(parent: int) -> None:
    """Have the system end this process together with its ``parent``, which may be killed at any moment."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
