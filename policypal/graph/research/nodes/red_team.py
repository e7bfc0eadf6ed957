"""The gate before publication: what still speaks against the draft, and one chance to repair it (W3). No model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from policypal.domain.research import Plan, Source
from policypal.graph.research.drafts import Draft
from policypal.graph.research.evidence import keys_by_number
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import ResearchState
from policypal.research.red_team import Standards, review


def red_team(state: ResearchState, context: ResearchContext) -> dict[str, Any]:
    """The issues; the first time there are any, the writer gets the draft back with them."""
    draft, plan = Draft.of(state["draft"]), Plan(**state["plan"] or {})
    standards = Standards(datetime.now(UTC).date(), plan.since, _offered(state))
    sources = [Source(**s) for s in state["sources"]]
    issues = review(draft.sections, draft.citations, sources, standards)
    sent_back = bool(issues and draft.sections) and not state["repairs"]
    context.show("red_team", {"issues": len(issues)})
    counts = {**state.get("counts", {}), "issues": len(issues)}
    return {"issues": issues, "sent_back": sent_back, "repairs": state["repairs"] + sent_back, "counts": counts}


def _offered(state: ResearchState) -> dict[str, set[str]]:
    """The sources that each section was given to write from."""
    keys = keys_by_number(state)
    sections = (state.get("outlined") or {}).get("sections", [])
    return {s["heading"]: {keys[n] for n in s["evidence"] if n in keys} for s in sections}
