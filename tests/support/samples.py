"""The sample documents as the product reads them: normalised pages, passages, evidence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pypdfium2

from policypal.answer.evidence import Evidence
from policypal.domain.documents import Page
from policypal.ingest.normalise import normalise_pages
from policypal.samples import SAMPLES, sample_bytes
from policypal.text.chunks import chunk_pages


@cache
def sample_pages(filename: str) -> tuple[Page, ...]:
    """The stored text of a sample's pages."""
    document = pypdfium2.PdfDocument(sample_bytes(next(s for s in SAMPLES if s.filename == filename)))
    try:
        raw = [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()
    return tuple(Page(n, page.text) for n, page in enumerate(normalise_pages(raw), 1))


def evidence_of(title: str, pages: Sequence[Page], *, after: int = 0) -> list[Evidence]:
    """The pages cut into passages as ingestion cuts them, numbered on from ``after``."""
    return [
        Evidence(
            number=after + n, document=title, page=c.page, heading=c.heading, text=c.text
        )
        for n, c in enumerate(chunk_pages(pages), 1)
    ]  # fmt: skip
