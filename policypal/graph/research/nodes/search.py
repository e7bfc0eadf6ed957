"""The plan's queries, asked of the library and of the web (W1, W3)."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from policypal.db import index
from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import RetrievedPassage
from policypal.domain.events import STATUS_MESSAGES, StatusEvent
from policypal.domain.research import Plan
from policypal.errors import WebSearchError
from policypal.graph.observe import Node
from policypal.graph.public_query import leaving
from policypal.graph.research import notices, questions
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.reading import material
from policypal.graph.research.state import HarvestState, parts
from policypal.research.candidates import is_outdated
from policypal.research.ranking import Limits
from policypal.research.ranking import choose_sources as chosen_from
from policypal.research.scope import sources_in_force
from policypal.search.provisions import provisions_of
from policypal.search.question import looked_up
from policypal.web.harvest import Harvested
from policypal.web.meta_search import fused
from policypal.web.search import WebHit
from policypal.web.urls import normalised_url

PASSAGES_PER_QUERY = 30
PER_DOCUMENT = 8
RESULTS_PER_PROVIDER = 10


def look_up(state: HarvestState, context: ResearchContext) -> dict[str, Any]:
    """What is going to be searched for, and where."""
    plan = Plan(**state["plan"] or {})
    queries = list(dict.fromkeys(plan.queries))
    has_web = context.services.meta_search is not None
    return {"queries": queries, "searches_web": has_web, "counts": {"queries": len(queries)}}


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
    kept = [{"id": h.passage.id, "score": h.score, "similarity": h.similarity, "coverage": h.coverage} for h in found]
    return {"found": {sent["query"]: kept}}


def search_web(sent: Mapping[str, Any], context: ResearchContext) -> dict[str, Any]:
    """The pages that all providers found for one query, fused. A search that fails costs the report its pages only."""
    meta = context.services.meta_search
    query = leaving(context, sent["query"], sent["goal"]) if meta is not None else None
    if meta is None or query is None:
        return {"web_hits": {sent["query"]: {"hits": [], "problem": notices.WITHHELD if meta else ""}}}
    context.run.tell(StatusEvent(node="search_web", message=STATUS_MESSAGES["search_web"], web_query=query.text))
    try:
        found = meta.search(context.run.user_id, query, max_results=RESULTS_PER_PROVIDER)
    except WebSearchError as error:
        context.run.recorder.trace(TraceEntry("search", "web", 0.0, {"query": query.text, "problem": error.message}))
        return {"web_hits": {sent["query"]: {"hits": [], "problem": error.message}}}
    for asked in found.asked:
        context.run.recorder.trace(asked.told(query))
    context.count("search_web", hits=len(found.hits))
    return {"web_hits": {sent["query"]: {"hits": [asdict(h) for h in found.hits], "problem": ""}}}


def library_hits(state: HarvestState) -> list[dict[str, Any]]:
    """What the library's searches found, query by query."""
    return [hit for hits in parts(state.get("found", {})) for hit in hits]


def web_hits(state: HarvestState) -> list[WebHit]:
    """The pages that the queries found, every page once, best first."""
    return fused([WebHit(**hit) for hit in found["hits"]] for found in parts(state.get("web_hits", {})))


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
    costly = len(pages) > questions.MOST_PAGES_UNASKED or (
        bool(pages) and plan.estimated_cost_usd > questions.MOST_USD_UNASKED and state["mode"] == "auto"
    )
    problems = [notices.web_problem(found["problem"]) for found in parts(state.get("web_hits", {})) if found["problem"]]
    return {
        "to_read": [asdict(h) for h in pages],
        "counts": {"hits": found, "pages": len(pages)},
        "question": questions.budget_approval(len(pages), plan.estimated_cost_usd) if costly else None,
        "notices": notices.with_notice(state.get("notices", []), *problems),
    }


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


MOST_PER_SOURCE = 12


def choose_sources(state: HarvestState, context: ResearchContext) -> dict[str, Any]:
    """Everything found, each text once, ranked; at most so many, with the passages a report may quote. A model is asked only to choose from
    the parts of a named document that is too large for it, and what it chose is kept."""
    pages = harvested(state)
    read = {p.url for p in pages}
    library = _passages_found(state, context)
    db, user, plan = context.services.db, context.run.user_id, Plan(**state["plan"] or {})
    words = looked_up(" ".join(state["queries"]))
    common = index.corpus_frequencies(db, user, words)  # how common they are in the library
    chosen = chosen_from(
        state["queries"],
        library=library,
        hits=[h for h in web_hits(state) if h.url in read],
        harvested=pages,
        today=datetime.now(UTC).date(),
        since=plan.since,
        excluded=state.get("excluded", []),
        limits=_limits_for(
            len({h.passage.document_id for h in library}) + sum(p.page is not None for p in pages),
            by_rules=context.services.by_rules,
        ),
        common=common,
    )
    chosen_alone = [notices.CHOSEN_LIBRARY] if web_hits(state) and not state["to_read"] else []
    alone = chosen_alone if state["searches_web"] else [notices.LIBRARY_ALONE]
    counts = {
        "read": sum(p.page is not None for p in pages), "unreadable": sum(p.page is None for p in pages),
        "kept": len(chosen.sources), "copies": chosen.copies,
    }  # fmt: skip
    given = material(state, context, chosen, plan.document_ids)
    # documents before web pages: evidence is numbered in this order, and so are citations
    documents = {s.key for s in given.sources if s.source_type == "document"}
    passages = sorted(given.passages, key=lambda p: p.source not in documents)
    return {
        **given.totals,
        "sources": [s.model_dump(mode="json") for s in given.sources],
        "reading": [e.model_dump() for e in given.extents],
        "passages": [p.model_dump(mode="json") for p in passages],
        "common": [common[0], {str(term): count for term, count in common[1].items()}],
        "counts": counts,
        "notices": notices.with_notice(state.get("notices", []), *alone),
    }


def _passages_found(state: HarvestState, context: ResearchContext) -> list[RetrievedPassage]:
    """The provisions that the passages found stand in, as they are now: of a document that was deleted meanwhile nothing is left."""
    hits = library_hits(state)
    db, user = context.services.db, context.run.user_id
    held = {p.id: p for p in index.passages_by_id(db, user, [h["id"] for h in hits])}
    found = [
        RetrievedPassage(held[h["id"]], h["score"], h["similarity"], h["coverage"]) for h in hits if h["id"] in held
    ]
    return provisions_of(db, user, found, {d.id: d for d in context.run.library})


def _limits_for(sources: int, *, by_rules: bool) -> Limits:
    """Few sources speak at more length; the rules, who pay for no passage, are given whole sections."""
    usual = Limits()
    if by_rules:
        return replace(usual, passages=usual.passages * 4, per_source=MOST_PER_SOURCE * 4)
    return replace(usual, per_source=max(usual.per_source, min(MOST_PER_SOURCE, usual.passages // max(1, sources))))


STAGES: Mapping[str, Node] = {
    "look_up": look_up, "search_library": search_library, "search_web": search_web, "weigh_harvest": weigh_harvest,
    "harvest_page": harvest_page, "choose_sources": choose_sources,
}  # fmt: skip
