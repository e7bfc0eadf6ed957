"""The passages of a report's sources as tasks, quotations and citations see them: numbered from 1 by their place (C1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policypal.answer.evidence import Evidence
from policypal.domain.documents import DocumentType, Passage
from policypal.domain.research import Source, SourcePassage
from policypal.domain.web import WebPassage
from policypal.graph.citing import Citer, citer_for
from policypal.graph.context import NodeContext
from policypal.graph.web_evidence import numbered_web_evidence


def evidence_of(state: Mapping[str, Any]) -> list[Evidence]:
    """All passages, those of documents first."""
    documents, pages = _split(state)
    numbered = [
        Evidence(number=n, document=p.document_label, page=p.page, heading=p.heading, text=p.text, score=score)
        for n, (p, score) in enumerate(documents, 1)
    ]
    return [*numbered, *numbered_web_evidence(pages, after=len(numbered))]


def keys_by_number(state: Mapping[str, Any]) -> dict[int, str]:
    """The source of each numbered passage."""
    documents, pages = _split(state)
    keys = {s["url"]: s["key"] for s in state["sources"] if s["source_type"] == "web"}
    return dict(enumerate([*(p.document_id for p, _ in documents), *(keys[p.url] for p in pages)], 1))


def citer_of(state: Mapping[str, Any], context: NodeContext) -> Citer:
    """A citer for them; of a document that was deleted meanwhile nothing can be quoted any more."""
    documents, pages = _split(state)
    return citer_for(context, [p for p, _ in documents], pages)


def _split(state: Mapping[str, Any]) -> tuple[list[tuple[Passage, float]], list[WebPassage]]:
    sources = {s["key"]: Source(**s) for s in state["sources"]}
    passages = [(sources[p["source"]], SourcePassage(**p)) for p in state["passages"]]
    documents = [(_passage(s, p, n), p.score) for n, (s, p) in enumerate(passages) if s.source_type == "document"]
    return documents, [_web_passage(s, p) for s, p in passages if s.source_type == "web"]


def _passage(source: Source, passage: SourcePassage, ordinal: int) -> Passage:
    return Passage(
        id=passage.chunk_id, document_id=source.key, document_title=source.title, document_version=source.host,
        document_type=DocumentType.REGULATORY, ordinal=ordinal, page=passage.page or 1, start=passage.start,
        end=passage.start + len(passage.text), heading=passage.heading, text=passage.text,
    )  # fmt: skip


def _web_passage(source: Source, passage: SourcePassage) -> WebPassage:
    return WebPassage(
        url=source.url or source.key, title=source.title, host=source.host, published=source.published, start=passage.start,
        text=passage.text, is_excerpt=passage.is_excerpt, score=passage.score,
    )  # fmt: skip
