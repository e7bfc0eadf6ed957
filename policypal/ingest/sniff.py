"""What a file really is, told from its content, never from its extension alone (D7)."""

import io
import re
import zipfile
from typing import BinaryIO

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
_IMAGE = "This is an image. Please upload the document itself, or a PDF made from it with text recognition (OCR)."
_PACKED = "This archive is not a ZIP file. Please unpack it and upload the files in it, or pack them as ZIP."
_RTF = "This is an RTF file. Please save it as DOCX or PDF and upload that."
_OLD_OFFICE = "This is an old Office file (.doc, .xls or .ppt). Please save it as DOCX or PDF and upload that."
_KNOWN_OTHERS = {
    _IMAGE: (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*"),
    _PACKED: (b"7z\xbc\xaf'\x1c", b"Rar!\x1a\x07", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00", b"(\xb5/\xfd"),
}
_OLE = b"\xd0\xcf\x11\xe0"
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_DAMAGED_ZIP = "This file is damaged, or not a document. Please obtain it again from its source."
_ENTRY = b"PK\x01\x02"
_MOST_ENTRIES = 40_000
"""Entries of a zip's directory that are read at all: each costs memory before anything about it is known."""
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_EXTENSIONS = {
    PDF: ("pdf",), DOCX: ("docx",), HTML: ("html", "htm", "xhtml"), EMAIL: ("eml",),
    MARKDOWN: ("md", "markdown", "mdown"), TEXT: ("txt", "text", "log", "csv"),
}  # fmt: skip
_NAMES = {PDF: "a PDF", DOCX: "a Word document", HTML: "an HTML page", EMAIL: "an e-mail", TEXT: "plain text"}


def detect_media_type(data: bytes, filename: str) -> str:
    """The media type of a file's bytes. ``filename`` only decides between kinds of text: Markdown, HTML, e-mail. Raises
    EmptyDocument: there is nothing in it; NotADocument: it is something PolicyPal does not read; the message says what
    to do where that is known."""
    if not data.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        raise EmptyDocument()
    if data.startswith(_ZIP_STARTS):  # asked first: a PDF packed without compression shows its own mark early on
        return _office_type(data)
    if b"%PDF-" in data[:1024]:
        return PDF
    _refuse_others(data)
    if not _is_text(data):
        raise NotADocument()
    return _text_type(data, filename)


def contradiction(media_type: str, filename: str) -> str:
    """What to tell where a file's name claims another kind than its content has (D7); empty where they agree."""
    extension = filename.lower().rpartition(".")[2] if "." in filename else ""
    claimed = next((kind for kind, known in _EXTENSIONS.items() if extension in known), None)
    if claimed in (None, media_type) or {claimed, media_type} <= {TEXT, MARKDOWN}:
        return ""
    return f"Its name ends in .{extension}, but it is {_NAMES.get(media_type, 'text')}; it is read as what it is."


def zip_names(file: BinaryIO) -> list[str] | None:
    """The names in a zip file; None if it is none, or a damaged one. Raises NotADocument: it lists so many files
    that reading the list alone would be an attack."""
    file.seek(0)
    if not file.read(4).startswith(_ZIP_STARTS):
        return None
    if _entries(file) > _MOST_ENTRIES:
        raise NotADocument(f"This archive lists more than {_MOST_ENTRIES:,} files. Please upload it in parts.")
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        return None


def is_packed_document(names: list[str]) -> bool:
    """Whether a zip with these names is one document of an office program, not an archive of files."""
    return "[Content_Types].xml" in names or "mimetype" in names or "Index/Document.iwa" in names


def _entries(file: BinaryIO) -> int:
    """How many directory entries a zip holds, counted by their marks: what its header says may be a lie."""
    file.seek(0)
    count, tail = 0, b""
    while block := file.read(1 << 20):
        count += (tail + block).count(_ENTRY)
        tail = block[-len(_ENTRY) + 1 :]
    return count


def _office_type(data: bytes) -> str:
    names = zip_names(io.BytesIO(data))
    if names is None:
        raise NotADocument(_DAMAGED_ZIP)
    if "word/document.xml" in names and "word/vbaProject.bin" not in names:
        return DOCX
    if "word/document.xml" in names:
        raise NotADocument("This Word file holds macros (.docm). Please save it as DOCX or PDF and upload that.")
    if "[Content_Types].xml" in names:
        raise NotADocument("This is an Excel or PowerPoint file. Please export it as PDF and upload that.")
    if is_packed_document(names):
        raise NotADocument("This is an OpenDocument, Pages or e-book file. Please save it as DOCX or PDF.")
    raise NotADocument("This is a ZIP archive, not a document. Please unpack it and upload the files in it.")


def _refuse_others(data: bytes) -> None:
    """Raises NotADocument with what to do, if the file is a known other kind."""
    if data.startswith(_OLE):
        raise NotADocument(_ole_kind(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        raise NotADocument(_IMAGE)
    if data[257:262] == b"ustar":
        raise NotADocument(_PACKED)
    if data.startswith(b"{\\rtf"):
        raise NotADocument(_RTF)
    for message, marks in _KNOWN_OTHERS.items():
        if data.startswith(marks) and not _is_text(data):
            raise NotADocument(message)


def _ole_kind(data: bytes) -> str:
    """The old Office container also holds Outlook messages, and new Office files that are locked with a password."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "This Office file is protected by a password. Please save a copy without one and upload that."
    if "__substg1.0_".encode("utf-16-le") in data:
        return "This is an Outlook message (.msg). Please save it as EML or PDF and upload that."
    return _OLD_OFFICE


def _is_text(data: bytes) -> bool:
    if data.startswith(_UTF16_MARKS):
        return True
    sample = data[:65536]
    return len(_CONTROLS.findall(sample)) <= 0.001 * len(sample)


def _text_type(data: bytes, filename: str) -> str:
    start = data[:65536]
    if start.startswith(_UTF16_MARKS):
        start = start.decode("utf-16", errors="ignore").encode()
    start = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    extension = filename.lower().rpartition(".")[2]
    if _HTML.match(start) or (extension in _EXTENSIONS[HTML] and re.match(rb"<[A-Za-z!]", start)):
        return HTML
    if _is_email(start, named_so=extension in _EXTENSIONS[EMAIL]):
        return EMAIL
    return MARKDOWN if extension in _EXTENSIONS[MARKDOWN] else TEXT


def _is_email(start: bytes, *, named_so: bool) -> bool:
    """Three well-known header lines, or one where the name says so. Some programs put a "From " line above them."""
    start = re.sub(rb"^>?From [^\r\n]*\r?\n", b"", start)
    head = re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0]
    if not re.match(rb"[!-9;-~]+:(?:\s|$)", head):
        return False
    return len(_MAIL_HEADER.findall(head)) >= (1 if named_so else 3)
