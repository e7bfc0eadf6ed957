"""Runs the research graph for a thread: start, go on after a crash, look into the steps, fork."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from langgraph.graph import StateGraph
from langgraph.types import Interrupt, StateSnapshot

from policypal.db.pool import translated_errors
from policypal.domain.account import Reserving
from policypal.domain.events import Event, ResponseEvent
from policypal.domain.research import Plan, PlanAnswer, Step, StepValues
from policypal.errors import NotFound
from policypal.graph.context import NodeContext, RunContext
from policypal.graph.research import steps
from policypal.graph.research.build import build_research_graph
from policypal.graph.research.forking import Branch, Edits, branch
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import beginning
from policypal.graph.research.steps import response_event
from policypal.graph.thread_graph import ThreadGraph

MAX_CONCURRENCY = 8
"""Tasks of a fan-out at the same time: searches, pages, sections."""


class Researcher(ThreadGraph):
    """The research graph on its checkpoints. Every super-step is written before the next begins and is kept: a killed run
    goes on from the last one (W7), and the timeline shows them (W6)."""

    durability = "sync"
    recursion_limit = 60

    def start(self, goal: str, mode: str, document_ids: list[str], run: RunContext) -> Iterator[Event]:
        """Run a new thread, to its report or its first question."""
        return self._stream(beginning(goal, mode, document_ids), run)

    def proceed(self, run: RunContext) -> Iterator[Event]:
        """Go on from the last good checkpoint; finished tasks of a fan-out are not done again (W7)."""
        return self._stream(None, run)

    def has_begun(self, user_id: str, thread_id: str) -> bool:
        return bool(self._latest(user_id, thread_id).values)

    def planned(self, user_id: str, thread_id: str) -> tuple[list[PlanAnswer], Plan | None]:
        """The answers given so far, and the plan once there is one; also while the planner waits for an answer."""
        values = _innermost(self._latest(user_id, thread_id)).values
        plan = values.get("plan")
        return [PlanAnswer(**a) for a in values.get("planner_answers", [])], Plan(**plan) if plan else None

    def timeline(self, user_id: str, thread_id: str) -> list[Step]:
        """The parent graph's checkpoints in plain words, oldest first."""
        with translated_errors():
            history = list(self._with_saver(user_id).get_state_history(self._config(thread_id)))
        told = [step for snapshot in reversed(history) if (step := steps.step_of(snapshot)) is not None]
        question = self.pending(user_id, thread_id)
        if question is not None and told:
            waiting = f"Waiting for your answer: {question.message.splitlines()[0]}"
            told[-1] = told[-1].model_copy(update={"told": [*told[-1].told, waiting]})
        return told

    def step_values(self, user_id: str, thread_id: str, checkpoint_id: str) -> StepValues:
        """Raises NotFound: no such step."""
        return steps.values_of(self._at(user_id, thread_id, checkpoint_id).values)

    def branch(self, user_id: str, thread_id: str, checkpoint_id: str, edits: Edits) -> Branch:
        """What a fork of this step begins with. Nothing is written. Raises NotFound: no such step; InvalidInput: these
        edits cannot go together, or not here."""
        snapshot = self._at(user_id, thread_id, checkpoint_id)
        return branch(snapshot.values, steps.node_of(snapshot), edits)

    def plant(self, user_id: str, thread_id: str, branch: Branch) -> None:
        """Write the first checkpoint of a fork's own thread."""
        with translated_errors():
            self._with_saver(user_id).update_state(self._config(thread_id), branch.values, as_node=branch.as_node)

    def step(self, user_id: str, thread_id: str, checkpoint_id: str) -> Step:
        """Raises NotFound: no such step."""
        step = steps.step_of(self._at(user_id, thread_id, checkpoint_id))
        if step is None:
            raise NotFound("This step does not exist.")
        return step

    def _at(self, user_id: str, thread_id: str, checkpoint_id: str) -> StateSnapshot:
        config = self._config(thread_id)
        config["configurable"]["checkpoint_id"] = checkpoint_id
        with translated_errors():
            snapshot: StateSnapshot = self._with_saver(user_id).get_state(config)
        if not checkpoint_id or not snapshot.values:  # without an id, the latest would be found
            raise NotFound("This step does not exist.")
        return snapshot

    def _latest(self, user_id: str, thread_id: str) -> StateSnapshot:
        """With the subgraph at work: while one goes on after an answer, the parent still holds the question before."""
        with translated_errors():
            found: StateSnapshot = self._with_saver(user_id).get_state(self._config(thread_id), subgraphs=True)
        return found

    def _open_interrupts(self, state: StateSnapshot) -> tuple[Interrupt, ...]:
        return _innermost(state).interrupts

    def _context(self, run: RunContext) -> NodeContext:
        # sections that are written side by side are covered together, or not begun
        return ResearchContext(replace(run, account=Reserving(run.account)), self._services_of(run))

    def _config(self, thread_id: str, run_id: str = "") -> Any:
        return {**super()._config(thread_id, run_id), "max_concurrency": MAX_CONCURRENCY}

    def _built(self) -> StateGraph[Any, Any, Any, Any]:
        return build_research_graph()

    def _has_answer(self, values: Any) -> bool:
        return bool(values.get("response"))

    def _answer(self, values: Any, thread_id: str) -> ResponseEvent:
        return response_event(values, thread_id)


def _innermost(state: StateSnapshot) -> StateSnapshot:
    for task in state.tasks:
        if isinstance(task.state, StateSnapshot):
            return task.state
    return state
