"""From a step of one thread to the first step of another (W6)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from policypal.domain.research import Plan
from policypal.domain.text import storable
from policypal.errors import InvalidInput
from policypal.graph.research.drafts import Draft
from policypal.graph.research.questions import checked_plan
from policypal.graph.research.state import beginning

_AT_START = "__start__"
_LATER = ("research", "writer", "fact_check", "red_team", "publish")
_OF_CHECK = ("contradictions", "claims_compared", "issues", "sent_back")
_OF_DRAFT = ("outlined", "sections", "draft", "repairs", *_OF_CHECK)
_OF_FINDINGS = ("queries", "sources", "passages", "reading", "common", *_OF_DRAFT, "counts", "notices", "models")
_OF_RUN = ("tokens_used", "cost_usd", "report", "response", "cancelled", "question")


@dataclass(frozen=True, slots=True)
class Edits:
    """What a fork changes; None leaves it as it stood."""

    goal: str | None = None
    plan: Plan | None = None
    excluded: Collection[str] | None = None
    draft: str | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """The values of a new thread's first checkpoint, and the stage after which it goes on."""

    values: dict[str, Any]
    as_node: str


def branch(values: dict[str, Any], node: str, edits: Edits) -> Branch:
    """A thread that differs by these edits, and does again what the earliest of them asks for. Raises InvalidInput:
    a draft cannot be kept when what it rests on is looked for anew, or is not there yet."""
    if edits.draft is not None and (edits.goal is not None or edits.plan is not None):
        raise InvalidInput("With another goal or plan the draft is written anew. Please edit one or the other.")
    kept = {**values, **_anew(*_OF_RUN)}
    if edits.excluded is not None:
        kept["excluded"] = sorted({storable(key) for key in edits.excluded})
    if edits.plan is not None:
        plan = checked_plan(edits.plan)
        goal = edits.goal or plan.goal
        plan = plan.model_copy(update={"goal": goal})
        return Branch({**_without_findings(kept), "goal": goal, "plan": plan.model_dump()}, "planner")
    if edits.goal is not None:
        return Branch({**_without_findings(kept), "goal": edits.goal, "plan": None, "gate": None}, _AT_START)
    if edits.draft is not None:
        return Branch(_with_draft(kept, edits.draft), "writer")
    if edits.excluded is not None and node in _LATER:
        return Branch({**_without_excluded(kept), **_anew(*_OF_DRAFT)}, "research")
    return _as_it_stood(kept, node)


def _as_it_stood(values: dict[str, Any], node: str) -> Branch:
    if node == "start":
        return Branch(values, _AT_START)
    if node != "publish":
        return Branch(values, node)
    if values.get("draft"):  # published once more
        return Branch({**values, "sent_back": False}, "red_team")
    return Branch(values, "planner" if values.get("plan") else _AT_START)


def _with_draft(values: dict[str, Any], markdown: str) -> dict[str, Any]:
    if not values.get("draft"):
        raise InvalidInput("There is no draft at this step yet.")
    if not markdown.strip():
        raise InvalidInput("The draft is empty.")
    draft = Draft(**values["draft"]).edited(markdown).model_dump()
    kept = _without_excluded(values)
    # the person's own words are checked, and not sent back to the writer
    return {**kept, **_anew(*_OF_CHECK), "draft": draft, "repairs": 1}


def _without_excluded(values: dict[str, Any]) -> dict[str, Any]:
    gone = set(values.get("excluded", []))
    return {
        **values,
        "sources": [s for s in values.get("sources", []) if s["key"] not in gone],
        "passages": [p for p in values.get("passages", []) if p["source"] not in gone],
    }


def _without_findings(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, **_anew(*_OF_FINDINGS)}


def _anew(*names: str) -> dict[str, Any]:
    """These values as a new thread has them."""
    empty = beginning("", "auto", [])
    return {name: empty[name] for name in names}
