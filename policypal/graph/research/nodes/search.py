"""The plan's queries, asked of the library and of the web (W1, W3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import RetrievedPassage
from policypal.domain.events import STATUS_MESSAGES, StatusEvent
from policypal.domain.research import Plan
from policypal.errors import WebSearchError
from policypal.graph.context import NodeContext
from policypal.graph.observe import Node
from policypal.graph.public_query import leaving
from policypal.graph.research import notices
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import HarvestState, parts
from policypal.research.scope import sources_in_force
from policypal.web.meta_search import MetaFound, fused
from policypal.web.search import WebHit

PASSAGES_PER_QUERY = 30
PER_DOCUMENT = 4
RESULTS_PER_PROVIDER = 10


def look_up(state: HarvestState, context: ResearchContext) -> dict[str, Any]:
    """What is going to be searched for, and where."""
    plan = Plan(**state["plan"] or {})
    queries = list(dict.fromkeys(plan.queries))
    counts = {**state.get("counts", {}), "queries": len(queries)}
    context.show("look_up", {"queries": len(queries)})
    return {"queries": queries, "searches_web": context.services.meta_search is not None, "counts": counts}


def lookup(state: HarvestState, query: str) -> dict[str, Any]:
    """What a search is sent."""
    plan = Plan(**state["plan"] or {})
    return {"query": query, "goal": state["goal"], "document_ids": plan.document_ids or state.get("document_ids", [])}


def search_library(sent: Mapping[str, Any], context: ResearchContext) -> dict[str, Any]:
    """The passages of the library for one query, of several documents."""
    named = [d.id for d in context.run.library if d.status == "ready" and d.id in sent["document_ids"]]
    wanted = named if sent["document_ids"] else [d.id for d in sources_in_force(context.run.library, sent["goal"])]
    found = context.services.search.find(
        context.run.user_id, sent["query"], document_ids=wanted, limit=PASSAGES_PER_QUERY,
        per_document=PER_DOCUMENT if len(wanted) > 1 else PASSAGES_PER_QUERY,
    )  # fmt: skip
    context.count("search_library", hits=len(found))
    return {"hits": {f"library {sent['query']}": [_plain(hit) for hit in found]}}


def search_web(sent: Mapping[str, Any], context: ResearchContext) -> dict[str, Any]:
    """The pages that all providers found for one query, fused. A search that fails costs the report its pages only."""
    meta = context.services.meta_search
    query = leaving(context, sent["query"], sent["goal"]) if meta is not None else None
    if meta is None or query is None:
        return {"hits": {f"web {sent['query']}": {"hits": [], "problem": notices.WITHHELD if meta else ""}}}
    context.run.tell(StatusEvent(node="search_web", message=STATUS_MESSAGES["search_web"], web_query=query.text))
    try:
        found = meta.search(context.run.user_id, query, max_results=RESULTS_PER_PROVIDER)
    except WebSearchError as error:
        context.run.recorder.trace(TraceEntry("search", "web", 0.0, {"query": query.text, "problem": error.message}))
        return {"hits": {f"web {sent['query']}": {"hits": [], "problem": error.message}}}
    _record(context, query.text, found)
    context.count("search_web", hits=len(found.hits))
    return {"hits": {f"web {sent['query']}": {"hits": [_plain_hit(h) for h in found.hits], "problem": ""}}}


def library_hits(state: HarvestState) -> list[dict[str, Any]]:
    """What the library's searches found, query by query."""
    found = {key: hits for key, hits in state.get("hits", {}).items() if key.startswith("library ")}
    return [hit for hits in parts(found) for hit in hits]


def web_hits(state: HarvestState) -> list[WebHit]:
    """The pages that the queries found, every page once, best first."""
    return fused([WebHit(**hit) for hit in found["hits"]] for found in _web(state))


def web_problems(state: HarvestState) -> list[str]:
    """Why searches of the web brought nothing, each reason once."""
    return list(dict.fromkeys(found["problem"] for found in _web(state) if found["problem"]))


def _web(state: HarvestState) -> list[dict[str, Any]]:
    return parts({key: found for key, found in state.get("hits", {}).items() if key.startswith("web ")})


def _record(context: NodeContext, query: str, found: MetaFound) -> None:
    for asked in found.asked:
        detail: dict[str, Any] = {"query": query, "provider": asked.provider, "results": len(asked.hits)}
        if asked.is_cached:
            detail["cache"] = "hit"
        if asked.failure is not None:
            detail["problem"] = asked.failure.message
        context.run.recorder.trace(TraceEntry("search", "web", asked.seconds, detail))


def _plain(hit: RetrievedPassage) -> dict[str, Any]:
    return {"id": hit.passage.id, "score": hit.score, "similarity": hit.similarity, "coverage": hit.coverage}


def _plain_hit(hit: WebHit) -> dict[str, Any]:
    return {
        "url": hit.url, "title": hit.title, "excerpt": hit.excerpt, "published": hit.published, "score": hit.score,
    }  # fmt: skip


STAGES: Mapping[str, Node] = {"look_up": look_up, "search_library": search_library, "search_web": search_web}
