"""What the report is written from: sources by relevance, recency and authority, each with its reasons (W3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from policypal.db import index
from policypal.domain.documents import RetrievedPassage
from policypal.domain.research import Plan
from policypal.graph.observe import Node
from policypal.graph.research import notices
from policypal.graph.research.nodes.harvest import harvested
from policypal.graph.research.nodes.search import library_hits, web_hits
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import HarvestState
from policypal.research.ranking import Limits
from policypal.research.ranking import choose_sources as chosen_from

MOST_PER_SOURCE = 12


def choose_sources(state: HarvestState, context: ResearchContext) -> dict[str, Any]:
    """Everything found, each text once, ranked; at most so many, with the passages a report may quote. No model."""
    pages = harvested(state)
    read = {p.url for p in pages}
    plan = Plan(**state["plan"] or {})
    library = _library(state, context)
    chosen = chosen_from(
        state["queries"],
        library=library,
        hits=[h for h in web_hits(state) if h.url in read],
        harvested=pages,
        today=datetime.now(UTC).date(),
        since=plan.since,
        excluded=state.get("excluded", []),
        limits=_limits(len({h.passage.document_id for h in library}) + sum(p.page is not None for p in pages)),
    )
    counts = {
        "read": sum(p.page is not None for p in pages), "unreadable": sum(p.page is None for p in pages),
        "kept": len(chosen.sources), "copies": chosen.copies,
    }  # fmt: skip
    context.show("choose_sources", counts)
    # documents before web pages: evidence is numbered in this order, and so are citations
    documents = {s.key for s in chosen.sources if s.source_type == "document"}
    passages = sorted(chosen.passages, key=lambda p: p.source not in documents)
    return {
        "sources": [s.model_dump() for s in chosen.sources],
        "passages": [p.model_dump() for p in passages],
        "counts": {**state.get("counts", {}), **counts},
        "notices": notices.with_notice(state.get("notices", []), *_notices(state)),
    }


def _library(state: HarvestState, context: ResearchContext) -> list[RetrievedPassage]:
    """The passages found, as they are now: of a document that was deleted meanwhile nothing is left."""
    hits = library_hits(state)
    held = {p.id: p for p in index.passages_by_id(context.services.db, context.run.user_id, [h["id"] for h in hits])}
    return [
        RetrievedPassage(held[h["id"]], h["score"], h["similarity"], h["coverage"]) for h in hits if h["id"] in held
    ]


def _limits(sources: int) -> Limits:
    """Few sources speak at more length."""
    usual = Limits()
    return replace(usual, per_source=max(usual.per_source, min(MOST_PER_SOURCE, usual.passages // max(1, sources))))


def _notices(state: HarvestState) -> list[str]:
    if not state["searches_web"]:
        return [notices.LIBRARY_ALONE]
    return [notices.CHOSEN_LIBRARY] if web_hits(state) and not state["to_read"] else []


STAGES: Mapping[str, Node] = {"choose_sources": choose_sources}
