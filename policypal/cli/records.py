"""The JSON objects of the contract (section K)."""

from __future__ import annotations

from typing import Any

from policypal.domain.documents import Document, RetrievedPassage
from policypal.graph.events import Event, ResponseEvent, StatusEvent


def document_record(document: Document, *, status: str | None = None, reason: str | None = None) -> dict[str, Any]:
    """A document; ``status`` and ``reason`` replace its own, for an outcome that concerns the file handed in."""
    return {
        "id": document.id,
        "title": document.title,
        "version": document.version,
        "type": document.type.value,
        "set": document.set_name,
        "aliases": list(document.aliases),
        "status": status or document.status.value,
        "reason": reason or document.reason,
        "pages": document.pages,
        "pages_without_text": document.pages_without_text,
        "chunks": document.chunks,
        "sha256": document.sha256,
    }


def passage_record(rank: int, hit: RetrievedPassage) -> dict[str, Any]:
    """A search result; ``rank`` counts from 1."""
    passage = hit.passage
    return {
        "rank": rank,
        "document_id": passage.document_id,
        "title": passage.document_title,
        "version": passage.document_version,
        "page": passage.page,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
        "score": hit.score,
        "similarity": hit.similarity,
    }


def event_record(event: Event) -> dict[str, Any]:
    """An event of G12. Only an audit's response has ``report`` and ``coverage``."""
    record: dict[str, Any] = event.model_dump(mode="json", exclude_none=isinstance(event, StatusEvent))
    if isinstance(event, ResponseEvent) and event.report is None:
        del record["report"], record["coverage"]
    return record
