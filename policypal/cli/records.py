"""What goes out as JSON for a program to read (section K)."""

from typing import Any

from policypal.domain.documents import Document, RetrievedPassage
from policypal.domain.events import Event, ResponseEvent, StatusEvent
from policypal.domain.register import RegisterEntry


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


def register_record(entry: RegisterEntry) -> dict[str, Any]:
    """An entry of a register (D12); ``counts`` says whether it is an obligation in scope."""
    return {
        "id": entry.entry,
        "label": entry.label,
        "heading": entry.heading,
        "page": entry.page or None,
        "start": entry.start,
        "end": entry.end,
        "kind": entry.kind.value,
        "party": entry.party,
        "text": entry.text,
        "introduction": entry.introduction,
        "limits": [{"limit": limit.words, "measures": limit.measures} for limit in entry.limits],
        "counts": entry.counts,
        "struck": entry.is_struck,
        "merged_into": entry.merged_into or None,
        "added": entry.is_added,
        "note": entry.note,
        "model": entry.model_says,
    }


def event_record(event: Event) -> dict[str, Any]:
    """An event of G12. Only an audit's response has ``report`` and ``coverage``, only a research report's ``research``."""
    record: dict[str, Any] = event.model_dump(mode="json", exclude_none=isinstance(event, StatusEvent))
    if isinstance(event, ResponseEvent):
        if event.report is None:
            del record["report"], record["coverage"]
        if event.research is None:
            del record["research"]
    return record
