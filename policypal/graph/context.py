"""Who runs the graph, with what, and where the trace goes. Never part of a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Protocol

from policypal.domain.account import Account, NoAccount, Reserving, Tally
from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import Document
from policypal.domain.events import StatusEvent
from policypal.domain.usage import Usage
from policypal.domain.users import Profile
from policypal.errors import (
    BudgetExceeded,
    ModelAuthenticationFailed,
    ModelError,
    ModelOutputInvalid,
    ModelQuotaExceeded,
    PolicyPalError,
)
from policypal.graph.checkpoint import Checkpoints
from policypal.graph.services import GraphServices
from policypal.llm.extractive import ExtractiveEngine
from policypal.llm.task import Given, Output, Task, TaskContext, TaskResult
from policypal.search.embeddings import built_in_embedder

SIDE_BY_SIDE = 4
"""Calls to the model at the same time."""
BROKE_OFF = "The language model's answer broke off before its end. What had arrived and is supported is shown; send the message again for all of it."


class RunRecorder(Protocol):
    """Keeps what happens in a run (M5)."""

    def trace(self, entry: TraceEntry) -> None: ...

    def task(self, name: str, result: TaskResult[Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run of one user's thread. ``library``: the user's documents when it began. ``tell`` shows what is going on, at
    once. ``account`` is charged for model calls; ``without_model``: there are none."""

    user_id: str
    thread_id: str
    run_id: str
    profile: Profile
    library: Sequence[Document]
    recorder: RunRecorder
    check_stop: Callable[[], None]
    tell: Callable[[StatusEvent], None]
    account: Account = field(default_factory=NoAccount)
    without_model: bool = False

    @property
    def ocr_pages(self) -> frozenset[tuple[str, int]]:
        """(document id, page) of the pages whose text was recognised on their picture (D7)."""
        return frozenset((d.id, page) for d in self.library for page in d.ocr_pages)


@dataclass(frozen=True)
class NodeContext:
    """What a node gets besides the state."""

    run: RunContext
    services: GraphServices
    checkpoints: Checkpoints | None = None
    """Where a node that is long keeps its progress; None in graphs that keep every step."""

    def reserving(self) -> NodeContext:
        """For calls side by side: those under way count, so that several at once do not exceed the budget."""
        account = self.run.account
        held = account if isinstance(account, Reserving) else Reserving(account)
        return replace(self, run=replace(self.run, account=held))

    def counted_by(self, node: str) -> dict[str, int]:
        """What the tasks of a node that works side by side with itself have counted so far in this run."""
        return {}

    def run_task(
        self,
        state: Mapping[str, Any],
        task: Task[Given, Output],
        given: Given,
        listen: Callable[[Output], None] | None = None,
    ) -> tuple[Output, dict[str, Any]]:
        """Run a task once, record it, and return its output with the state's new totals. ``listen`` hears what is complete of a model's
        answer while it is written. Of one that breaks off what had arrived is returned, and the totals' notices say so.

        A task that only helps never costs the answer: where its model fails, the keyless engine does it, and the totals
        say so (``unaided``). After a provider has failed once, it is not waited for again by the turn's other helpers.
        Raises ModelError: after the engine's retries, of a task that is the answer, what they consumed is in the trace
        (M5); BudgetExceeded: the next request is not covered by the month's budget, and there is no answer yet that it would cost;
        RunStopped: the person asked to stop."""
        self.run.check_stop()  # a stage that was abandoned while its first call hung does not make a second one
        unaided: list[dict[str, Any]] = list(state.get("unaided", []))
        down = next((u for u in unaided if u["is_provider"]), None) if task.helps else None
        if down is not None:
            return self._unaided(state, task, given, Usage(), [*unaided, {**down, "task": task.helps}])
        spent = Tally(self.run.account)
        started = time.perf_counter()
        try:
            used = TaskContext(self.services.embedder, self.run.profile, spent, listen, self.run.check_stop)
            result = self.services.engine.run(task, given, used)
        except (ModelError, BudgetExceeded) as error:
            self.run.recorder.trace(_failed(task.name, time.perf_counter() - started, error, spent))
            if not task.helps or (isinstance(error, BudgetExceeded) and not state.get("response")):
                raise
            self.run.check_stop()
            failed = {"task": task.helps, "reason": error.title, "is_provider": is_of_provider(error)}
            return self._unaided(state, task, given, spent.usage, [*unaided, failed])
        self.run.recorder.task(task.name, result)
        totals = _totals(state, result.model, result.usage)
        if result.broke_off:
            self.run.recorder.trace(TraceEntry("task", task.name, result.seconds, {"error": "broke_off"}))
            totals["notices"] = [*state.get("notices", []), BROKE_OFF]
        return result.output, totals

    def _unaided(
        self,
        state: Mapping[str, Any],
        task: Task[Given, Output],
        given: Given,
        spent: Usage,
        unaided: list[dict[str, Any]],
    ) -> tuple[Output, dict[str, Any]]:
        """The task done by the rules, with vectors that need no provider; ``spent`` is what the model cost all the same."""
        result = ExtractiveEngine().run(task, given, TaskContext(built_in_embedder(), self.run.profile))
        self.run.recorder.task(task.name, result)
        return result.output, {**_totals(state, result.model, spent), "unaided": unaided}


def added(totals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What several calls, or states of a turn, took together: tokens, dollars, whether all prices are known, and the models."""
    return {
        "tokens_used": sum(t.get("tokens_used", 0) for t in totals),
        "cost_usd": str(sum((Decimal(t.get("cost_usd", "0")) for t in totals), Decimal(0))),
        "is_priced": all(t.get("is_priced", True) for t in totals),
        "models": sorted({m for t in totals for m in t.get("models", [])}),
    }


def _totals(state: Mapping[str, Any], model: str, used: Usage) -> dict[str, Any]:
    spent = {"tokens_used": used.tokens, "cost_usd": used.cost_usd, "is_priced": used.is_priced, "models": [model]}
    return added([state, spent])


def unaided_notice(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is said where rules did what a model was to do, nothing where there is none. ``parts``: of each, the ``task`` and the
    ``reason``."""
    tasks, reasons = (", ".join(dict.fromkeys(str(part[key]) for part in parts)) for key in ("task", "reason"))
    return [f"Without the language model, by PolicyPal's own rules: {tasks}. Reason: {reasons}."] if parts else []


def is_of_provider(error: ModelError | BudgetExceeded) -> bool:
    """Whether another request is likely to fare no better: the provider or the budget is at fault, not the answer."""
    if isinstance(error, ModelAuthenticationFailed | ModelQuotaExceeded | BudgetExceeded):
        return True
    return error.retryable and not isinstance(error, ModelOutputInvalid)


def _failed(task: str, seconds: float, error: PolicyPalError, spent: Tally) -> TraceEntry:
    """A task without a result, and what it consumed all the same."""
    detail = {"error": error.code, "tokens": spent.usage.tokens, "cost_usd": str(spent.usage.cost_usd)}
    return TraceEntry("task", task, seconds, detail)
