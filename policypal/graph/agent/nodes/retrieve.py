"""Stage 4: find the passages an action will read (A1–A4), and ask where there are none to answer from (C4, C5)."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from policypal.db import index
from policypal.domain.documents import Document, Passage, RetrievedPassage
from policypal.domain.interrupts import question
from policypal.errors import NotFound
from policypal.graph.agent import feedback
from policypal.graph.agent.nodes.web_search import is_in_doubt, wish_for_web
from policypal.graph.agent.provisions import material, rated
from policypal.graph.agent.reading import Read, read_documents
from policypal.graph.agent.readings import readings_of
from policypal.graph.agent.state import AgentState, documents_read, names_of, request_of
from policypal.graph.agent.topic import asked_in_own_words
from policypal.graph.agent.versions import places_of, versions_among
from policypal.graph.context import NodeContext
from policypal.request.route import Route, search_words
from policypal.request.subject import subject_words
from policypal.search.serving import coverage_of, serving_for
from policypal.search.vocabulary import without_slips
from policypal.text.clauses import Place

QUESTION_RESULTS = 30
QUESTION_RESULTS_EACH = 12
"""Passages a question is looked for in, and how many of one document where there are others."""


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
    return {}  # an audit reads provisions


def _check_library(state: AgentState, context: NodeContext) -> None:
    here = {d.id for d in context.run.library}
    if gone := [title for i, title in state["resolved_doc_titles"].items() if i not in here]:
        raise NotFound(f"No longer in your library: {', '.join(gone)}. Please tag again.")


def _for_question(state: AgentState, context: NodeContext) -> dict[str, Any]:
    words, *further = _queries(state, context)
    query = without_slips(context.services.db, context.run.user_id, words)
    scope = documents_read(state)
    search = context.services.search
    serving = serving_for(coverage_of(d for d in context.run.library if not scope or d.id in scope), search.embedder)
    each = QUESTION_RESULTS if scope and len(scope) == 1 else QUESTION_RESULTS_EACH

    def found(words: str) -> list[RetrievedPassage]:
        return search.find(
            context.run.user_id, words, document_ids=scope, limit=QUESTION_RESULTS, per_document=each, serving=serving
        )

    hits = _in_turns([found(words) for words in (query, *further)], QUESTION_RESULTS)
    needs_no_web = is_in_doubt(state) and rated(query, material(state, context, query, hits).evidence).level == "high"
    update = {
        "search_query": query, "evidence": [_reference(h) for h in hits],
        **wish_for_web(state, context, found=bool(hits), is_answered=needs_no_web),
    }  # fmt: skip
    if not serving.is_indexed and not context.run.without_model:
        update["notices"] = [*update.get("notices", state["notices"]), feedback.INDEX_INCOMPLETE]
    return update


def _queries(state: AgentState, context: NodeContext) -> list[str]:
    """The question on its own and further queries, as the message was read; else the rules' one query (A2)."""
    if state["search_query"]:
        return [state["search_query"]]
    library = context.run.library
    names = names_of(state, library)
    if read := search_words(Route(**state["route"])) if state["route"] else []:
        return [subject_words(words, names) for words in read]
    return [asked_in_own_words(state, library)]


def _in_turns(found: Sequence[Sequence[RetrievedPassage]], limit: int) -> list[RetrievedPassage]:
    """The best of every search, then the second best of each, and so on; each passage once."""
    turns = [hit for hits in zip_longest(*found) for hit in hits if hit is not None]
    return (
        list({hit.passage.id: hit for hit in reversed(turns)}.values())[::-1][:limit]
        if len(found) > 1
        else list(found[0])
    )


def _for_summary(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """The documents for a model; the rules read their provisions instead (A0)."""
    if context.services.by_rules:
        return {"evidence": []}
    return _read(read_documents(state, context, resolved(state, context), request_of(state).focus))


def _for_comparison(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """The documents, on the topic if there is one (A3). The rules read their provisions instead."""
    topic = request_of(state).focus
    update = {"evidence": [], "topic": topic, "search_query": topic}
    if context.services.by_rules:
        return update
    documents = resolved(state, context)

    def changed() -> list[tuple[str, Place]]:
        found = versions_among(readings_of(documents, context), context)
        return places_of(found.about(topic) if topic else found) if found else []

    return {**update, **_read(read_documents(state, context, documents, topic, changed))}


def _documents(ids: Sequence[str], context: NodeContext) -> list[Document]:
    return [d for i in ids for d in context.run.library if d.id == i]


def resolved(state: AgentState, context: NodeContext) -> list[Document]:
    """The documents of the turn, in their order."""
    return _documents(state["resolved_doc_ids"], context)


def _read(read: Read) -> dict[str, Any]:
    """References to passages that nobody searched for, and how it came to them."""
    unranked = {"score": 0.0, "similarity": 0.0, "coverage": 0.0}
    evidence = [{"id": p.id, **unranked} for passages in read.passages.values() for p in passages]
    return {**read.totals, "evidence": evidence, "read_in_parts": dict(read.parts)}


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


def check_retrieval_confidence(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """PalAssist asks only before a model would answer from general knowledge although there are documents, none of which can
    be searched. Where there are passages, the nearest are shown; without a model nothing is asserted (C5)."""
    unread = state["action"] == "inquire" and bool(context.run.library) and not state["evidence"]
    without_model = context.services.by_rules
    if not unread or without_model or state["low_accepted"] or state["web_evidence"]:
        return {"question": None}
    options = [
        ("tag_docs", "📄 Tag specific documents"),
        ("web_search", "🌐 Search the web"),
        ("continue", "Continue anyway with disclaimer"),
    ]
    if context.services.web is None or state["web_query"]:  # searched already, in vain
        options = [o for o in options if o[0] != "web_search"]
    asked = question("retrieval_low", "None of your documents could be searched.", options=options)
    return {"question": asked}
