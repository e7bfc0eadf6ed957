"""From a stored file to an :class:`ExtractedDocument`, safely (D6, D7)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

from policypal.domain.documents import Page
from policypal.errors import DamagedDocument, EmptyDocument, NoReadableText
from policypal.services.ingest import ocr
from policypal.services.ingest.document import ExtractedDocument, ExtractionLimits, OutlineEntry
from policypal.services.ingest.sandbox import converse
from policypal.services.ingest.sniff import PDF

__all__ = ["ExtractedDocument", "ExtractionLimits", "OutlineEntry", "decrypt", "extract"]

Progress = Callable[[int, int], None]


def extract(
    path: Path,
    media_type: str,
    *,
    password: str | None = None,
    limits: ExtractionLimits,
    on_progress: Progress | None = None,
) -> ExtractedDocument:
    """Read a file in a child process. A PDF of images is put through text recognition where ``ocrmypdf`` is installed.

    Args:
        path: the raw file.
        media_type: as :func:`policypal.services.ingest.sniff.detect_media_type` found it.
        password: for encrypted PDFs; the empty password is always tried.
        limits: time, memory and size.
        on_progress: called with (pages read, pages in all) while reading.

    Raises:
        EmptyDocument, DamagedDocument, PasswordRequired, NoReadableText, DocumentTooLarge, ExtractionLimit
    """
    if path.stat().st_size == 0:
        raise EmptyDocument()
    try:
        return _read(path, media_type, password, limits, on_progress)
    except NoReadableText:
        if media_type != PDF or not ocr.is_available():
            raise
    with ocr.recognised(path, password, limits) as readable:
        return _read(readable, media_type, None, limits, on_progress)


def _read(
    path: Path, media_type: str, password: str | None, limits: ExtractionLimits, on_progress: Progress | None
) -> ExtractedDocument:
    pages: list[Page] = []
    summary: dict[str, Any] | None = None
    order = {"path": str(path.resolve()), "media_type": media_type, "password": password}
    for message in converse("extract", order, limits):
        if "text" in message:
            pages.append(Page(message["page"], message["text"]))
        elif "outline" in message:
            summary = message
        elif on_progress is not None:
            on_progress(message["done_pages"], message["pages"])
    if summary is None:
        raise DamagedDocument()
    return ExtractedDocument(
        pages=tuple(pages),
        pages_without_text=sum(not page.text.strip() for page in pages),
        title=summary["title"],
        outline=tuple(OutlineEntry(title, page) for title, page in summary["outline"]),
    )


def decrypt(path: Path, password: str, *, limits: ExtractionLimits) -> bytes:
    """A copy of an encrypted PDF that opens without a password.

    Raises:
        PasswordRequired: the password does not fit.
        DamagedDocument, ExtractionLimit
    """
    order = {"path": str(path.resolve()), "password": password}
    messages = list(converse("decrypt", order, limits))
    return base64.b64decode(messages[-1]["pdf"])
