"""Who runs the graph, with what, and where the trace goes. Never part of a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import Document
from policypal.domain.users import Profile
from policypal.graph.agent.services import AgentServices
from policypal.graph.agent.state import AgentState
from policypal.graph.events import StatusEvent
from policypal.services.llm.task import Given, Output, Task, TaskContext, TaskResult


class RunRecorder(Protocol):
    """Keeps what happens in a run (M5)."""

    def trace(self, entry: TraceEntry) -> None: ...

    def task(self, name: str, result: TaskResult[Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run of one user's thread. ``library``: the user's documents when it began. ``tell`` shows what is going on, at
    once."""

    user_id: str
    thread_id: str
    run_id: str
    profile: Profile
    library: Sequence[Document]
    recorder: RunRecorder
    check_stop: Callable[[], None]
    tell: Callable[[StatusEvent], None]


@dataclass(frozen=True)
class NodeContext:
    """What a node gets besides the state."""

    run: RunContext
    services: AgentServices

    def run_task(self, state: AgentState, task: Task[Given, Output], given: Given) -> tuple[Output, dict[str, Any]]:
        """Run a task once, record it, and return its output with the state's new totals.

        Raises:
            ModelError: after the engine's retries.
            RunStopped: the person asked to stop.
        """
        self.run.check_stop()  # a stage that was abandoned while its first call hung does not make a second one
        context = TaskContext(self.services.embedder, self.run.profile)
        result = self.services.engine.run(task, given, context)
        self.run.recorder.task(task.name, result)
        totals = {
            "tokens_used": state.get("tokens_used", 0) + result.usage.tokens,
            "cost_usd": str(Decimal(state.get("cost_usd", "0")) + result.usage.cost_usd),
            "models": sorted({*state.get("models", []), result.model}),
        }
        return result.output, totals
