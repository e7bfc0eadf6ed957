"""From a goal to a plan: the gate, the questions of Plan mode, the plan (W2). At most one model call per node."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from policypal.db.provisions import load_provisions
from policypal.domain.documents import DocumentType
from policypal.domain.research import Gate, PlanAnswer
from policypal.graph.context import NodeContext
from policypal.graph.observe import Node
from policypal.graph.research import questions
from policypal.graph.research.state import PlannerState
from policypal.research import gate
from policypal.research.gate import model_cost_of
from policypal.research.plan import PLAN, PlanInput, settled_plan
from policypal.research.plan_questions import PLAN_QUESTIONS, PlanQuestionsInput, settled_questions
from policypal.research.scope import ResearchDocument, named_documents, research_document, sources_of

_PASSAGES = 60
_PER_DOCUMENT = 6
_MOST_NAMED, _MOST_HEADINGS = 5, 30


def assess(state: PlannerState, context: NodeContext) -> dict[str, Any]:
    """How clear and how expensive the goal is, and what the library's documents call its subject. No model."""
    cost = model_cost_of(context.services.engine)
    found = context.services.search.find(
        context.run.user_id, state["goal"], limit=_PASSAGES, per_document=_PER_DOCUMENT
    )
    headings: dict[str, list[str]] = {}
    for heading, document in dict.fromkeys((h.passage.heading, h.passage.document_id) for h in found):
        if heading:
            headings.setdefault(document, []).append(heading)
    library = _library(headings, context)
    named = state["document_ids"] or named_documents(state["goal"], library, _today())
    for document in named[:_MOST_NAMED]:
        headings[document] = _outline(document, context) or headings.get(document, [])
    assessed = gate.assess(
        state["goal"],
        library,
        has_web=_has_web(context),
        model_cost=cost,
        reading_tokens=context.services.engine.reading_tokens,
    )
    return {"gate": assessed.model_dump(), "headings": headings}


def ask_questions(state: PlannerState, context: NodeContext) -> dict[str, Any]:
    """One to four questions on what the goal leaves open; the first is asked next."""
    given = PlanQuestionsInput(
        goal=state["goal"],
        missing=Gate(**state["gate"] or {}).missing,
        library=_library(state["headings"], context),
        today=_today(),
    )
    written, totals = context.run_task(state, PLAN_QUESTIONS, given)
    asked = settled_questions(given, written)
    return {
        **totals, "planner_questions": [q.model_dump() for q in asked], "planner_answers": [],
        "question": questions.plan_choice(asked, 0) if asked else None,
    }  # fmt: skip


def make_plan(state: PlannerState, context: NodeContext) -> dict[str, Any]:
    """What is going to be done; in Plan mode it is shown for approval."""
    given = PlanInput(
        goal=state["goal"],
        answers=[PlanAnswer(**a) for a in state["planner_answers"]],
        library=_library(_public(state["headings"], context), context),
        document_ids=state["document_ids"],
        has_web=_has_web(context),
        today=_today(),
    )
    written, totals = context.run_task(state, PLAN, given)
    plan = settled_plan(
        given,
        written,
        context.run.profile,
        model_cost_of(context.services.engine),
        context.services.engine.reading_tokens,
    )
    asks = state["mode"] == "plan"
    return {**totals, "plan": plan.model_dump(), "question": questions.plan_approval(plan) if asks else None}


def _outline(document_id: str, context: NodeContext) -> list[str]:
    """A document's outermost headings, in their order."""
    provisions = load_provisions(context.services.db, context.run.user_id, document_id)
    return list(dict.fromkeys(p.headings[0] for p in provisions if p.headings))[:_MOST_HEADINGS]


def _library(headings: Mapping[str, list[str]], context: NodeContext) -> list[ResearchDocument]:
    return [research_document(d, headings.get(d.id, [])) for d in sources_of(context.run.library)]


def _public(headings: Mapping[str, list[str]], context: NodeContext) -> dict[str, list[str]]:
    """Those of regulations: a plan's queries leave, and its writer is not told what the company's own documents say (X5)."""
    return {d.id: headings.get(d.id, []) for d in context.run.library if d.type is DocumentType.REGULATORY}


def _has_web(context: NodeContext) -> bool:
    return context.services.meta_search is not None


def _today() -> date:
    return datetime.now(UTC).date()


STAGES: Mapping[str, Node] = {"assess": assess, "ask_questions": ask_questions, "make_plan": make_plan}
