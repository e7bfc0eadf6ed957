"""Stage 4: find the passages an action will read (A1–A4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from policypal.answer.rewrite_query import REWRITE_QUERY, RewriteInput
from policypal.db import index
from policypal.domain.documents import Document, Passage, RetrievedPassage
from policypal.errors import NotFound
from policypal.graph.agent import feedback
from policypal.graph.agent.named_provisions import named_provisions
from policypal.graph.agent.nodes.web_search import wish_for_web
from policypal.graph.agent.reading import WHOLE_DOCUMENT_CHUNKS, evenly, passages_read
from policypal.graph.agent.state import AgentState, history_lines, names_of, subject_of
from policypal.graph.agent.topic import comparison_topic
from policypal.graph.context import NodeContext
from policypal.search.confidence import calibration, cautious, retrieval_confidence
from policypal.search.sampling import sample_size
from policypal.search.serving import coverage_of, serving_for


def retrieve(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Leaves references to passages, grouped by document; the action loads their text.

    Raises:
        NotFound: a document was deleted while a question was open.
    """
    _check_library(state, context)
    if state["action"] == "inquire":
        return _for_question(state, context)
    if state["action"] == "summarize":
        return _for_summary(state, context)
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


def _for_summary(state: AgentState, context: NodeContext) -> dict[str, Any]:
    def sample(passages: Sequence[Passage]) -> list[Passage]:
        return evenly(passages, sample_size(len(passages), at_least=10, at_most=30))

    return {"evidence": _read(passages_read(resolved(state, context), context, sample=sample))}


def _for_comparison(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """The documents, and where they do not fit a sample of them: on the topic, if there is one, else evenly (A3)."""
    topic = comparison_topic(state["clean_query"], names_of(state, context.run.library))

    def sample(passages: Sequence[Passage]) -> list[Passage]:
        if topic:
            return _found(context, topic, passages, 5)
        return evenly(passages, sample_size(len(passages), at_least=15, at_most=20))

    evidence = _read(passages_read(resolved(state, context), context, sample=sample))
    if topic and context.services.by_rules:
        evidence = _scored(evidence, state, context, topic)
    return {"evidence": evidence, "topic": topic, "search_query": topic}


def _scored(
    evidence: Sequence[dict[str, Any]], state: AgentState, context: NodeContext, topic: str
) -> list[dict[str, Any]]:
    """The references with the scores of a search: the rules weigh a statement by its passage, too."""
    ids = state["resolved_doc_ids"]
    hits = context.services.search.find(
        context.run.user_id, topic, document_ids=ids, limit=15 * len(ids), per_document=15
    )
    scores = {h.passage.id: _reference(h) for h in hits}
    return [scores.get(e["id"], e) for e in evidence]


def _for_audit(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """The source, then the targets, whole (A0)."""
    source_id, targets = state["source_doc_id"], state["target_doc_ids"]
    user, db = context.run.user_id, context.services.db
    documents = _documents([*([source_id] if source_id else []), *targets], context)
    held = {d.id: evenly(index.load_passages(db, user, d.id), WHOLE_DOCUMENT_CHUNKS) for d in documents}
    return {"evidence": _read(held), "themes": []}


def _found(context: NodeContext, query: str, passages: Sequence[Passage], limit: int) -> list[Passage]:
    """The passages of one document that a search puts first, in reading order."""
    ids = list({p.document_id for p in passages})
    hits = context.services.search.find(context.run.user_id, query, document_ids=ids, limit=limit)
    return sorted((h.passage for h in hits), key=lambda p: p.ordinal)


def _documents(ids: Sequence[str], context: NodeContext) -> list[Document]:
    return [d for i in ids for d in context.run.library if d.id == i]


def resolved(state: AgentState, context: NodeContext) -> list[Document]:
    """The documents of the turn, in their order."""
    return _documents(state["resolved_doc_ids"], context)


def _read(passages: Mapping[str, Sequence[Passage]]) -> list[dict[str, Any]]:
    """References to passages that nobody searched for."""
    return [{"id": p.id, "score": 0.0, "similarity": 0.0, "coverage": 0.0} for read in passages.values() for p in read]


def _reference(hit: RetrievedPassage) -> dict[str, Any]:
    return {
        "id": hit.passage.id, "score": round(hit.score, 4),
        "similarity": round(hit.similarity, 4), "coverage": round(hit.coverage, 4),
    }  # fmt: skip


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
