"""Who runs the graph, with what, and where the trace goes. Never part of a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import Document
from policypal.domain.users import Profile
from policypal.errors import BudgetExceeded, ModelError, PolicyPalError
from policypal.graph.events import StatusEvent
from policypal.graph.services import GraphServices
from policypal.services.account import Account, NoAccount, Tally
from policypal.services.llm.task import Given, Output, Task, TaskContext, TaskResult


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

    def counted_by(self, node: str) -> dict[str, int]:
        """What the tasks of a node that works side by side with itself have counted so far in this run."""
        return {}

    def run_task(
        self, state: Mapping[str, Any], task: Task[Given, Output], given: Given
    ) -> tuple[Output, dict[str, Any]]:
        """Run a task once, record it, and return its output with the state's new totals.

        Raises:
            ModelError: after the engine's retries; what they consumed is in the trace (M5).
            BudgetExceeded: the next request is not covered by the month's budget.
            RunStopped: the person asked to stop.
        """
        self.run.check_stop()  # a stage that was abandoned while its first call hung does not make a second one
        spent = Tally(self.run.account)
        started = time.perf_counter()
        try:
            result = self.services.engine.run(task, given, TaskContext(self.services.embedder, self.run.profile, spent))
        except (ModelError, BudgetExceeded) as error:
            self.run.recorder.trace(_failed(task.name, time.perf_counter() - started, error, spent))
            raise
        self.run.recorder.task(task.name, result)
        totals = {
            "tokens_used": state.get("tokens_used", 0) + result.usage.tokens,
            "cost_usd": str(Decimal(state.get("cost_usd", "0")) + result.usage.cost_usd),
            "models": sorted({*state.get("models", []), result.model}),
        }
        return result.output, totals


def _failed(task: str, seconds: float, error: PolicyPalError, spent: Tally) -> TraceEntry:
    """A task without a result, and what it consumed all the same."""
    detail = {"error": error.code, "tokens": spent.usage.tokens, "cost_usd": str(spent.usage.cost_usd)}
    return TraceEntry("task", task, seconds, detail)
