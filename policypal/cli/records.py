"""What goes out as JSON for a program to read (section K)."""

from typing import Any

from policypal.domain.documents import Document, RetrievedPassage
from policypal.domain.events import Event, ResponseEvent, StatusEvent
from policypal.domain.register import RegisterEntry

_OF_A_DOCUMENT = (
    "id", "title", "version", "type", "set_name", "aliases", "status", "reason", "pages", "pages_without_text", "chunks", "sha256",
)  # fmt: skip


def document_record(document: Document, *, status: str | None = None, reason: str | None = None) -> dict[str, Any]:
    """A document; ``status`` and ``reason`` replace its own, for an outcome that concerns the file handed in."""
    told = {name.removesuffix("_name"): getattr(document, name) for name in _OF_A_DOCUMENT}
    return {
        **told,
        "aliases": list(document.aliases),
        "status": status or document.status,
        "reason": reason or document.reason,
    }


def passage_record(rank: int, hit: RetrievedPassage) -> dict[str, Any]:
    """A search result; ``rank`` counts from 1."""
    passage = hit.passage
    named = {"document_id": passage.document_id, "title": passage.document_title, "version": passage.document_version}
    where = {name: getattr(passage, name) for name in ("page", "start", "end", "text")}
    return {"rank": rank, **named, **where, "score": hit.score, "similarity": hit.similarity}


def register_record(entry: RegisterEntry) -> dict[str, Any]:
    """An entry of a register (D12); ``counts`` says whether it is an obligation in scope."""
    told = {
        name: getattr(entry, name)
        for name in ("label", "heading", "start", "end", "kind", "party", "text", "introduction")
    }
    return {
        "id": entry.entry, **told, "page": entry.page or None, "counts": entry.counts, "struck": entry.is_struck,
        "limits": [{"limit": limit.words, "measures": limit.measures} for limit in entry.limits],
        "merged_into": entry.merged_into or None, "added": entry.is_added, "note": entry.note, "model": entry.model_says,
    }  # fmt: skip


def event_record(event: Event) -> dict[str, Any]:
    """An event of G12. Only an audit's response has ``report`` and ``coverage``, only a research report's ``research``."""
    record: dict[str, Any] = event.model_dump(mode="json", exclude_none=isinstance(event, StatusEvent))
    if isinstance(event, ResponseEvent):
        if event.report is None:
            del record["report"], record["coverage"]
        if event.research is None:
            del record["research"]
    return record
