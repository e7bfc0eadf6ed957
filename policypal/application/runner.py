"""Process-level runs (U6): a run belongs to its thread, not to the browser tab that started it.

One run per thread (a lease row decides, also between processes); its events are kept and replayed to whoever comes
back; stopping takes effect within a moment, even while a provider does not answer, and from whatever process it is asked
for.
"""

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
from policypal.domain.events import Event, StatusEvent, error_event
from policypal.errors import PolicyPalError, RunInProgress, RunInterrupted, RunStopped

logger = logging.getLogger(__name__)

Work = Callable[["Run"], Iterator[Event]]
HEARTBEAT_SECONDS = 5.0
STOP_LOOK_SECONDS = 1.0
"""How often a process with live runs looks whether another one has asked to stop them."""
MAX_RUNS = 8
KEPT_RUNS = 100
KEPT_SECONDS = 600.0
"""How many finished runs are kept to be replayed, and for how long; afterwards the tables tell how they ended."""


@dataclass
class Run:
    """A run and everything it has told so far. ``events`` only grows; guarded by ``changed``. ``finished_at`` is of
    the monotonic clock."""

    run_id: str
    user_id: str
    thread_id: str
    events: list[Event] = field(default_factory=list)
    finished: bool = False
    finished_at: float = float("inf")
    stop_requested: bool = False
    lease_returned: bool = False
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

    def told(self) -> tuple[list[Event], bool]:
        """The events so far, and whether the run is still working. Whoever has heard the end need not wait for what the run
        puts in order after it."""
        with self.changed:
            return list(self.events), self._is_working()

    def wait(self, timeout_seconds: float) -> bool:
        """Wait until the run has told its end, at most so long; whether it has."""
        with self.changed:
            return self.changed.wait_for(lambda: not self._is_working(), timeout_seconds)

    def _is_working(self) -> bool:
        return not self.finished and (not self.events or isinstance(self.events[-1], StatusEvent))

    def check_stop(self) -> None:
        """Raises RunStopped: the person asked to stop."""
        if self.stop_requested:
            raise RunStopped


class Runner:
    """Starts runs in threads of this process and remembers the latest run of each thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._host = socket.gethostname()
        started = int(psutil.Process().create_time())
        self._owner = f"{self._host}:{os.getpid()}:{started}:{uuid4().hex[:8]}"
        self._runs: dict[str, Run] = {}
        self._held: set[str] = set()  # ids of the runs whose lease this runner holds
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=MAX_RUNS, thread_name_prefix="policypal-run")
        self._closing = threading.Event()
        self._release_dead()
        threading.Thread(target=self._heartbeat, name="policypal-heartbeat", daemon=True).start()

    def start(self, user_id: str, thread_id: str, run_id: str, work: Work, *, accept: Callable[[], bool]) -> Run | None:
        """Take the thread's lease, let ``accept`` record the input under it, and start ``work``.

        None if ``accept`` says that the input was recorded before. What ``accept`` raises gives the lease back. Raises
        RunInProgress: the thread has a live run, here or in another process; RunInterrupted: the application is
        closing; the input is recorded and its run counts as lost."""
        run = Run(run_id, user_id, thread_id)
        accepted = started = False
        self._held.add(run_id)
        try:
            self._take_lease(run)
            accepted = accept()
            if accepted:
                self._submit(run, work)
                started = True
        finally:
            if not started:
                # a refused click must not pass for the thread's latest run: its tabs follow that one
                self._end(run, "stopped" if accepted else None)
        return run if started else None

    def _submit(self, run: Run, work: Work) -> None:
        with self._lock:
            self._runs[run.thread_id] = run
        self._forget_old()
        try:
            self._pool.submit(self._execute, run, work)
        except RuntimeError as error:  # it takes nothing any more: the application is closing
            self._finish(run)
            raise RunInterrupted from error

    def _take_lease(self, run: Run) -> None:
        """Twice at most: a lease of a process that is gone is given back by :meth:`live_run`."""
        for _ in range(2):
            if conversations.begin_run(self._db, run.user_id, run.thread_id, run.run_id, self._owner):
                return
            if self.live_run(run.user_id, run.thread_id) is not None:
                break
        run.lease_returned = True  # there was none to return
        raise RunInProgress

    def live_run(self, user_id: str, thread_id: str) -> str | None:
        """The id of the thread's live run, in whatever process. The lease of a run that has died is given back first."""
        held = conversations.lease(self._db, user_id, thread_id)
        if held is None or held.run_id in self._held:
            return held.run_id if held else None
        if not held.expired and held.owner != self._owner and self._is_alive(held.owner):
            return held.run_id
        conversations.end_run(self._db, user_id, held.run_id, "failed")
        return None

    def get(self, user_id: str, thread_id: str) -> Run | None:
        """The thread's latest run in this process, if it is this user's and not long over."""
        with self._lock:
            run = self._runs.get(thread_id)
        return run if run is not None and run.user_id == user_id else None

    def stop(self, user_id: str, thread_id: str) -> bool:
        """Ask the thread's run to stop, in whatever process it works; False if none does."""
        run = self.get(user_id, thread_id)
        is_here = run is not None and not run.finished
        if run is not None and is_here:
            run.stop_requested = True
            if not run.lease_returned:
                return True
        if self.live_run(user_id, thread_id) is None:
            return is_here
        return conversations.request_stop(self._db, user_id, thread_id) or is_here

    def close(self) -> None:
        """Wait for running runs; they end by themselves or at their next step."""
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.stop_requested = not run.finished
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._closing.set()
        for run in runs:
            if not run.finished:  # it was waiting for a free thread
                self._end(run, "failed")
                run.publish(error_event(RunInterrupted(), run.thread_id))
                self._finish(run)

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
            self._end(run, "failed")
            self._finish(run)

    def _finish(self, run: Run) -> None:
        with run.changed:
            run.finished = True
            run.finished_at = time.monotonic()
            run.changed.notify_all()

    def _end(self, run: Run, status: str | None) -> None:
        """Give the lease back, once; without a status, as if there had been no run."""
        if run.lease_returned:
            self._held.discard(run.run_id)
            return
        try:
            if status is None:
                conversations.withdraw_run(self._db, run.user_id, run.run_id)
            else:
                conversations.end_run(self._db, run.user_id, run.run_id, status)
            run.lease_returned = True
        except PolicyPalError:
            logger.exception("the end of run %s could not be recorded; the next look at its thread does it", run.run_id)
        self._held.discard(run.run_id)

    def _heartbeat(self) -> None:
        renewed = time.monotonic()
        while not self._closing.wait(STOP_LOOK_SECONDS):
            self._forget_old()
            is_due = time.monotonic() - renewed >= HEARTBEAT_SECONDS
            if self._look_after_runs(renew=is_due) and is_due:
                renewed = time.monotonic()

    def _look_after_runs(self, *, renew: bool) -> bool:
        """Renew the leases, and stop what another process asks to stop; False if the database did not answer."""
        with self._lock:
            live = [run for run in self._runs.values() if run.run_id in self._held]
        if not live:
            return True
        try:
            held = conversations.held_runs(self._db, [run.run_id for run in live], renew=renew)
        except PolicyPalError:
            logger.warning("the heartbeat of %d run(s) failed; trying again", len(live))
            return False
        for run in live:
            # not there: taken over while this process was held up; two writers would spoil the thread
            if held.get(run.run_id, not run.lease_returned):
                run.stop_requested = True
        return True

    def _forget_old(self) -> None:
        """Bound what is remembered: answers with their reports are large, and a process lives for months."""
        oldest = time.monotonic() - KEPT_SECONDS
        with self._lock:
            finished = sorted((r for r in self._runs.values() if r.finished), key=lambda run: run.finished_at)
            for number, run in enumerate(reversed(finished)):
                if number >= KEPT_RUNS or run.finished_at < oldest:
                    del self._runs[run.thread_id]

    def _release_dead(self) -> None:
        """Give back the leases of processes of this machine that are gone, so that nobody waits for them."""
        owners = conversations.running_owners(self._db, f"{self._host}:")
        conversations.release_owned_runs(self._db, [o for o in owners if self._is_alive(o)], f"{self._host}:")

    def _is_alive(self, owner: str) -> bool:
        """Whether a lease's owner may still be running; of another machine's processes nothing is known."""
        host, pid, started, *_ = [*owner.split(":"), "", ""]
        if host != self._host:
            return True
        try:
            process = psutil.Process(int(pid))
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            # a container's processes get the same ids again after a restart; clocks are set by less than a minute
            return not started.isdigit() or abs(process.create_time() - int(started)) < 60
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            return True
