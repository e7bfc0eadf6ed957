"""From a stored file to a searchable document (D5, D6).

Every step can be repeated: nothing of a document is visible before :func:`policypal.db.index.publish_document` replaces
all of it in one transaction.
"""

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from policypal.config import Settings
from policypal.db import documents, embeddings, index, provisions
from policypal.db import ingestion as ingestion_db
from policypal.db.index import IndexedChunk
from policypal.db.pool import Database
from policypal.db.usage import PersonalAccount
from policypal.domain.documents import Document, DocumentStatus, Page
from policypal.domain.reading import PageImage
from policypal.errors import NoReadableText, NotFound, PolicyPalError
from policypal.ingest import ocr
from policypal.ingest.extract import ExtractedDocument, ExtractionLimits, Progress, decrypt, read
from policypal.ingest.pages import render_page
from policypal.ingest.sandbox import Obstacle
from policypal.ingest.sniff import PDF
from policypal.ingest.workspace import workspace
from policypal.search.bm25 import document_weights
from policypal.search.embeddings import Embedder
from policypal.storage import FileStore, file_key
from policypal.text.chunks import Chunk, chunk_id, chunk_pages
from policypal.text.provisions import READER_VERSION, read_provisions

logger = logging.getLogger(__name__)

_PROGRESS_SECONDS = 0.3
_LONG = 50
"""Pages from which on dividing a document takes long enough to be seen."""
_SHARE = {
    DocumentStatus.EXTRACTING: (0.0, 0.6),
    DocumentStatus.RECOGNISING: (0.0, 0.6),
    DocumentStatus.CHUNKING: (0.6, 0.7),
    DocumentStatus.EMBEDDING: (0.7, 1.0),
}


class NoLongerWanted(Exception):
    """The document was deleted or cancelled, or its ingestion begun anew; there is nothing left to do here."""


class Interrupted(Exception):
    """This process is about to end; the document's job is taken up again by another one, or after the restart."""


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Reads, cuts, embeds and publishes documents of any user. ``ending`` is set when this process is about to end."""

    db: Database
    files: FileStore
    embedder: Embedder
    settings: Settings
    ending: threading.Event = field(default_factory=threading.Event)

    def ingest(self, user_id: str, document_id: str, *, with_recognition: bool = False) -> bool:
        """Bring a document to "ready", or to "failed" with a sentence for the analyst.

        Returns True for a document with pages that text recognition can read: it stays "recognising" until this is called
        ``with_recognition``. That takes minutes, so it has a queue of its own.

        Raises:
            PolicyPalError: only retryable ones (database, file store, provider); the job queue tries again.
            Interrupted: this process is about to end.
        """
        document = documents.find_document(self.db, user_id, document_id)
        if document is None or document.status.is_final:
            return False
        try:
            with workspace() as folder:
                return self._run(user_id, document, folder, with_recognition)
        except NoLongerWanted:
            logger.info("document %s was deleted, cancelled or begun anew during its ingestion", document_id)
        except PolicyPalError as error:
            # a password is "retryable" for a person, not for a queue
            if error.retryable and error.code != "password_required":
                raise
            ingestion_db.set_failed(self.db, user_id, document_id, error.code, error.message)
        return False

    def embed_again(self, user_id: str, document_id: str) -> None:
        """Add the vectors of the embedding model in use to a document that was embedded with another (R3). With the
        last document, the old ones are deleted: until then they serve the searches. Raises PolicyPalError: the
        provider or the database failed; the job queue tries again."""
        model = self.embedder.model
        passages = index.load_passages(self.db, user_id, document_id)
        vectors = self._embedder_of(user_id).embed([p.text for p in passages])
        ids = [p.id for p in passages]
        embeddings.add_vectors(self.db, user_id, document_id, chunk_ids=ids, model=model, vectors=vectors)
        if embeddings.delete_other_vectors(self.db, user_id, model):
            logger.info("the search index of one user is complete for %s; older vectors are deleted", model)

    def read_again(self, user_id: str, document_id: str) -> None:
        """Make a document's provisions and passages anew from its stored pages, after their reader has changed (D6, D11); the
        old ones serve until then.

        Raises:
            PolicyPalError: the provider or the database failed; the job queue tries again.
        """
        document = documents.find_document(self.db, user_id, document_id)
        if document is None or document.status is not DocumentStatus.READY:
            return
        pages, outline = provisions.load_reading(self.db, user_id, document_id)
        self._index(user_id, document, pages, outline, document.pages_without_text, None, document.guessed_encoding)

    def give_up(self, user_id: str, document_id: str, error: Exception) -> None:
        """Mark a document as failed after its last attempt."""
        logger.error("giving up on document %s", document_id, exc_info=error)
        known = error if isinstance(error, PolicyPalError) else PolicyPalError()
        ingestion_db.set_failed(self.db, user_id, document_id, known.code, known.message)

    def unlock(self, user_id: str, document_id: str, password: str) -> None:
        """Store a copy of an encrypted PDF that opens without its password. The password itself is never stored
        (X3). Raises PasswordRequired: the password does not fit."""
        document = documents.find_document(self.db, user_id, document_id)
        if document is None:
            raise NotFound
        if document.media_type != PDF:
            return
        with workspace() as folder:
            path = folder / "document"
            path.write_bytes(self.files.get(document.storage_key))
            unlocked = decrypt(path, password, limits=self._limits())
        key = file_key(user_id, document.id, "unlocked")
        self.files.put(key, unlocked)
        ingestion_db.set_unlocked_key(self.db, user_id, document.id, key)

    def page_image(
        self, user_id: str, document: Document, page: int, quote: str | None, *, depth: float, width: int
    ) -> PageImage:
        """Raises NotFound: the document has no such page, or its format has no pages to draw."""
        if document.media_type != PDF:
            raise NotFound("This document is not a PDF, so there is no page image; its text is shown instead.")
        return render_page(self.files.get(document.readable_key), page, quote=quote, depth=depth, width=width)

    def _run(self, user_id: str, document: Document, folder: Path, with_recognition: bool) -> bool:
        path = folder / "document.pdf"
        path.write_bytes(self.files.get(document.readable_key))
        step = DocumentStatus.RECOGNISING if with_recognition else DocumentStatus.EXTRACTING
        extracted = self._read(user_id, document, path, self._progress(user_id, document, step))
        trouble = None
        if self._can_recognise(document, extracted):
            if not with_recognition:
                self._report(user_id, document, DocumentStatus.RECOGNISING, 0.0)
                return True
            document, extracted, trouble = self._recognise(user_id, document, extracted, path)
        if not extracted.has_text:
            raise trouble or NoReadableText(self._why_unreadable(document, extracted))
        self._publish(user_id, document, extracted)
        return False

    def _publish(self, user_id: str, document: Document, extracted: ExtractedDocument) -> None:
        if len(extracted.pages) >= _LONG:
            self._report(user_id, document, DocumentStatus.CHUNKING, 0.0)
        outline = [title for title, _ in extracted.outline]
        unread, title, encoding = extracted.pages_without_text, extracted.title, extracted.guessed_encoding
        if not self._index(user_id, document, extracted.pages, outline, unread, title, encoding):
            raise NoLongerWanted

    def _index(
        self, user_id: str, document: Document, pages: Sequence[Page], outline: Sequence[str], pages_without_text: int,
        title: str | None, guessed_encoding: str,
    ) -> bool:  # fmt: skip
        """Read the provisions of the pages, cut and embed their passages and publish all of it; False where the document is no
        longer wanted."""
        read = read_provisions(pages, outline)
        chunks = chunk_pages(pages, provisions=read)
        if not chunks:
            raise NoReadableText
        if not document.status.is_final:
            self._report(user_id, document, DocumentStatus.EMBEDDING, 0.0)
        with ThreadPoolExecutor(1, "embedding") as beside:
            vectors = beside.submit(self._embedder_of(user_id).embed, [chunk.text for chunk in chunks])
            indexed = [_indexed(document.id, chunk) for chunk in chunks]
        return index.publish_document(
            self.db, user_id, document.id, pages=pages, pages_without_text=pages_without_text,
            chunks=indexed, model=self.embedder.model, vectors=vectors.result(),
            provisions=read, outline=outline, reader_version=READER_VERSION, title=title, guessed_encoding=guessed_encoding,
        )  # fmt: skip

    def _read(
        self, user_id: str, document: Document, path: Path, progress: Progress | None = None
    ) -> ExtractedDocument:
        obstacle = self._obstacle(user_id, document)
        return read(path, document.media_type, limits=self._limits(), on_progress=progress, obstacle=obstacle)

    def _can_recognise(self, document: Document, extracted: ExtractedDocument) -> bool:
        return bool(extracted.unread) and not document.ocr_pages and self.settings.ocr and bool(ocr.program())

    def _recognise(
        self, user_id: str, document: Document, extracted: ExtractedDocument, path: Path
    ) -> tuple[Document, ExtractedDocument, PolicyPalError | None]:
        """The document with a readable copy in the store, as it is read now, and why pages are still unread."""
        copy = path.with_name("recognised.pdf")
        found = ocr.recognise(
            path, extracted, copy, languages=self.settings.ocr_languages, limits=self._limits(),
            on_progress=self._progress(user_id, document, DocumentStatus.RECOGNISING), obstacle=self._obstacle(user_id, document),
        )  # fmt: skip
        if not copy.exists():
            return document, extracted, found.trouble
        again = self._read(user_id, document, copy)
        legible = [page.number for page in again.pages if page.number in found.pages and page.text.strip()]
        if not legible:
            return document, extracted, found.trouble or NoReadableText(ocr.FOUND_NOTHING)
        old, key = document.readable_key, file_key(user_id, document.id, "recognised")
        self.files.put(key, copy.read_bytes())
        ingestion_db.set_recognised_copy(self.db, user_id, document.id, key, legible)
        if old not in (key, document.storage_key):
            self.files.delete(old)
        return replace(document, unlocked_key=key, ocr_pages=tuple(legible)), again, found.trouble

    def _why_unreadable(self, document: Document, extracted: ExtractedDocument) -> str | None:
        if not (extracted.has_images or extracted.illegible):
            return ocr.NOT_A_SCAN if document.media_type == PDF else None
        return ocr.HOW_TO_GET_IT if self.settings.ocr else ocr.SWITCHED_OFF

    def _progress(self, user_id: str, document: Document, status: DocumentStatus) -> Progress:
        """What tells how far a step has come, at most every 0.3 seconds; its beginning at once."""
        last = float("-inf")

        def tell(done: int, total: int) -> None:
            nonlocal last
            if time.monotonic() - last >= _PROGRESS_SECONDS:
                last = time.monotonic()
                self._report(user_id, document, status, done / max(total, 1))

        tell(0, 1)
        return tell

    def _obstacle(self, user_id: str, document: Document) -> Obstacle:
        """Whether the reading of a document should end: the process does, or nobody wants it any more."""

        def look() -> Exception | None:
            if self.ending.is_set() or not threading.main_thread().is_alive():
                return Interrupted()
            try:
                return None if ingestion_db.is_wanted(self.db, user_id, document) else NoLongerWanted()
            except PolicyPalError:
                return None  # without the database nobody can have cancelled it; the next step will say what is wrong

        return look

    def _embedder_of(self, user_id: str) -> Embedder:
        """The embedder, with its calls on the user's account (M7)."""
        return self.embedder.charged_to(PersonalAccount(self.db, user_id, self.settings.monthly_limits))

    def _limits(self) -> ExtractionLimits:
        s = self.settings
        return ExtractionLimits(seconds=s.extraction_seconds, memory_mb=s.extraction_memory_mb, max_pages=s.max_pages)

    def _report(self, user_id: str, document: Document, status: DocumentStatus, share: float) -> None:
        low, high = _SHARE[status]
        if not ingestion_db.report_progress(self.db, user_id, document, status, low + (high - low) * share):
            raise NoLongerWanted


def _indexed(document_id: str, chunk: Chunk) -> IndexedChunk:
    weights, count = document_weights(f"{chunk.heading}\n{chunk.text}" if chunk.heading else chunk.text)
    identity = chunk_id(document_id, chunk.ordinal)
    return IndexedChunk(
        identity, chunk.ordinal, chunk.page, chunk.start, chunk.end, chunk.heading, chunk.text, count, weights
    )
