"""Runs the agent graph for a thread: send, resume, look for an open question, forget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt

from policypal.db.pool import translated_errors
from policypal.graph.agent.build import build_agent_graph
from policypal.graph.agent.reporting import response_event
from policypal.graph.agent.state import Turn
from policypal.graph.checkpoint import Checkpoints
from policypal.graph.context import NodeContext, RunContext
from policypal.graph.events import Event, InterruptEvent, ResponseEvent
from policypal.graph.interrupts import CANCEL, Answer
from policypal.graph.services import GraphServices
from policypal.graph.traced_search import TracedSearch
from policypal.services.llm.provider_access import traced_only_with_key

_RUN = "policypal_run"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a thread's checkpoint stands: the run that wrote it, its open question, or its answer once it is complete.
    ``without_model``: the turn goes without a language model."""

    run_id: str = ""
    question: InterruptEvent | None = None
    answer: ResponseEvent | None = None
    without_model: bool = False


class Agent:
    """The agent graph on its checkpoints. Callers hold the thread's lease; see :mod:`policypal.application.runner`."""

    def __init__(self, services: GraphServices, checkpoints: Checkpoints) -> None:
        self._services = services
        self._without_model = services.without_model()
        self._checkpoints = checkpoints
        self._graph = build_agent_graph()
        self._compiled = self._graph.compile()

    def send(self, turn: Turn, run: RunContext) -> Iterator[Event]:
        """Run a new turn: one response or interrupt, after the statuses that ``run.tell`` hears (G12).

        Raises:
            PolicyPalError: typed; the thread stays usable.
        """
        return self._stream(turn.graph_input(), run)

    def resume(self, interrupt_id: str, answer: Answer, run: RunContext) -> Iterator[Event]:
        """Go on after the question with this id; the caller has checked that it is open (G9)."""
        value: Any = CANCEL if answer.type == "cancel" else answer.model_dump()
        update = {"without_model": True} if run.without_model else None
        return self._stream(Command(resume={interrupt_id: value}, update=update), run)

    def pending(self, user_id: str, thread_id: str) -> InterruptEvent | None:
        """The open question of a thread, read from its checkpoint (U5)."""
        return self.standing(user_id, thread_id).question

    def standing(self, user_id: str, thread_id: str) -> Standing:
        """Where the thread stands, read from its checkpoint; nowhere, if it is not this user's (X1)."""
        with translated_errors():
            state = self._with_saver(user_id).get_state(_config(thread_id))
        run_id = str((state.metadata or {}).get(_RUN, ""))
        for interrupt in state.interrupts:
            without_model = bool(state.values.get("without_model"))
            return Standing(run_id, _question(interrupt, thread_id), without_model=without_model)
        if state.next or not state.values.get("message_id"):
            return Standing(run_id)
        values: Any = state.values
        return Standing(run_id, answer=self._answer(values, thread_id))

    def unfinished(self, user_id: str, thread_id: str) -> Turn | None:
        """The turn that a failure ended halfway, with what was settled until then; None if there is none. Sent again, it
        does not ask again, and the memory holds its message once."""
        with translated_errors():
            state = self._with_saver(user_id).get_state(_config(thread_id))
        if not state.next or state.interrupts:
            return None
        values: Any = state.values
        return Turn.of_state(values)

    def forget(self, user_id: str, thread_id: str) -> None:
        """Delete the thread's memory."""
        self._checkpoints.forget(user_id, thread_id)

    def _stream(self, given: Any, run: RunContext) -> Iterator[Event]:
        services = self._services_of(run)
        values: Any = {}
        with traced_only_with_key(), translated_errors():
            steps: Iterator[Any] = self._with_saver(run.user_id).stream(
                given,
                _config(run.thread_id, run.run_id),
                context=NodeContext(run, services),
                stream_mode=["updates", "values"],
                # A turn reaches the memory as a whole: a process that dies halfway leaves the thread as it was, with an
                # open question still open, and the message in the history for the person to send again.
                durability="exit",
            )
            for mode, data in steps:
                if mode == "values":
                    values = data
                elif "__interrupt__" in data:
                    yield _question(data["__interrupt__"][0], run.thread_id)
                    return
        self._checkpoints.prune(run.user_id, run.thread_id)
        yield self._answer(values, run.thread_id)

    def _answer(self, values: Any, thread_id: str) -> ResponseEvent:
        services = self._without_model if values.get("without_model") else self._services
        return response_event(values, thread_id, services.engine.name)

    def _services_of(self, run: RunContext) -> GraphServices:
        """With its searches in the run's trace, and its embeddings on the run's account."""
        services = self._without_model if run.without_model else self._services
        embedder = services.embedder.charged_to(run.account)
        search = TracedSearch(services.db, embedder, recorder=run.recorder)
        return replace(services, embedder=embedder, search=search)

    def _with_saver(self, user_id: str) -> Any:
        """The compiled graph with a saver of its own: a shared one would let runs wait for each other."""
        return self._compiled.copy({"checkpointer": self._checkpoints.saver(user_id)})


def _question(interrupt: Interrupt, thread_id: str) -> InterruptEvent:
    return InterruptEvent(**interrupt.value, interrupt_id=interrupt.id, thread_id=thread_id)


def _config(thread_id: str, run_id: str = "") -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}, "metadata": {_RUN: run_id}, "recursion_limit": 60}
