"""The sample documents as evidence, without a database."""

from __future__ import annotations

from datetime import UTC, datetime

from policypal.answer.evidence import Evidence
from policypal.domain.documents import Document, DocumentStatus, DocumentType, RetrievedPassage
from policypal.graph.citing import numbered_evidence
from policypal.samples import SAMPLES
from policypal.search.embeddings import WordLlamaEmbedder
from policypal.search.provisions import parts_of
from policypal.text.provisions import read_provisions
from tests.support.samples import sample_pages

EMBEDDER = WordLlamaEmbedder()


def of_samples(*filenames: str) -> list[Evidence]:
    """The provisions of the sample documents of these files, or of all of them, numbered from 1."""
    found = []
    for sample in SAMPLES:
        if not filenames or sample.filename in filenames:
            document = Document(
                id=sample.filename, title=sample.title, version=sample.version, type=DocumentType.REGULATORY, filename=sample.filename,
                media_type="", sha256="", size_bytes=0, storage_key="", status=DocumentStatus.READY,
                created_at=datetime(2026, 1, 1, tzinfo=UTC),
            )  # fmt: skip
            texts = sample_pages(sample.filename)
            places = {(sample.filename, page.number): page.text for page in texts}
            found += [part for p in read_provisions(texts) for part in parts_of(document, p, places)]
    return numbered_evidence([RetrievedPassage(p, 0.0, 0.0) for p in found])
