"""What the chat's agent and research have in common: a graph on its checkpoints, a thread that runs, asks and goes on."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph
from langgraph.types import Command, Durability, Interrupt, StateSnapshot

from policypal.db.pool import translated_errors
from policypal.domain.events import Event, InterruptEvent, ResponseEvent
from policypal.domain.interrupts import CANCEL, Answer
from policypal.graph.checkpoint import Checkpoints
from policypal.graph.context import NodeContext, RunContext
from policypal.graph.services import GraphServices, TracedSearch
from policypal.llm.provider_access import traced_only_with_key

_RUN = "policypal_run"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a thread's checkpoint stands: the run that wrote it, its open question, or its answer once it is complete.
    ``without_model``: the turn goes without a language model."""

    run_id: str = ""
    question: InterruptEvent | None = None
    answer: ResponseEvent | None = None
    without_model: bool = False


class ThreadGraph(ABC):
    """A graph on its checkpoints. Callers hold the thread's lease; see :mod:`policypal.application.runner`."""

    durability: ClassVar[Durability]
    recursion_limit: ClassVar[int]
    keeps_latest_only: ClassVar[bool] = False
    """Whether checkpoints that are superseded are removed once a run has come to its answer (M2)."""

    def __init__(self, services: GraphServices, checkpoints: Checkpoints) -> None:
        self._services = services
        self._without_model = services.without_model()
        self._checkpoints = checkpoints
        self._graph = self._built()
        self._compiled = self._graph.compile()

    @property
    def services(self) -> GraphServices:
        """What its nodes work with."""
        return self._services

    def resume(self, interrupt_id: str, answer: Answer, run: RunContext) -> Iterator[Event]:
        """Go on after the question with this id; the caller has checked that it is open (G9)."""
        value: Any = CANCEL if answer.type == "cancel" else answer.model_dump()
        return self._stream(Command(resume={interrupt_id: value}, update=self._noted(run)), run)

    def pending(self, user_id: str, thread_id: str) -> InterruptEvent | None:
        """The open question of a thread, read from its checkpoint (U5)."""
        return self.standing(user_id, thread_id).question

    def standing(self, user_id: str, thread_id: str) -> Standing:
        """Where the thread stands, read from its checkpoint; nowhere, if it is not this user's (X1)."""
        state = self._latest(user_id, thread_id)
        run_id = str((state.metadata or {}).get(_RUN, ""))
        without_model = bool(state.values.get("without_model"))
        for interrupt in self._open_interrupts(state):
            return Standing(run_id, _question(interrupt, thread_id), without_model=without_model)
        if state.next or not self._has_answer(state.values):
            return Standing(run_id, without_model=without_model)
        return Standing(run_id, answer=self._answer(state.values, thread_id))

    def forget(self, user_id: str, thread_id: str) -> None:
        """Delete the thread's memory."""
        self._checkpoints.forget(user_id, thread_id)

    @abstractmethod
    def _built(self) -> StateGraph[Any, Any, Any, Any]: ...

    @abstractmethod
    def _has_answer(self, values: Any) -> bool:
        """Whether the values of a thread that has nothing left to do hold an answer."""

    @abstractmethod
    def _answer(self, values: Any, thread_id: str) -> ResponseEvent: ...

    def _noted(self, run: RunContext) -> dict[str, Any] | None:
        """What the state has to know of the run that goes on after a question."""
        return None

    def _open_interrupts(self, state: StateSnapshot) -> tuple[Interrupt, ...]:
        return state.interrupts

    def _context(self, run: RunContext) -> NodeContext:
        return NodeContext(run, self._services_of(run))

    def _latest(self, user_id: str, thread_id: str) -> StateSnapshot:
        with translated_errors():
            snapshot: StateSnapshot = self._with_saver(user_id).get_state(self._config(thread_id))
        return snapshot

    def _stream(self, given: Any, run: RunContext) -> Iterator[Event]:
        """The answer or the question of a run, once it is in the memory: whoever hears of a question may answer at
        once. Raises PolicyPalError: typed; the thread stays usable."""
        context = self._context(run)
        values: Any = {}
        asked: Interrupt | None = None
        with traced_only_with_key(), translated_errors():
            steps: Iterator[Any] = self._with_saver(run.user_id).stream(
                given,
                self._config(run.thread_id, run.run_id),
                context=context,
                stream_mode=["updates", "values"],
                durability=self.durability,
            )
            for mode, data in steps:
                if mode == "values":
                    values = data
                elif "__interrupt__" in data:  # the checkpoint follows at the end of the steps
                    asked = asked or data["__interrupt__"][0]
        if asked is not None:
            yield _question(asked, run.thread_id)
            return
        if self.keeps_latest_only:
            self._checkpoints.prune(run.user_id, run.thread_id)
        if beside := values.get("judged_in"):  # the progress of an audit that is complete
            self._checkpoints.forget(run.user_id, beside)
        yield self._answer(values, run.thread_id)

    def _services_of(self, run: RunContext) -> GraphServices:
        """With its searches in the run's trace, and its embeddings on the run's account."""
        services = self._without_model if run.without_model else self._services
        embedder = services.embedder.charged_to(run.account)
        search = TracedSearch(services.db, embedder, recorder=run.recorder)
        return replace(services, embedder=embedder, search=search)

    def _with_saver(self, user_id: str) -> Any:
        """The compiled graph with a saver of its own: a shared one would let runs wait for each other."""
        return self._compiled.copy({"checkpointer": self._checkpoints.saver(user_id)})

    def _config(self, thread_id: str, run_id: str = "") -> RunnableConfig:
        return {
            "configurable": {"thread_id": thread_id},
            "metadata": {_RUN: run_id},
            "recursion_limit": self.recursion_limit,
        }


def _question(interrupt: Interrupt, thread_id: str) -> InterruptEvent:
    return InterruptEvent(**interrupt.value, interrupt_id=interrupt.id, thread_id=thread_id)
