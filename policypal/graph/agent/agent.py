"""Runs the agent graph for a thread: send, and what every graph does."""

from collections.abc import Iterator
from typing import Any

from langgraph.graph import StateGraph

from policypal.domain.events import Event, ResponseEvent
from policypal.graph.agent.build import build_agent_graph
from policypal.graph.agent.reporting import response_event
from policypal.graph.agent.state import Turn
from policypal.graph.context import NodeContext, RunContext
from policypal.graph.thread_graph import ThreadGraph


class Agent(ThreadGraph):
    """The agent graph on its checkpoints."""

    # A turn reaches the memory as a whole: a process that dies halfway leaves the thread as it was, with an open question
    # still open, and the message in the history for the person to send again.
    durability = "exit"
    recursion_limit = 60
    keeps_latest_only = True

    def send(self, turn: Turn, run: RunContext) -> Iterator[Event]:
        """Run a new turn: one response or interrupt, after the statuses that ``run.tell`` hears (G12).

        Raises:
            PolicyPalError: typed; the thread stays usable.
        """
        return self._stream(turn.graph_input(), run)

    def unfinished(self, user_id: str, thread_id: str) -> Turn | None:
        """The turn that a failure ended halfway, with what was settled until then; None if there is none. Sent again, it
        does not ask again, and the memory holds its message once."""
        state = self._latest(user_id, thread_id)
        if not state.next or state.interrupts:
            return None
        values: Any = state.values
        return Turn.of_state(values)

    def _built(self) -> StateGraph[Any, Any, Any, Any]:
        return build_agent_graph()

    def _context(self, run: RunContext) -> NodeContext:
        return NodeContext(run, self._services_of(run), self._checkpoints)

    def _noted(self, run: RunContext) -> dict[str, Any] | None:
        return {"without_model": True} if run.without_model else None

    def _has_answer(self, values: Any) -> bool:
        return bool(values.get("message_id"))

    def _answer(self, values: Any, thread_id: str) -> ResponseEvent:
        services = self._without_model if values.get("without_model") else self._services
        return response_event(values, thread_id, services.engine.name)
