"""What a file really is, told from its content, never from its extension alone (D7)."""

from __future__ import annotations

import io
import re
import zipfile

from policypal.errors import EmptyDocument, NotADocument

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML = "text/html"
MARKDOWN = "text/markdown"
EMAIL = "message/rfc822"
TEXT = "text/plain"

_HTML = re.compile(
    rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|div|h[1-6]|p|table|article|main)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_MAIL_HEADER = re.compile(
    rb"^(?:From|To|Cc|Subject|Date|Received|Return-Path|Message-ID|MIME-Version|Delivered-To|Reply-To|Content-Type):[ \t]",
    re.IGNORECASE | re.MULTILINE,
)
_KNOWN_OTHERS: tuple[tuple[bytes, str], ...] = (
    (
        b"\xd0\xcf\x11\xe0",
        "This is an old Office file (.doc, .xls or .ppt). Please save it as DOCX or PDF and upload that.",
    ),
    (b"{\\rtf", "This is an RTF file. Please save it as DOCX or PDF and upload that."),
    (
        b"\x89PNG",
        "This is an image. Please upload the document itself, or a PDF made from it with text recognition (OCR).",
    ),
    (
        b"\xff\xd8\xff",
        "This is an image. Please upload the document itself, or a PDF made from it with text recognition (OCR).",
    ),
)
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def detect_media_type(data: bytes, filename: str) -> str:
    """The media type of a file's bytes. ``filename`` only tells Markdown from plain text.

    Raises:
        EmptyDocument: there is nothing in it.
        NotADocument: it is something PolicyPal does not read; the message says what to do where that is known.
    """
    if not data.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        raise EmptyDocument()
    if b"%PDF-" in data[:1024]:
        return PDF
    if data.startswith(b"PK\x03\x04"):
        return _office_type(data)
    for mark, message in _KNOWN_OTHERS:
        if data.startswith(mark):
            raise NotADocument(message)
    if not _is_text(data):
        raise NotADocument()
    return _text_type(data, filename)


def _office_type(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        raise NotADocument("This file is damaged, or not a document. Please obtain it again from its source.") from None
    if "word/document.xml" in names:
        return DOCX
    if "[Content_Types].xml" in names:
        raise NotADocument("This is an Excel or PowerPoint file. Please export it as PDF and upload that.")
    raise NotADocument()


def _is_text(data: bytes) -> bool:
    if data.startswith(_UTF16_MARKS):
        return True
    sample = data[:65536]
    return len(_CONTROLS.findall(sample)) <= 0.001 * len(sample)


def _text_type(data: bytes, filename: str) -> str:
    start = data[:65536].lstrip(b"\xef\xbb\xbf \t\r\n")
    if _HTML.match(start):
        return HTML
    head = re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0]
    if _MAIL_HEADER.match(start) and len(_MAIL_HEADER.findall(head)) >= 3:
        return EMAIL
    return MARKDOWN if filename.lower().endswith((".md", ".markdown", ".mdown")) else TEXT
