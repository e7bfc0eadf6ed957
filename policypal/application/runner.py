"""Process-level runs (U6): a run belongs to its thread, not to the browser tab that started it.

One run per thread (a lease row decides, also between processes); its events are kept and replayed to whoever comes
back; stopping takes effect at the next step of the graph.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from uuid import uuid4

import psutil

from policypal.db import conversations
from policypal.db.pool import Database
from policypal.errors import PolicyPalError, RunInProgress, RunStopped
from policypal.graph.events import Event, StatusEvent, error_event

logger = logging.getLogger(__name__)

Work = Callable[["Run"], Iterator[Event]]
HEARTBEAT_SECONDS = 5.0
MAX_RUNS = 8


@dataclass
class Run:
    """A run and everything it has told so far. ``events`` only grows; guarded by ``changed``."""

    run_id: str
    user_id: str
    thread_id: str
    events: list[Event] = field(default_factory=list)
    finished: bool = False
    stop_requested: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def publish(self, event: Event) -> None:
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    def follow(self, timeout_seconds: float | None = None) -> Iterator[Event]:
        """All events from the first on, waiting for new ones until the run is finished or the time is over."""
        deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        seen = 0
        while True:
            with self.changed:
                while len(self.events) == seen and not self.finished:
                    left = None if deadline is None else deadline - time.monotonic()
                    if left is not None and left <= 0:
                        return
                    self.changed.wait(left)
                fresh, done = self.events[seen:], self.finished
            yield from fresh
            seen += len(fresh)
            if done and seen == len(self.events):
                return

    def check_stop(self) -> None:
        """Raises:
        RunStopped: the person asked to stop.
        """
        if self.stop_requested:
            raise RunStopped


class Runner:
    """Starts runs in threads of this process and remembers the latest run of each thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._host = socket.gethostname()
        self._owner = f"{self._host}:{os.getpid()}:{uuid4().hex[:8]}"
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=MAX_RUNS, thread_name_prefix="policypal-run")
        self._closing = threading.Event()
        self._release_dead()
        threading.Thread(target=self._heartbeat, name="policypal-heartbeat", daemon=True).start()

    def start(self, user_id: str, thread_id: str, run_id: str, work: Work, *, accept: Callable[[], bool]) -> Run | None:
        """Take the thread's lease, let ``accept`` record the input under it, and start ``work``.

        None if ``accept`` says that the input was recorded before. What ``accept`` raises gives the lease back.

        Raises:
            RunInProgress: the thread has a live run, here or in another process.
        """
        if not conversations.begin_run(self._db, user_id, thread_id, run_id, self._owner):
            raise RunInProgress
        accepted = False
        try:
            accepted = accept()
        finally:
            if not accepted:
                conversations.end_run(self._db, user_id, run_id, "stopped")
        if not accepted:
            return None
        run = Run(run_id, user_id, thread_id)
        with self._lock:
            self._runs[thread_id] = run
        self._pool.submit(self._execute, run, work)
        return run

    def get(self, user_id: str, thread_id: str) -> Run | None:
        """The thread's latest run in this process, if it is this user's."""
        with self._lock:
            run = self._runs.get(thread_id)
        return run if run is not None and run.user_id == user_id else None

    def stop(self, user_id: str, thread_id: str) -> bool:
        """Ask the thread's run to stop; False if none is running here."""
        run = self.get(user_id, thread_id)
        if run is None or run.finished:
            return False
        run.stop_requested = True
        return True

    def close(self) -> None:
        """Wait for running runs; they end by themselves or at their next step."""
        with self._lock:
            for run in self._runs.values():
                run.stop_requested = True
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._closing.set()

    def _execute(self, run: Run, work: Work) -> None:
        status = "finished"
        try:
            for event in work(run):
                if not isinstance(event, StatusEvent):
                    status = {"interrupt": "interrupted", "error": "failed"}.get(event.type, "finished")
                    # the lease is given back before anybody hears of the end, so that an immediate reply is welcome
                    self._end(run, status)
                run.publish(event)
        except PolicyPalError as error:
            status = "stopped" if isinstance(error, RunStopped) else "failed"
            self._end(run, status)
            run.publish(error_event(error, run.thread_id))
        except Exception:
            logger.exception("run %s ended unexpectedly", run.run_id)
            self._end(run, "failed")
            run.publish(error_event(PolicyPalError(), run.thread_id))
        finally:
            with run.changed:
                run.finished = True
                run.changed.notify_all()

    def _end(self, run: Run, status: str) -> None:
        try:
            conversations.end_run(self._db, run.user_id, run.run_id, status)
        except PolicyPalError:
            logger.exception("the end of run %s could not be recorded; its lease expires by itself", run.run_id)

    def _heartbeat(self) -> None:
        while not self._closing.wait(HEARTBEAT_SECONDS):
            with self._lock:
                live = [run for run in self._runs.values() if not run.finished]
            for run in live:
                try:
                    conversations.heartbeat_run(self._db, run.user_id, run.run_id)
                except PolicyPalError:
                    logger.warning("the heartbeat of run %s failed; trying again", run.run_id)

    def _release_dead(self) -> None:
        """Give back the leases of processes of this machine that are gone, so that nobody waits for them."""
        owners = conversations.running_owners(self._db, f"{self._host}:")
        alive = [o for o in owners if psutil.pid_exists(int(o.split(":")[1]))]
        conversations.release_owned_runs(self._db, alive, f"{self._host}:")
