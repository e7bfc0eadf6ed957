"""The nodes that ask (G1): each shows the question the stage before it left, and applies the answer. Nothing here calls a
model or reads a page, because LangGraph runs an interrupted node again from its first line."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END
from langgraph.types import Command

from policypal.domain.interrupts import Answer
from policypal.domain.research import Plan, PlanAnswer, PlanQuestion
from policypal.graph.context import NodeContext
from policypal.graph.observe import Node, answer_to
from policypal.graph.research import questions
from policypal.graph.research.state import HarvestState, PlannerState

Asking = tuple[Node, tuple[str, ...]]
"""A node that asks, and where its answer may lead; empty where the edges of the graph say so."""


def confirm_question(state: PlannerState, context: NodeContext) -> Command[str]:
    """plan_choice: one question after the other, each answer kept (W2)."""
    answer = answer_to(state["question"])
    if answer is None:
        return _cancelled()
    asked = [PlanQuestion(**q) for q in state["planner_questions"]]
    at = len(state["planner_answers"])
    answers = [*state["planner_answers"], _answered(asked[at], answer).model_dump()]
    following = questions.plan_choice(asked, at + 1) if at + 1 < len(asked) else None
    goto = "confirm_question" if following else "make_plan"
    return Command(goto=goto, update={"planner_answers": answers, "question": following})


def confirm_plan(state: PlannerState, context: NodeContext) -> Command[str]:
    """plan_approval: as it is, or with edited fields."""
    answer = answer_to(state["question"])
    if answer is None:
        return _cancelled()
    plan = questions.edited_plan(Plan(**state["plan"] or {}), answer.values[0])
    return Command(goto=END, update={"plan": plan.model_dump(), "question": None})


def confirm_harvest(state: HarvestState, context: NodeContext) -> dict[str, Any]:
    """budget_approval: all pages, fewer, or the library alone (W5)."""
    answer = answer_to(state["question"])
    if answer is None:
        return {"cancelled": True, "question": None}
    kept = questions.pages_kept(answer.values[0], len(state["to_read"]))
    return {"to_read": state["to_read"][:kept], "question": None, "counts": {"pages": kept}}


def _cancelled() -> Command[str]:
    return Command(goto=END, update={"cancelled": True, "question": None})


def _answered(asked: PlanQuestion, answer: Answer) -> PlanAnswer:
    labels = {str(n): option for n, option in enumerate(asked.options, 1)}
    values = asked.options if "all" in answer.values else [labels.get(v, v) for v in answer.values]
    return PlanAnswer(aspect=asked.aspect, question=asked.question, values=values)


PLANNER: Mapping[str, Asking] = {
    "confirm_question": (confirm_question, ("confirm_question", "make_plan", END)),
    "confirm_plan": (confirm_plan, (END,)),
}
RESEARCH: Mapping[str, Asking] = {"confirm_harvest": (confirm_harvest, ())}
