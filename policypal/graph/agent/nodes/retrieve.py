"""Stage 4: find the passages an action will read (A1–A4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from policypal.db import index
from policypal.domain.documents import Passage, RetrievedPassage
from policypal.errors import NotFound
from policypal.graph.agent import feedback
from policypal.graph.agent.named_provisions import named_provisions
from policypal.graph.agent.nodes.web_search import wish_for_web
from policypal.graph.agent.state import AgentState, history_lines, names_of, subject_of
from policypal.graph.agent.topic import comparison_topic
from policypal.graph.context import NodeContext
from policypal.services.llm.tasks.extract_themes import EXTRACT_THEMES, ThemesInput
from policypal.services.llm.tasks.rewrite_query import REWRITE_QUERY, RewriteInput
from policypal.services.retrieval.confidence import calibration, cautious, retrieval_confidence
from policypal.services.retrieval.sampling import sample_size, stratified_ordinals
from policypal.services.retrieval.serving import coverage_of, serving_for

WHOLE_DOCUMENT_CHUNKS = 2000
"""How much of a document the keyless engine reads at most, spread evenly; about 600 pages."""


def retrieve(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Leaves references to passages; the action loads their text. Audits plan their own reading per target.

    Raises:
        NotFound: a document was deleted while a question was open.
    """
    _check_library(state, context)
    if state["action"] == "inquire":
        return _for_question(state, context)
    if state["action"] == "summarize":
        return {"evidence": _samples(state, context, at_least=10, at_most=30)}
    if state["action"] == "compare":
        return _for_comparison(state, context)
    return _for_audit(state, context)


def _check_library(state: AgentState, context: NodeContext) -> None:
    here = {d.id for d in context.run.library}
    if gone := [title for i, title in state["resolved_doc_titles"].items() if i not in here]:
        raise NotFound(f"No longer in your library: {', '.join(gone)}. Please tag again.")


def _for_question(state: AgentState, context: NodeContext) -> dict[str, Any]:
    query, totals = _query(state, context)
    scope = state["resolved_doc_ids"] or None
    search = context.services.search
    serving = serving_for(coverage_of(d for d in context.run.library if not scope or d.id in scope), search.embedder)
    floor = calibration(serving.embedder.model).floor
    hits = search.adaptive(context.run.user_id, query, document_ids=scope, floor=floor, serving=serving)
    level, score = retrieval_confidence(hits, serving.embedder.model)
    if _rests_on_recognised_text(hits, context):
        level, score = cautious(level, score, serving.embedder.model)
    update = {
        **totals, "search_query": query, "evidence": [_reference(h) for h in hits],
        "retrieval_confidence": level, "confidence_score": score, **wish_for_web(state, context, level, bool(hits)),
        **named_provisions(state, context),
    }  # fmt: skip
    if not serving.is_indexed and not context.run.without_model:
        update["notices"] = [*update.get("notices", state["notices"]), feedback.INDEX_INCOMPLETE]
    return update


def _rests_on_recognised_text(hits: Sequence[RetrievedPassage], context: NodeContext) -> bool:
    """Whether one of the three best passages was recognised on a picture (D7)."""
    recognised = context.run.ocr_pages
    return any((h.passage.document_id, h.passage.page) in recognised for h in hits[:3])


def _query(state: AgentState, context: NodeContext) -> tuple[str, dict[str, Any]]:
    """Rewritten once per turn; unchanged when no documents are named (A2)."""
    if state["search_query"]:
        return state["search_query"], {}
    titles = list(state["resolved_doc_titles"].values())
    library = context.run.library
    words = subject_of(state, library)
    if not titles and not state.get("conversation_docs"):
        return words, {}
    given = RewriteInput(
        clean_query=words,
        message=state["text"],
        titles=titles,
        names=list(names_of(state, library).called),
        action=state["action"],
        history=history_lines(state, last=None),
    )
    found, totals = context.run_task(state, REWRITE_QUERY, given)
    return found.query or words, totals


def _for_comparison(state: AgentState, context: NodeContext) -> dict[str, Any]:
    topic = comparison_topic(state["clean_query"], names_of(state, context.run.library))
    if not topic:
        return {"evidence": _samples(state, context, at_least=15, at_most=20), "topic": ""}
    each = 15 if context.services.engine.reads_whole_documents else 5
    ids = state["resolved_doc_ids"]
    hits = context.services.search.find(
        context.run.user_id, topic, document_ids=ids, limit=each * len(ids), per_document=each
    )
    return {"evidence": [_reference(h) for h in hits], "topic": topic, "search_query": topic}


def _for_audit(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """The keyless engine reads everything. A model reads 3–5 passages per target for a short source, and 2–3 per target
    and theme for a policy (A4)."""
    if context.services.engine.reads_whole_documents:
        return {"evidence": [], "themes": []}
    user, search = context.run.user_id, context.services.search
    targets = state["target_doc_ids"]
    if not state["source_doc_id"]:
        hits = search.find(user, state["source_text"][:4000], document_ids=targets, limit=25, per_document=5)
        return {"evidence": [_reference(h) for h in hits], "themes": []}
    source = index.load_passages(context.services.db, user, state["source_doc_id"])
    picked = [source[i].text for i in stratified_ordinals(len(source), 10)]
    found, totals = context.run_task(state, EXTRACT_THEMES, ThemesInput(passages=picked))
    hits = [
        h for theme in found.themes
        for h in search.find(user, theme, document_ids=targets, limit=3 * len(targets), per_document=3)
    ]  # fmt: skip
    return {**totals, "evidence": _unique(_reference(h) for h in hits), "themes": found.themes}


def _samples(state: AgentState, context: NodeContext, *, at_least: int, at_most: int) -> list[dict[str, Any]]:
    """Passages evenly over each document (A1); everything for an engine to which reading costs nothing."""
    db, user = context.services.db, context.run.user_id
    resolved = [d for i in state["resolved_doc_ids"] for d in context.run.library if d.id == i]
    evidence = []
    for document in resolved:
        chunks = document.chunks
        size = sample_size(chunks, at_least=at_least, at_most=at_most)
        if context.services.engine.reads_whole_documents:
            size = min(chunks, WHOLE_DOCUMENT_CHUNKS)
        passages = index.load_passages(db, user, document.id, stratified_ordinals(chunks, size))
        evidence += [{"id": p.id, "score": 0.0, "similarity": 0.0, "coverage": 0.0} for p in passages]
    return evidence


def _reference(hit: RetrievedPassage) -> dict[str, Any]:
    return {
        "id": hit.passage.id, "score": round(hit.score, 4),
        "similarity": round(hit.similarity, 4), "coverage": round(hit.coverage, 4),
    }  # fmt: skip


def _unique(references: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({r["id"]: r for r in references}.values())


def load_evidence(state: AgentState, context: NodeContext) -> list[RetrievedPassage]:
    """The passages the references of the state point to, in their order; those deleted meanwhile are left out."""
    references = {r["id"]: r for r in state["evidence"]}
    passages = index.passages_by_id(context.services.db, context.run.user_id, list(references))
    return [_retrieved(p, references[p.id]) for p in _ordered(passages, list(references))]


def _ordered(passages: Sequence[Passage], ids: Sequence[str]) -> list[Passage]:
    place = {i: n for n, i in enumerate(ids)}
    return sorted(passages, key=lambda p: place[p.id])


def _retrieved(passage: Passage, reference: dict[str, Any]) -> RetrievedPassage:
    return RetrievedPassage(passage, reference["score"], reference["similarity"], reference["coverage"])
