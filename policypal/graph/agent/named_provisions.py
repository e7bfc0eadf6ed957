"""Provisions that a question names by label or by topic: found with the evidence, read with it (A2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policypal.answer.questions import content_terms, topic_of
from policypal.db import documents as documents_db
from policypal.domain.documents import Document, DocumentStatus, DocumentType, Passage, RetrievedPassage
from policypal.domain.versions import superseded_by
from policypal.graph.agent.state import AgentState, subject_of
from policypal.graph.context import NodeContext
from policypal.search.hybrid import MAX_PER_DOCUMENT, MAX_RESULTS
from policypal.search.labels import asked_label
from policypal.search.lookup import MOST_DOCUMENTS, Found, by_heading, by_label

_MOST_OTHER_TERMS = 1
"""With more words of content beside the label, something in the provision is asked for, not the provision."""


def named_provisions(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """What the state keeps of them: "article 17", or the section whose heading names the topic. Superseded editions are left
    out where the edition in force has the provision, too."""
    words = subject_of(state, context.run.library)
    scope = state["resolved_doc_ids"] or None
    db, user = context.services.db, context.run.user_id
    found, whole = list[Found](), True
    if asked := asked_label(words):
        label, rest = asked
        found, whole = by_label(db, user, label, scope), len(content_terms(rest)) <= _MOST_OTHER_TERMS
    if not found and (topic := topic_of(words)):
        hits = context.services.search.find(
            user, topic, document_ids=scope, limit=MAX_RESULTS, per_document=MAX_PER_DOCUMENT
        )
        found, whole = by_heading(db, user, topic, hits), True
    types = {d.id: d.type for d in context.run.library}
    found = sorted(found, key=lambda f: types.get(f.document_id) is DocumentType.COMPANY)
    kept = _of_editions_in_force(found, superseded_editions(context))[:MOST_DOCUMENTS]
    return {"provisions": [_kept(f) for f in kept], "provisions_answer": bool(kept) and whole}


def superseded_editions(context: NodeContext) -> dict[str, Document]:
    """By the id of each superseded edition that can be read: the one in force."""
    return superseded_by([d for d in context.run.library if d.status is DocumentStatus.READY])


def _of_editions_in_force(found: Sequence[Found], newer: dict[str, Document]) -> list[Found]:
    having = {f.document_id for f in found}
    return [f for f in found if f.document_id not in newer or newer[f.document_id].id not in having]


def _kept(found: Found) -> dict[str, Any]:
    stretches = [[s.page, s.start, s.end] for s in found.provision.stretches]
    return {
        "document_id": found.document_id, "heading": found.provision.heading, "share": round(found.share, 2),
        "stretches": stretches,
    }  # fmt: skip


def load_provisions(state: AgentState, context: NodeContext) -> list[RetrievedPassage]:
    """The provisions of the state as passages, one per page they stand on."""
    documents = {d.id: d for d in context.run.library}
    kept = [p for p in state["provisions"] if p["document_id"] in documents]
    wanted = [(p["document_id"], page) for p in kept for page, _, _ in p["stretches"]]
    texts = documents_db.load_page_texts(context.services.db, context.run.user_id, sorted(set(wanted)))
    return [
        _passage(documents[p["document_id"]], p["heading"], page, start, end, texts[p["document_id"], page])
        for p in kept
        for page, start, end in p["stretches"]
        if (p["document_id"], page) in texts
    ]


def _passage(document: Document, heading: str, page: int, start: int, end: int, text: str) -> RetrievedPassage:
    passage = Passage(
        id="", document_id=document.id, document_title=document.title, document_version=document.version,
        document_type=document.type, ordinal=0, page=page, start=start, end=end, heading=heading, text=text[start:end],
    )  # fmt: skip
    return RetrievedPassage(passage, score=1.0, similarity=0.0, coverage=1.0)
