"""The sample documents as the product reads them: normalised pages, passages, evidence."""

from __future__ import annotations

from functools import cache

import pypdfium2

from policypal.domain.documents import Page
from policypal.ingest.normalise import normalise_pages
from policypal.samples import SAMPLES, sample_bytes


@cache
def sample_pages(filename: str) -> tuple[Page, ...]:
    """The stored text of a sample's pages."""
    document = pypdfium2.PdfDocument(sample_bytes(next(s for s in SAMPLES if s.filename == filename)))
    try:
        raw = [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()
    return tuple(Page(n, page.text) for n, page in enumerate(normalise_pages(raw), 1))
