"""Runs the agent graph for a thread: send, what every graph does, and the response event of a finished turn (G12, section K)."""

from collections.abc import Iterator
from typing import Any

from langgraph.graph import StateGraph

from policypal.domain.audits import AuditReport
from policypal.domain.changes import ChangeList
from policypal.domain.citations import Citation
from policypal.domain.events import Confidence, DocumentReference, Event, ResponseEvent
from policypal.domain.requests import Request
from policypal.graph.agent.build import build_agent_graph
from policypal.graph.agent.state import AgentState, Turn
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


def response_event(state: AgentState, thread_id: str, engine: str) -> ResponseEvent:
    """What the caller gets to see of the final state. A missing confidence means "low" (C4)."""
    report = AuditReport(**state["report"]) if state.get("report") else None  # type: ignore[arg-type]
    return ResponseEvent(
        response=state.get("response", ""),
        citations=[Citation(**c) for c in state.get("citations", [])],
        action=state.get("action") or "inquire",
        inference_confidence=_confidence(state.get("inference_confidence")),
        retrieval_confidence=_confidence(state.get("retrieval_confidence")),
        confidence_score=round(state.get("confidence_score", 0.0), 4),
        tokens_used=state.get("tokens_used", 0),
        cost_usd=float(state.get("cost_usd", "0")),
        is_priced=state.get("is_priced", True),
        thread_id=thread_id,
        title=state.get("title", ""),
        documents=[DocumentReference(id=i, title=t) for i, t in state.get("resolved_doc_titles", {}).items()],
        engine=engine,
        notices=state.get("notices", []),
        cancelled=state.get("cancelled", False),
        report=report,
        coverage=list(report.coverage) if report is not None and report.coverage is not None else None,
        request=Request(**request) if (request := state.get("request")) else None,
        changes=ChangeList(**changes) if (changes := state.get("changes")) else None,
    )


def _confidence(value: str | None) -> Confidence:
    return value if value in ("high", "medium", "low") else "low"  # type: ignore[return-value]
