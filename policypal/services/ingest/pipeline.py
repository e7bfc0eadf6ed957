"""From a stored file to a searchable document (D5, D6).

Every step can be repeated: nothing of a document is visible before :func:`policypal.db.index.publish_document` replaces
all of it in one transaction.
"""

from __future__ import annotations

import logging
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from policypal.config import Settings
from policypal.db import documents, index
from policypal.db.index import IndexedChunk
from policypal.db.pool import Database
from policypal.domain.documents import Document, DocumentStatus
from policypal.errors import NoReadableText, NotFound, PolicyPalError
from policypal.services.embeddings import Embedder
from policypal.services.ingest.chunk import Chunk, chunk_id, chunk_pages
from policypal.services.ingest.extract import ExtractedDocument, ExtractionLimits, decrypt, extract
from policypal.services.pages import PageImage, render_page
from policypal.services.retrieval.bm25 import document_weights
from policypal.services.storage import FileStore, file_key

logger = logging.getLogger(__name__)

PDF = "application/pdf"
_PROGRESS_SECONDS = 0.3
_SHARE = {
    DocumentStatus.EXTRACTING: (0.0, 0.6),
    DocumentStatus.CHUNKING: (0.6, 0.7),
    DocumentStatus.EMBEDDING: (0.7, 1.0),
}


class DocumentVanished(Exception):
    """The document was deleted while it was being ingested; there is nothing left to do."""


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Reads, cuts, embeds and publishes documents of any user."""

    db: Database
    files: FileStore
    embedder: Embedder
    settings: Settings

    def ingest(self, user_id: str, document_id: str) -> None:
        """Bring a document to "ready", or to "failed" with a sentence for the analyst.

        Raises:
            PolicyPalError: only retryable ones (database, file store, provider); the job queue tries again.
        """
        document = documents.find_document(self.db, user_id, document_id)
        if document is None or document.status is DocumentStatus.READY:
            return
        try:
            self._run(user_id, document)
        except DocumentVanished:
            logger.info("document %s was deleted during its ingestion", document_id)
        except PolicyPalError as error:
            # a password is "retryable" for a person, not for a queue
            if error.retryable and error.code != "password_required":
                raise
            documents.set_failed(self.db, user_id, document_id, error.code, error.message)

    def embed_again(self, user_id: str, document_id: str) -> None:
        """Add the vectors of the embedding model in use to a document that was embedded with another (R3).

        Raises:
            PolicyPalError: the provider or the database failed; the job queue tries again.
        """
        passages = index.load_passages(self.db, user_id, document_id)
        vectors = self.embedder.embed([p.text for p in passages])
        index.add_vectors(
            self.db,
            user_id,
            document_id,
            chunk_ids=[p.id for p in passages],
            model=self.embedder.model,
            vectors=vectors,
        )

    def give_up(self, user_id: str, document_id: str, error: Exception) -> None:
        """Mark a document as failed after its last attempt."""
        logger.error("giving up on document %s", document_id, exc_info=error)
        known = error if isinstance(error, PolicyPalError) else PolicyPalError()
        documents.set_failed(self.db, user_id, document_id, known.code, known.message)

    def _run(self, user_id: str, document: Document) -> None:
        extracted = self._extract(user_id, document)
        self._report(user_id, document, DocumentStatus.CHUNKING, 0.0)
        chunks = chunk_pages(extracted.pages, [entry.title for entry in extracted.outline])
        if not chunks:
            raise NoReadableText
        indexed = [_indexed(document.id, chunk) for chunk in chunks]
        self._report(user_id, document, DocumentStatus.EMBEDDING, 0.0)
        vectors = self.embedder.embed([chunk.text for chunk in chunks])
        published = index.publish_document(
            self.db,
            user_id,
            document.id,
            pages=extracted.pages,
            pages_without_text=extracted.pages_without_text,
            chunks=indexed,
            model=self.embedder.model,
            vectors=vectors,
        )
        if not published:
            raise DocumentVanished
        if extracted.title and not document.is_titled:
            documents.set_title(self.db, user_id, document.id, extracted.title)

    def _extract(self, user_id: str, document: Document) -> ExtractedDocument:
        self._report(user_id, document, DocumentStatus.EXTRACTING, 0.0)
        last = time.monotonic()

        def progress(done: int, total: int) -> None:
            nonlocal last
            if time.monotonic() - last >= _PROGRESS_SECONDS:
                last = time.monotonic()
                self._report(user_id, document, DocumentStatus.EXTRACTING, done / max(total, 1))

        with tempfile.TemporaryDirectory(prefix="policypal-") as folder:
            path = Path(folder) / "document"
            path.write_bytes(self._readable(user_id, document))
            return extract(path, document.media_type, password=None, limits=self._limits(), on_progress=progress)

    def unlock(self, user_id: str, document_id: str, password: str) -> None:
        """Store a copy of an encrypted PDF that opens without its password. The password itself is never stored (X3).

        Raises:
            PasswordRequired: the password does not fit.
        """
        document = documents.find_document(self.db, user_id, document_id)
        if document is None:
            raise NotFound
        if document.media_type != PDF:
            return
        with tempfile.TemporaryDirectory(prefix="policypal-") as folder:
            path = Path(folder) / "document"
            path.write_bytes(self.files.get(document.storage_key))
            unlocked = decrypt(path, password, limits=self._limits())
        key = file_key(user_id, document.id, "unlocked")
        self.files.put(key, unlocked)
        documents.set_unlocked_key(self.db, user_id, document.id, key)

    def page_image(self, user_id: str, document: Document, page: int, quote: str | None) -> PageImage:
        """Raises:
        NotFound: the document has no such page, or its format has no pages to draw.
        """
        if document.media_type != PDF:
            raise NotFound("This document is not a PDF, so there is no page image; its text is shown instead.")
        return render_page(self._readable(user_id, document), page, quote=quote)

    def _readable(self, user_id: str, document: Document) -> bytes:
        return self.files.get(documents.readable_key(self.db, user_id, document.id) or document.storage_key)

    def _limits(self) -> ExtractionLimits:
        s = self.settings
        return ExtractionLimits(seconds=s.extraction_seconds, memory_mb=s.extraction_memory_mb, max_pages=s.max_pages)

    def _report(self, user_id: str, document: Document, status: DocumentStatus, share: float) -> None:
        low, high = _SHARE[status]
        if not documents.set_progress(self.db, user_id, document.id, status, low + (high - low) * share):
            raise DocumentVanished


def _indexed(document_id: str, chunk: Chunk) -> IndexedChunk:
    weights, count = document_weights(f"{chunk.heading}\n{chunk.text}" if chunk.heading else chunk.text)
    return IndexedChunk(
        id=chunk_id(document_id, chunk.ordinal),
        ordinal=chunk.ordinal,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        heading=chunk.heading,
        text=chunk.text,
        term_count=count,
        lexical=weights,
    )
