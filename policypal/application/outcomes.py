"""What remains of a run: the answer in the history, its trace, its cost, its report (M1, M5, M7, A5)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from policypal.application.runner import Run
from policypal.db import audits, conversations, usage
from policypal.domain.conversations import TraceEntry
from policypal.errors import ModelError, PolicyPalError, RunStopped
from policypal.graph.events import Event, InterruptEvent, ResponseEvent, StatusEvent, error_event
from policypal.graph.interrupts import Answer
from policypal.services.llm.task import TaskContext, TaskResult
from policypal.services.llm.tasks.thread_title import THREAD_TITLE, TitleInput

if TYPE_CHECKING:
    from policypal.application.container import Container

logger = logging.getLogger(__name__)


class Recorder:
    """Writes a run's trace and usage while it happens, so that both are complete even if it dies (M5)."""

    def __init__(self, app: Container, run: Run) -> None:
        self._app = app
        self._run = run

    def trace(self, entry: TraceEntry) -> None:
        conversations.add_trace(self._app.db, self._run.user_id, self._run.thread_id, self._run.run_id, [entry])

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
        if result.usage.tokens:
            usage.add_usage(
                self._app.db,
                self._run.user_id,
                thread_id=self._run.thread_id,
                run_id=self._run.run_id,
                task=name,
                engine=result.engine,
                model=result.model,
                prompt_version=result.prompt_version,
                usage=result.usage,
                seconds=result.seconds,
            )


def recorded(app: Container, run: Run, stream: Iterator[Event], *, name_after: str | None) -> Iterator[Event]:
    """Pass the events on; keep the terminal one before anybody sees it. ``name_after`` names a new conversation."""
    try:
        for event in stream:
            run.check_stop()
            if isinstance(event, ResponseEvent):
                event = _keep_response(app, run, event)
            if not isinstance(event, StatusEvent) and name_after is not None:
                _name_conversation(app, run, name_after)
            yield event
    except PolicyPalError as error:
        _keep_error(app, run, error)
        if name_after is not None and isinstance(error, RunStopped | ModelError):
            _set_title(app, run, _first_words(name_after))
        raise


def note_answer(
    app: Container, user_id: str, thread_id: str, run_id: str, question: InterruptEvent, answer: Answer
) -> None:
    """Keep the question and its answer as a small note in the history (U2)."""
    labels = {o.id: o.label for o in question.options or []}
    said = "Cancelled" if answer.type == "cancel" else ", ".join(labels.get(v, v) for v in answer.values)
    conversations.add_message(
        app.db,
        user_id,
        thread_id,
        "pal_assist",
        said,
        run_id=run_id,
        payload={"question": question.model_dump(mode="json"), "answer": answer.model_dump(mode="json")},
        idempotency_key=f"question:{question.interrupt_id}",
    )


def _keep_response(app: Container, run: Run, event: ResponseEvent) -> ResponseEvent:
    if event.report is not None:
        report = audits.save_report(app.db, run.user_id, event.report)
        event = event.model_copy(update={"report": report})
    conversations.add_message(
        app.db,
        run.user_id,
        run.thread_id,
        "assistant",
        event.response,
        run_id=run.run_id,
        payload=event.model_dump(mode="json"),
        idempotency_key=f"answer:{run.run_id}",
    )
    return event


def _keep_error(app: Container, run: Run, error: PolicyPalError) -> None:
    event = error_event(error, run.thread_id)
    conversations.add_message(
        app.db,
        run.user_id,
        run.thread_id,
        "error",
        event.message,
        run_id=run.run_id,
        payload=event.model_dump(mode="json"),
        idempotency_key=f"answer:{run.run_id}",
    )


def _name_conversation(app: Container, run: Run, message: str) -> None:
    try:
        result = app.engine.run(THREAD_TITLE, TitleInput(message=message), TaskContext(app.embedder))
        Recorder(app, run).task(THREAD_TITLE.name, result)  # type: ignore[arg-type]
        title = result.output.title
    except ModelError:
        logger.warning("naming the conversation failed; its first words are used", exc_info=True)
        title = _first_words(message)
    _set_title(app, run, title)


def _set_title(app: Container, run: Run, title: str) -> None:
    short = " ".join(title.split()[:5])[:80]
    if short:
        conversations.rename_conversation(app.db, run.user_id, run.thread_id, short)


def _first_words(message: str) -> str:
    return " ".join(message.replace("@", "").split()[:5])
