"""What remains of a run: the answer in the history, its trace, its cost, its report (M1, M5, M7, A5)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from policypal.application import pair_decisions, triage
from policypal.application.budget import account_of
from policypal.application.container import Container
from policypal.application.runner import Run
from policypal.db import audits, conversations, research, users
from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import Document
from policypal.domain.events import ErrorEvent, Event, InterruptEvent, ResponseEvent, error_event
from policypal.domain.interrupts import Answer
from policypal.domain.users import User
from policypal.errors import BudgetExceeded, ModelError, PolicyPalError, RunInterrupted, RunStopped
from policypal.graph.context import RunContext
from policypal.llm.task import TaskResult
from policypal.request.conversation_titles import UNTITLED, title_of_words

if TYPE_CHECKING:
    from policypal.graph.thread_graph import Standing

logger = logging.getLogger(__name__)


class Recorder:
    """Writes a run's trace while it happens, so that it is complete even if the run dies (M5).

    The run does not wait for its trace: entries are written beside it, those of a few hundredths of a second together.
    """

    GATHER_SECONDS = 0.05

    def __init__(self, app: Container, run: Run) -> None:
        self._app = app
        self._run = run
        self._waiting: list[TraceEntry] = []
        self._lock = threading.Lock()
        self._scheduled = False
        self._closing = threading.Event()
        self._writer: ThreadPoolExecutor | None = ThreadPoolExecutor(1, thread_name_prefix="policypal-trace")

    def trace(self, entry: TraceEntry) -> None:
        with self._lock:
            self._waiting.append(entry)
            writer = self._writer
            if writer is not None and not self._scheduled:
                self._scheduled = True
                writer.submit(self._write_soon)
        if writer is None:  # a step that was abandoned when the run was stopped
            self._write()

    def close(self) -> None:
        """Return when everything is written. Raises DatabaseUnavailable: it could not be."""
        with self._lock:
            writer, self._writer = self._writer, None
        self._closing.set()
        if writer is not None:
            writer.shutdown(wait=True)
        self._write()

    def _write_soon(self) -> None:
        self._closing.wait(self.GATHER_SECONDS)
        self._write()

    def _write(self) -> None:
        with self._lock:
            entries, self._waiting, self._scheduled = self._waiting, [], False
        try:
            conversations.add_trace(self._app.db, self._run.user_id, self._run.thread_id, self._run.run_id, entries)
        except PolicyPalError:
            with self._lock:
                self._waiting = entries + self._waiting  # closing tries once more, and says so if it fails
            raise
        except Exception:
            logger.exception("the trace of run %s is incomplete", self._run.run_id)
            raise

    def task(self, name: str, result: TaskResult[object]) -> None:  # type: ignore[type-var]
        self.trace(
            TraceEntry(
                "task",
                name,
                result.seconds,
                {
                    "engine": result.engine,
                    "model": result.model,
                    "prompt_version": result.prompt_version,
                    "tokens": result.usage.tokens,
                    "cost_usd": str(result.usage.cost_usd),
                },
            )
        )


def _context(
    app: Container, run: Run, recorder: Recorder, library: Sequence[Document], *, without_model: bool
) -> RunContext:
    return RunContext(
        user_id=run.user_id,
        thread_id=run.thread_id,
        run_id=run.run_id,
        profile=users.load_profile(app.db, run.user_id),
        library=library,
        recorder=recorder,
        check_stop=run.check_stop,
        tell=run.publish,
        account=account_of(app, run.user_id, run.thread_id, run.run_id),
        without_model=without_model,
    )


def recorded(
    app: Container, run: Run, library: Sequence[Document], work: Callable[[RunContext], Iterator[Event]], *,
    without_model: bool, name_after: str | None = None,
) -> Iterator[Event]:  # fmt: skip
    """Pass the events of ``work`` on; keep the outcome, after its trace, before anybody sees it. A conversation without a name gets
    one once the event is told: after what was resolved, else after the words of the message ``name_after``. An answer or a
    question that is there is told, however late a stop came. ``library``: the user's documents when the run began."""
    recorder = Recorder(app, run)
    stream = work(_context(app, run, recorder, library, without_model=without_model))
    try:
        for event in stream:
            recorder.close()
            if isinstance(event, ResponseEvent):
                event = _keep_response(app, run, event)
            yield event
            if name_after is not None:
                _name_conversation(app, run, event, name_after)
    except PolicyPalError as error:
        recorder.close()
        _keep_error(app, run, error)
        if name_after is not None and isinstance(error, RunStopped | ModelError | BudgetExceeded):
            _name_conversation(app, run, None, name_after)
        raise
    except Exception:
        recorder.close()
        _keep_error(app, run, PolicyPalError())  # a bug must not leave a message without an outcome
        raise


def recover(app: Container, user_id: str, thread_id: str, standing: Standing) -> bool:
    """Store an answer that was complete when its process died just before storing it; False if there is none.

    Called when the thread has no live run, or under its lease. Doing it twice changes nothing.
    """
    if standing.answer is None or not standing.run_id or _is_kept(app, user_id, standing.run_id):
        return False
    event = _with_report(app, user_id, standing.run_id, standing.answer)
    return conversations.add_message(
        app.db,
        user_id,
        thread_id,
        "assistant",
        event.response,
        run_id=standing.run_id,
        payload=event.model_dump(mode="json"),
        idempotency_key=conversations.answer_key(standing.run_id),
    )


def _is_kept(app: Container, user_id: str, run_id: str) -> bool:
    return conversations.message_exists(app.db, user_id, conversations.answer_key(run_id))


def note_answer(
    app: Container, user_id: str, thread_id: str, run_id: str, question: InterruptEvent, answer: Answer
) -> None:
    """Keep the question and its answer as a small note in the history (U2)."""
    labels = {o.id: o.label for o in question.options or []}
    own_words = "Started with changes" if answer.type == "plan_approval" else None
    told = ", ".join(labels.get(v, own_words or v) for v in answer.values)
    said = "Cancelled" if answer.type == "cancel" else told
    conversations.add_message(
        app.db,
        user_id,
        thread_id,
        "pal_assist",
        said,
        run_id=run_id,
        payload={"question": question.model_dump(mode="json"), "answer": answer.model_dump(mode="json")},
        # one note per attempt: an answer whose run died before it took effect is asked for again
        idempotency_key=f"question:{question.interrupt_id}:{run_id}",
    )


def _keep_response(app: Container, run: Run, event: ResponseEvent) -> ResponseEvent:
    """Raises RunInterrupted: another run has taken the thread over meanwhile; the answer would come too late."""
    event = _with_report(app, run.user_id, run.run_id, event)
    if not _finish(app, run, "finished", "assistant", event.response, event):
        raise RunInterrupted
    return event


def _with_report(app: Container, user_id: str, run_id: str, event: ResponseEvent) -> ResponseEvent:
    """The event with its report as stored."""
    if event.research is not None:
        version = research.add_report(app.db, user_id, event.research, run_id)
        return event.model_copy(update={"research": version})
    if event.report is None:
        return event
    stored = audits.find_report(app.db, user_id, event.report.id)
    if stored is None:
        stored = audits.save_report(app.db, user_id, event.report)
        someone = User(user_id, email="")
        stored = pair_decisions.carry_over(app, someone, stored)
        triage.carry_over(app, someone, stored)
    return event.model_copy(update={"report": stored})


def _keep_error(app: Container, run: Run, error: PolicyPalError) -> None:
    event = error_event(error, run.thread_id)
    _finish(app, run, "stopped" if isinstance(error, RunStopped) else "failed", "error", event.message, event)


def _finish(app: Container, run: Run, status: str, role: str, content: str, event: ResponseEvent | ErrorEvent) -> bool:
    """Keep the outcome and give the lease back in one transaction; False if the lease was lost."""
    payload = event.model_dump(mode="json")
    kept = conversations.finish_run(app.db, run.user_id, run.thread_id, run.run_id, status, role, content, payload)
    run.lease_returned = True
    return kept


def _name_conversation(app: Container, run: Run, event: Event | None, message: str) -> None:
    """Nothing that was told depends on it: where the name cannot be kept, the next turn gives one."""
    words = title_of_words(message)
    title = words
    if isinstance(event, ResponseEvent) and not event.cancelled:
        title = event.title or UNTITLED
    try:
        held = conversations.find_conversation(app.db, run.user_id, run.thread_id)
        if held is not None and held.title in (UNTITLED, words) and title not in (UNTITLED, held.title):
            conversations.rename_conversation(app.db, run.user_id, run.thread_id, title)
    except PolicyPalError as error:
        logger.warning("the conversation of run %s could not be named: %s", run.run_id, error.code)
