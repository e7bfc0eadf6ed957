"""Web pages beside documents: numbered, quoted and checked the same way (C1, C2)."""

from collections.abc import Mapping, Sequence
from typing import Any

from policypal.answer.evidence import Evidence
from policypal.domain.documents import DocumentType, Passage
from policypal.domain.web import WebPassage

Place = tuple[str, int]
"""A document's id, or a web page's address, and a page number."""


def web_passages_of(state: Mapping[str, Any]) -> list[WebPassage]:
    """What the web search of this turn has left."""
    return [WebPassage(**w) for w in state["web_evidence"]]


def numbered_web_evidence(pages: Sequence[WebPassage], *, after: int = 0) -> list[Evidence]:
    """Web passages as the tasks see them, numbered on from the ``after`` passages of documents."""
    return [
        Evidence(number=n, document=w.label, page=None, text=w.text, score=w.score, is_web=True)
        for n, w in enumerate(pages, after + 1)
    ]


def as_pages(pages: Sequence[WebPassage]) -> dict[Place, WebPassage]:
    """Each passage as a page of its own. The numbers are two apart: no two are neighbours over whose break a quote could
    run."""
    return {(w.url, 2 * n): w for n, w in enumerate(pages, 1)}


def as_passages(pages: dict[Place, WebPassage]) -> list[Passage]:
    """The same for the check of quotes, which looks for them on pages."""
    return [
        Passage(
            id=f"{url} {number}", document_id=url, document_title=w.title, document_version=w.origin,
            document_type=DocumentType.REGULATORY, ordinal=number, page=number, start=0, end=len(w.text), heading=None,
            text=w.text,
        )
        for (url, number), w in pages.items()
    ]  # fmt: skip
