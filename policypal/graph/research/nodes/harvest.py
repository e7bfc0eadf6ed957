"""Which pages are read, and the reading of each (W4, W5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from policypal.domain.conversations import TraceEntry
from policypal.domain.research import Plan
from policypal.graph.observe import Node
from policypal.graph.research import notices, questions
from policypal.graph.research.nodes.search import library_hits, web_hits, web_problems
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import HarvestState
from policypal.research.candidates import is_outdated
from policypal.web.harvest import Harvested
from policypal.web.urls import normalised_url

MAX_PAGES = 60


def weigh_harvest(state: HarvestState, context: ResearchContext) -> dict[str, Any]:
    """The pages worth reading, best first, and a question where they are more than is read unasked. No model."""
    plan = Plan(**state["plan"] or {})
    excluded = set(state.get("excluded", []))
    hits = [
        h for h in web_hits(state) if normalised_url(h.url) not in excluded and not is_outdated(h.published, plan.since)
    ]
    pages = hits[:MAX_PAGES]
    found = len(library_hits(state)) + len(hits)
    context.show("weigh_harvest", {"hits": found, "pages": len(pages)})
    costly = len(pages) > questions.MOST_PAGES_UNASKED or (
        bool(pages) and plan.estimated_cost_usd > questions.MOST_USD_UNASKED and state["mode"] == "auto"
    )
    problems = [notices.web_problem(p) for p in web_problems(state)]
    return {
        "to_read": [asdict(h) for h in pages],
        "counts": {**state.get("counts", {}), "hits": found, "pages": len(pages)},
        "question": questions.budget_approval(len(pages), plan.estimated_cost_usd) if costly else None,
        "notices": notices.with_notice(state.get("notices", []), *problems),
    }


def reading(page: dict[str, Any]) -> dict[str, Any]:
    """What the reading of a page is sent."""
    return {"url": page["url"]}


def harvest_page(sent: Mapping[str, Any], context: ResearchContext) -> dict[str, Any]:
    """One page, or why it cannot be had: that never fails the run, and is in its log (W7)."""
    pages = context.services.pages
    if pages is None:  # a provider's key was taken away meanwhile
        return {"pages": {}}
    found = pages.read(context.run.user_id, sent["url"], until=context.harvest_deadline)
    context.run.recorder.trace(TraceEntry("page", "web", found.seconds, found.told()))
    context.count("harvest_page", read=int(found.page is not None), unreadable=int(found.page is None))
    return {"pages": {normalised_url(sent["url"]): found.plain()}}


def harvested(state: HarvestState) -> list[Harvested]:
    """What came of the pages, in a stable order."""
    held = state.get("pages", {})
    return [Harvested.of_plain(held[key]) for key in sorted(held)]


STAGES: Mapping[str, Node] = {"weigh_harvest": weigh_harvest, "harvest_page": harvest_page}
