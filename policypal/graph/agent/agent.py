"""Runs the agent graph for a thread: send, resume, look for an open question, forget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from policypal.db.pool import translated_errors
from policypal.graph.agent.build import build_agent_graph
from policypal.graph.agent.context import NodeContext, RunContext
from policypal.graph.agent.reporting import response_event
from policypal.graph.agent.services import AgentServices
from policypal.graph.agent.state import Turn
from policypal.graph.checkpoint import Checkpoints
from policypal.graph.events import Event, InterruptEvent, StatusEvent
from policypal.graph.interrupts import CANCEL, Answer
from policypal.services.llm.provider_access import traced_only_with_key


class Agent:
    """The agent graph on its checkpoints. Callers hold the thread's lease; see :mod:`policypal.application.runner`."""

    def __init__(self, services: AgentServices, checkpoints: Checkpoints) -> None:
        self._services = services
        self._checkpoints = checkpoints
        self._graph = build_agent_graph()

    def send(self, turn: Turn, run: RunContext) -> Iterator[Event]:
        """Run a new turn: statuses, then one response or interrupt (G12).

        Raises:
            PolicyPalError: typed; the thread stays usable.
        """
        return self._stream(turn.graph_input(), run)

    def resume(self, interrupt_id: str, answer: Answer, run: RunContext) -> Iterator[Event]:
        """Go on after the question with this id; the caller has checked that it is open (G9)."""
        value: Any = CANCEL if answer.type == "cancel" else answer.model_dump()
        return self._stream(Command(resume={interrupt_id: value}), run)

    def pending(self, thread_id: str) -> InterruptEvent | None:
        """The open question of a thread, read from its checkpoint (U5)."""
        graph = self._graph.compile(checkpointer=self._checkpoints.saver())
        with translated_errors():
            state = graph.get_state(_config(thread_id))
        for interrupt in state.interrupts:
            return InterruptEvent(**interrupt.value, interrupt_id=interrupt.id, thread_id=thread_id)
        return None

    def forget(self, thread_id: str) -> None:
        """Delete the thread's memory."""
        self._checkpoints.forget(thread_id)

    def _stream(self, given: Any, run: RunContext) -> Iterator[Event]:
        graph = self._graph.compile(checkpointer=self._checkpoints.saver())
        context = NodeContext(run, self._services)
        with traced_only_with_key(), translated_errors():
            steps: Iterator[Any] = graph.stream(
                given,
                _config(run.thread_id),
                context=context,
                stream_mode=["custom", "updates"],
                durability="sync",
            )
            for mode, data in steps:
                if mode == "custom":
                    yield StatusEvent(**data)
                elif "__interrupt__" in data:
                    interrupt = data["__interrupt__"][0]
                    yield InterruptEvent(**interrupt.value, interrupt_id=interrupt.id, thread_id=run.thread_id)
                    return
            values: Any = graph.get_state(_config(run.thread_id)).values
        yield response_event(values, run.thread_id, self._services.engine.name)
        self._checkpoints.prune(run.thread_id)


def _config(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": 60}
