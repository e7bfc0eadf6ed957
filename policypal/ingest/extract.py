"""From a stored file to an :class:`ExtractedDocument`, safely (D6, D7)."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

from policypal.domain.documents import Page
from policypal.errors import DamagedDocument, EmptyDocument, NoReadableText
from policypal.ingest.document import ExtractedDocument, ExtractionLimits
from policypal.ingest.sandbox import Obstacle, converse, no_obstacle
from policypal.ingest.titles import OwnName

__all__ = ["ExtractedDocument", "ExtractionLimits", "decrypt", "extract", "own_name", "read"]

Progress = Callable[[int, int], None]


def extract(
    path: Path, media_type: str, *, password: str | None = None, limits: ExtractionLimits,
    on_progress: Progress | None = None,
) -> ExtractedDocument:  # fmt: skip
    """:func:`read`, for those who can only use a document with text. Raises NoReadableText: no page has any."""
    document = read(path, media_type, password=password, limits=limits, on_progress=on_progress)
    if not document.has_text:
        raise NoReadableText()
    return document


def read(
    path: Path,
    media_type: str,
    *,
    password: str | None = None,
    limits: ExtractionLimits,
    on_progress: Progress | None = None,
    obstacle: Obstacle = no_obstacle,
) -> ExtractedDocument:
    """Read a file in a child process.

    Args:
        path: the raw file.
        media_type: as :func:`policypal.ingest.sniff.detect_media_type` found it.
        password: for encrypted PDFs; the empty password is always tried.
        limits: time, memory and size.
        on_progress: called with (pages read, pages in all) while reading.
        obstacle: why the reading should end at once, if it should.

    Raises:
        EmptyDocument, DamagedDocument, PasswordRequired, DocumentTooLarge, ExtractionLimit
        NoReadableText: a format other than PDF without a word in it.
    """
    if path.stat().st_size == 0:
        raise EmptyDocument()
    pages: list[Page] = []
    summary: dict[str, Any] | None = None
    order = {"path": str(path.resolve()), "media_type": media_type, "password": password}
    for message in converse("extract", order, limits, obstacle):
        if "text" in message:
            pages.append(Page(message["page"], message["text"]))
        elif "outline" in message:
            summary = message
        elif on_progress is not None:
            on_progress(message["done_pages"], message["pages"])
    if summary is None:
        raise DamagedDocument()
    summary = {name: tuple(told) if isinstance(told, list) else told for name, told in summary.items()}
    summary["outline"] = tuple((title, page) for title, page in summary["outline"])
    return ExtractedDocument(tuple(pages), sum(not page.text.strip() for page in pages), **summary)


def decrypt(path: Path, password: str, *, limits: ExtractionLimits) -> bytes:
    """A copy of an encrypted PDF that opens without a password. Raises PasswordRequired: the password does not fit;
    DamagedDocument, ExtractionLimit."""
    order = {"path": str(path.resolve()), "password": password}
    messages = list(converse("decrypt", order, limits))
    return base64.b64decode(messages[-1]["pdf"])


def own_name(path: Path, media_type: str, *, limits: ExtractionLimits) -> OwnName:
    """What a file calls itself, from its metadata and first pages (D1); quick, because nothing else is read. Raises
    PasswordRequired, DamagedDocument, ExtractionLimit."""
    order = {"path": str(path.resolve()), "media_type": media_type}
    return OwnName(**list(converse("title", order, limits))[-1])
