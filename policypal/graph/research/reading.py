"""What a model reads of the documents of a report: all of them where they can be read, as for a summary (A0, docs/decisions/0064)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from policypal.domain.documents import Document, DocumentStatus, Passage
from policypal.domain.extents import Extent, read_in_full
from policypal.domain.research import Source, SourcePassage
from policypal.domain.text import counted
from policypal.graph.agent.reading import fits_whole, read_documents
from policypal.graph.context import NodeContext
from policypal.graph.research.state import HarvestState
from policypal.request.composer import MAX_DOCUMENTS
from policypal.research.ranking import Chosen
from policypal.web.search import one_line

_SNIPPET_CHARACTERS = 240


@dataclass(frozen=True, slots=True)
class Material:
    """What a report is written from. ``extents`` are those of the documents that were read, none where passages were searched for;
    ``totals`` are the run's new ones, empty where no model was asked."""

    sources: Sequence[Source]
    passages: Sequence[SourcePassage]
    extents: Sequence[Extent] = ()
    totals: dict[str, Any] = field(default_factory=dict)


def material(state: HarvestState, context: NodeContext, chosen: Chosen, named: Sequence[str]) -> Material:
    """The few documents that are ``named``, whole or chosen part by part; without these the documents that the search found, whole where
    they fit one request. Otherwise, and for the rules, the passages that the search found.

    Raises:
        BudgetExceeded: the next part is not covered; those before it are kept.
        RunStopped: likewise.
    """
    found = {s.key for s in chosen.sources}
    ready = [d for d in context.run.library if d.status is DocumentStatus.READY]
    few = [d for d in ready if d.id in named and d.id not in state.get("excluded", [])]
    documents = few if 0 < len(few) <= MAX_DOCUMENTS else [d for d in ready if d.id in found]
    is_searched = context.services.by_rules or not documents
    if is_searched or (documents is not few and not fits_whole(context, documents)):
        return Material(chosen.sources, chosen.passages)
    read = read_documents(state, context, documents, state["goal"])
    extents = [
        Extent.of(d, d.pages - d.pages_without_text, d.chunks).model_copy(
            update={"parts": read.parts.get(d.id), "chosen": len(read.passages[d.id])}
        )
        for d in documents
    ]
    added = [_source(d, read.passages[d.id]) for d in documents if d.id not in found]
    whole = [_passage(p, chosen.passages) for d in documents for p in read.passages[d.id]]
    pages = [p for p in chosen.passages if p.source not in read.passages]
    return Material([*chosen.sources, *added], [*whole, *pages], extents, dict(read.totals))


def told(extents: Sequence[Extent], sources: Sequence[Source]) -> str:
    """What was read of the documents, in a sentence; "" where there is none."""
    documents = [s for s in sources if s.source_type == "document"]
    read = [e for e in extents if any(s.document_id == e.document_id for s in documents)]
    if read:
        return read_in_full(read)
    return f"Searched, not read whole: {counted(len(documents), 'document')}." if documents else ""


def _source(document: Document, passages: Sequence[Passage]) -> Source:
    """A document that was named, in which the search found nothing."""
    snippet = one_line(passages[0].text, _SNIPPET_CHARACTERS) if passages else ""
    return Source(
        key=document.id, source_type="document", title=document.title, host=document.version, document_id=document.id,
        snippet=snippet, why_used="Chosen for this report, and read whole.",
    )  # fmt: skip


def _passage(passage: Passage, found: Sequence[SourcePassage]) -> SourcePassage:
    """With the score of what the search found there, 0 where it found nothing."""
    scores = (
        f.score
        for f in found
        if (f.source, f.page) == (passage.document_id, passage.page)
        and f.start < passage.end
        and passage.start < f.start + len(f.text)
    )
    return SourcePassage(
        source=passage.document_id, text=passage.text, start=passage.start, chunk_id=passage.id, page=passage.page,
        heading=passage.heading, score=max(scores, default=0.0),
    )  # fmt: skip
