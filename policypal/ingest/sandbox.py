"""Runs the reading of untrusted files in a process of its own, with limits (D6, D7).

A child is told what to do as one JSON line on its standard input (a password never shows in the process list) and
answers with JSON lines, the last of which says whether it can take another order. Its environment holds no secrets.
"""

import atexit
import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from policypal import errors
from policypal.ingest.document import ExtractionLimits

Obstacle = Callable[[], Exception | None]
"""Why work should not go on: an exception to end it with, or None. Asked once a second, from another thread."""

LOOK_SECONDS = 1.0
NICENESS = 10
"""How much processes in the background give way to the interface and the database, in the system's units (0 to 19)."""


def no_obstacle() -> None:
    """Nothing stands in the way but the clock."""


class Supervisor:
    """Watches one process from its start until :meth:`stop`; ``kill`` has to end it at once.

    ``expired`` says that its ``seconds`` (of wall-clock time) were over, ``obstacle`` why else it was ended.
    """

    def __init__(self, kill: Callable[[], None], seconds: float, obstacle: Obstacle = no_obstacle) -> None:
        self.expired = False
        self.obstacle: Exception | None = None
        self._kill = kill
        self._deadline = time.monotonic() + seconds
        self._look = obstacle
        self._over = threading.Event()
        threading.Thread(target=self._watch, name="supervisor", daemon=True).start()

    @property
    def intervened(self) -> bool:
        return self.expired or self.obstacle is not None

    def stop(self) -> None:
        """The process is no longer to be touched."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(max(0.0, min(LOOK_SECONDS, self._deadline - time.monotonic()))):
            self.expired = time.monotonic() >= self._deadline
            self.obstacle = None if self.expired else self._look()
            if self.intervened and not self._over.is_set():
                self._kill()
                return


Message = dict[str, Any]

_CHILD = "policypal.ingest.child"
ROOT = Path(__file__).resolve().parents[2]
_KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "TEMP", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
# How pdfium ends when it cannot get memory (abort, trap), and what the limits themselves send.
_LIMIT_SIGNALS = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGXCPU", "SIGABRT", "SIGTRAP", "SIGILL") if hasattr(signal, name)
)
MAX_IDLE = 3
_log = logging.getLogger(__name__)


def converse(
    task: str, request: Mapping[str, Any], limits: ExtractionLimits, obstacle: Obstacle = no_obstacle
) -> Iterator[Message]:
    """Have a child process do ``task`` and yield its messages as they come, the last one excluded. Raises
    DocumentRejected: one of its kinds, as the child found it, ExtractionLimit when it was stopped for its time or
    memory, DamagedDocument when it crashed; Exception: the ``obstacle``, if there came to be one."""
    pool = _INTERACTIVE if task in ("render", "title") else _BACKGROUND
    child = pool.take()
    clean = False
    supervisor = Supervisor(child.process.kill, limits.seconds, obstacle)
    try:
        _send(child.process, {"task": task, "limits": asdict(limits), **request})
        assert child.process.stdout is not None
        for line in child.process.stdout:
            message: Message = json.loads(line)
            if message.get("done"):
                clean = bool(message["again"])
                return
            if "error" in message:
                raise getattr(errors, message["error"])(message["message"])
            yield message
        raise supervisor.obstacle or child.post_mortem(supervisor.expired)
    finally:
        supervisor.stop()
        if clean and not supervisor.intervened:
            pool.give_back(child)
        else:
            child.close()


def clean_environment() -> dict[str, str]:
    """What programs that handle untrusted files need to know of this process's environment; no secrets (X3)."""
    return {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}


class _Child:
    """A started reading process that has loaded its modules, or is about to, and waits for its order."""

    def __init__(self, niceness: int = 0) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child
        self.process = subprocess.Popen(
            [sys.executable, "-m", _CHILD, str(niceness)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**clean_environment(), "PYTHONPATH": str(ROOT)},
        )

    def post_mortem(self, expired: bool) -> errors.PolicyPalError:
        """What to say about a process that ended without a last word."""
        returncode = self.process.wait()
        self._stderr.seek(0)
        _log.warning("The reading process ended with %s: %s", returncode, self._stderr.read()[-500:])
        if expired or -returncode in _LIMIT_SIGNALS:
            return errors.ExtractionLimit()
        return errors.DamagedDocument(
            "This file is damaged: reading it failed. Please obtain it again from its source."
        )

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._stderr):
            # Closing the standard input flushes it, into a pipe that nobody reads any more.
            with contextlib.suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()


class _Pool:
    """Children that finished their last order cleanly and wait for another: starting one takes longer than reading a
    short document does. One that refused, failed or was stopped is never used again."""

    def __init__(self, niceness: int) -> None:
        self._niceness = niceness
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._owner = os.getpid()

    def take(self) -> _Child:
        with self._lock:
            if self._owner != os.getpid():  # after a fork the pipes belong to the parent
                self._idle, self._owner = [], os.getpid()
            while self._idle:
                child = self._idle.pop()
                if child.process.poll() is None:
                    return child
                child.close()
        return _Child(self._niceness)

    def give_back(self, child: _Child) -> None:
        with self._lock:
            if len(self._idle) < MAX_IDLE and self._owner == os.getpid():
                self._idle.append(child)
                return
        child.close()

    def close(self) -> None:
        with self._lock:
            while self._idle and self._owner == os.getpid():
                self._idle.pop().close()


# Somebody waits for a page's picture; everything else gives way to the interface.
_INTERACTIVE = _Pool(0)
_BACKGROUND = _Pool(NICENESS)
atexit.register(_INTERACTIVE.close)
atexit.register(_BACKGROUND.close)


def _send(process: subprocess.Popen[bytes], order: Message) -> None:
    assert process.stdin is not None
    # A child that died at once is diagnosed from how it ended, not from the pipe it left.
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
