"""What research asks a person, and what the answers mean (W2, W5)."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from policypal.domain.interrupts import question
from policypal.domain.research import Plan, PlanQuestion
from policypal.domain.text import storable
from policypal.domain.web import iso_date
from policypal.errors import InvalidInput

APPROVE = "approve"
FEWER_PAGES = 20
MOST_PAGES_UNASKED = 40
"""More pages than this are read only after somebody has agreed (W5)."""
MOST_USD_UNASKED = 1.0
"""The same for what models are going to cost."""

_FIXED = frozenset({"estimated_pages", "estimated_cost_usd"})
_LONGEST_LINE = 1000
_MOST_LINES = 12
_EDITS: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def plan_choice(asked: Sequence[PlanQuestion], at: int) -> dict[str, Any]:
    """The question with this index: four options, all of them where that makes sense, or one's own words."""
    one = asked[at]
    options = [(str(n), label) for n, label in enumerate(one.options, 1)]
    if one.all_of_the_above:
        options.append(("all", "All of the above"))
    message = f"Question {at + 1} of {len(asked)}: {one.question}"
    return question("plan_choice", message, options=options, allow_multiple=one.all_of_the_above, expects="text")


def plan_approval(plan: Plan) -> dict[str, Any]:
    """The plan as text, to be started as it is or with edited fields."""
    return question("plan_approval", plan_text(plan), options=[(APPROVE, "Start the research")], expects="text")


def plan_text(plan: Plan) -> str:
    """The plan in plain words."""
    lines = [f"Goal: {plan.goal}", f"Deliverable: {plan.deliverable}"]
    lines += [f"Constraints: {'; '.join(plan.constraints)}"] if plan.constraints else []
    lines += ["Steps:", *(f"{n}. {step}" for n, step in enumerate(plan.steps, 1))]
    lines += ["Searches:", *(f"- {query}" for query in plan.queries)]
    lines += [f"Web pages since: {plan.since}"] if plan.since else []
    pages = f"about {plan.estimated_pages} web pages" if plan.estimated_pages else "no web pages"
    cost = f"about ${plan.estimated_cost_usd:.2f}" if plan.estimated_cost_usd else "no model cost"
    return "\n".join([*lines, f"Estimate: {pages}, {cost}"])


def edited_plan(plan: Plan, value: str) -> Plan:
    """The plan with the fields of ``value``, a JSON object; as it is, if the value approves it. Raises InvalidInput:
    the value is neither."""
    if value.strip().lower() == APPROVE:
        return plan
    try:
        edits = _EDITS.validate_json(value)
        unknown = edits.keys() - (Plan.model_fields.keys() - _FIXED)
        if unknown:
            raise InvalidInput(f"A plan has no editable field {', '.join(sorted(unknown))}.")
        return checked_plan(Plan.model_validate({**plan.model_dump(), **edits}))
    except (ValidationError, json.JSONDecodeError):
        raise InvalidInput('Please answer "approve", or give the edited fields of the plan as JSON.') from None


def checked_plan(plan: Plan) -> Plan:
    """The plan as it can be carried out: storable, without empty lines. Raises InvalidInput: nothing to look for, or
    a line or a date that cannot be used."""
    lines = {name: _lines(getattr(plan, name)) for name in ("constraints", "steps", "queries")}
    goal, deliverable = (" ".join(storable(text).split()) for text in (plan.goal, plan.deliverable))
    if not goal or not lines["queries"]:
        raise InvalidInput("A plan needs a goal and at least one search.")
    if plan.since and iso_date(plan.since) != plan.since:
        raise InvalidInput("Please give the date as YYYY-MM-DD, or leave it empty.")
    return plan.model_copy(update={**lines, "goal": goal, "deliverable": deliverable})


def budget_approval(pages: int, usd: float) -> dict[str, Any]:
    """The guard before an expensive harvest, with the estimate (W5)."""
    cost = f" The models are estimated to cost ${usd:.2f}." if usd else ""
    message = f"{pages} web pages were found that may carry the report. Reading them all takes a while.{cost}"
    options = [("continue", f"Read all {pages} pages")]
    if pages > FEWER_PAGES:
        options.append(("fewer", f"Read the best {FEWER_PAGES} pages only"))
    return question("budget_approval", message, options=[*options, ("library_only", "Use the library only")])


def pages_kept(choice: str, pages: int) -> int:
    """How many of the pages are read."""
    return {"fewer": min(FEWER_PAGES, pages), "library_only": 0}.get(choice, pages)


def _lines(lines: Sequence[str]) -> list[str]:
    kept = [" ".join(storable(line).split()) for line in lines]
    kept = [line for line in kept if line]
    if len(kept) > _MOST_LINES or any(len(line) > _LONGEST_LINE for line in kept):
        raise InvalidInput(f"Please keep the plan to {_MOST_LINES} lines of each kind, none of them a page long.")
    return kept
