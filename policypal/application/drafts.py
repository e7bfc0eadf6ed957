"""The text of an attached draft: a file that is audited without becoming part of the library (U3)."""

from collections.abc import Sequence

from policypal.application.ask import Draft
from policypal.application.container import Container
from policypal.config import Settings
from policypal.domain.documents import Page
from policypal.errors import DocumentTooLarge, EmptyDocument, PasswordRequired
from policypal.ingest.extract import ExtractionLimits, extract
from policypal.ingest.sniff import detect_media_type
from policypal.ingest.workspace import workspace

MAX_DRAFT_BYTES = 5_000_000
MAX_DRAFT_CHARACTERS = 1_000_000
_MOST_SECONDS = 60.0
_LOCKED = (
    "This PDF is protected by a password. Please attach a copy without one, or add it to your documents, where the "
    "password can be given."
)
_SENTENCE_ENDS = (".", "!", "?", ":", ";", "”", '"', ")")


def read_draft(app: Container, name: str, data: bytes) -> Draft:
    """Read an attached file in a process of its own, within the limits that hold for documents (D6). Nothing is stored.

    What it is follows from its content, not from its name. Raises EmptyDocument, NotADocument, DocumentTooLarge:
    refused before it is read; DamagedDocument, PasswordRequired, NoReadableText, ExtractionLimit: it cannot be read;
    the message says what to do."""
    if not data:
        raise EmptyDocument
    if len(data) > MAX_DRAFT_BYTES:
        raise _too_large(f"{MAX_DRAFT_BYTES / 1_000_000:g} MB")
    media_type = detect_media_type(data, name)
    with workspace() as folder:
        path = folder / "draft"
        path.write_bytes(data)
        try:
            pages = extract(path, media_type, limits=_limits(app.settings)).pages
        except PasswordRequired:
            raise PasswordRequired(_LOCKED) from None
    text = _joined(pages)
    if len(text) > MAX_DRAFT_CHARACTERS:
        raise _too_large(f"{MAX_DRAFT_CHARACTERS:,} characters")
    return Draft(name, text)


def _limits(settings: Settings) -> ExtractionLimits:
    """Somebody waits for it, so it gets less time than a document of the library."""
    seconds = min(settings.extraction_seconds, _MOST_SECONDS)
    return ExtractionLimits(seconds=seconds, memory_mb=settings.extraction_memory_mb, max_pages=settings.max_pages)


def _joined(pages: Sequence[Page]) -> str:
    """The pages as one text. A sentence that runs over the end of a page stays in one paragraph."""
    text = ""
    for page in pages:
        if page.text.strip():
            text += ("\n\n" if text.endswith(_SENTENCE_ENDS) else "\n" if text else "") + page.text.strip()
    return text


def _too_large(limit: str) -> DocumentTooLarge:
    return DocumentTooLarge(
        f"A draft can have at most {limit}. Please add this file to your documents and audit it from there."
    )
