"""Text, Markdown, HTML, Word and e-mail files, read inside the child process (D1)."""

import codecs
import email
import email.policy
import re
from collections.abc import Callable, Iterator
from email.message import Message
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from policypal.errors import DocumentTooLarge, NoReadableText
from policypal.ingest.document import ExtractionLimits
from policypal.ingest.lines import split_lines
from policypal.ingest.list_marks import bullet, ordinal
from policypal.ingest.normalise import normalise_page
from policypal.ingest.pdf import check_page_count
from policypal.ingest.sniff import DOCX, EMAIL, HTML, MARKDOWN, TEXT
from policypal.ingest.titles import first_heading, sensible_title
from policypal.ingest.word import read_docx
from policypal.text.markers import read_markers

Emit = Callable[[dict[str, Any]], None]
Reading = tuple[str, str, list[str]]
"""The document's own title (may be empty), its text, one block per line or paragraph, and what it marks as headings. Those of Markdown
stand in its text."""

PAGE_CHARACTERS = 3000
_DEEPEST = 100
"""How far above an item lists are looked for: hostile pages nest without end."""
_MARK_CHARACTERS = 8
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BLOCKS = frozenset(
    "address article aside blockquote body caption dd div dl dt fieldset figcaption figure footer form h1 "
    "h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul".split()
)
_PARAGRAPHS = frozenset(["p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "blockquote", "pre", "ul", "ol", "dl"])
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_UNSEEN = ("nav", "script", "style", "template", "noscript", "svg", "iframe", "object", "canvas", "select", "button")
_MARKDOWN_HEADING = re.compile(r"^#{1,6}[^\S\n]+(\S.*)$", re.MULTILINE)
_HIGH = re.compile(rb"[\x80-\xff]")
_NOT_WESTERN = re.compile(
    "(?<=[^\\W\\d_])[\u00a1-\u00a9\u00ab-\u00b6\u00b8\u00b9\u00bb-\u00bf\u00d7\u00f7](?=[^\\W\\d_])|[a-z][À-ÖØ-ÞŠŒŽŸ]"
)
"""What Windows-1252 makes of another encoding: signs within words, capitals after small letters."""
_FEW_BYTES = 200
"""Up to so many bytes beyond ASCII say too little to prefer a rare encoding for."""


def read_text_document(path: Path, media_type: str, limits: ExtractionLimits, emit: Emit) -> None:
    """Read a file that has no pages of its own; it is cut into pages of about 3000 characters between paragraphs.
    Raises NoReadableText, DocumentTooLarge."""
    data = path.read_bytes()
    title, text, headings = _read(data, media_type)
    if len(text) > limits.max_characters:
        raise DocumentTooLarge(f"This document holds more than {limits.max_characters:,} characters. Please split it.")
    text = _normalised(text)
    if not text:
        raise NoReadableText("This file contains no readable text. Please check that it is the right one.")
    pages = list(paginate(text))
    check_page_count(len(pages), limits)
    for number, page in enumerate(pages, 1):
        emit({"page": number, "text": page})
    emit({"done_pages": len(pages), "pages": len(pages)})
    emit(
        {
            "title": sensible_title(title) or first_heading([_without_marks(page) for page in pages[:3]]),
            "outline": [(heading, None) for heading in headings],
            "guessed_encoding": _guessed(data, media_type),
        }
    )


def opening_of(path: Path, media_type: str) -> tuple[str, str]:
    """The title or subject of a file without pages, and how it begins (D1)."""
    title, text, _ = _read(path.read_bytes(), media_type)
    return title, _without_marks(_normalised(text[: 3 * PAGE_CHARACTERS]))


def decode(data: bytes) -> str:
    """The text of bytes in an unknown encoding: byte order mark, UTF-8, else the most probable one."""
    return data.decode(_told_encoding(data) or guessed_encoding(data), errors="replace")


def _told_encoding(data: bytes) -> str:
    """The encoding that bytes are certain to have; empty where they do not tell."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    try:
        data.decode()
    except UnicodeDecodeError:
        return ""
    return "utf-8"


def guessed_encoding(data: bytes) -> str:
    """Python's name of the encoding that bytes are read with that say nothing of it; empty where they do (D14).

    Western European, what Windows writes, before exotic ones: those are likelier only where many bytes speak for them, or
    where Windows-1252 makes words of the bytes that nobody writes.
    """
    if _told_encoding(data):
        return ""
    if len(_HIGH.findall(data)) <= _FEW_BYTES and _reads_as_western(data):
        return "cp1252"
    from charset_normalizer import from_bytes

    guess = from_bytes(data[:200_000]).best()
    return guess.encoding if guess else "cp1252"


def _reads_as_western(data: bytes) -> bool:
    """Whether Windows-1252 makes words of the bytes in which letters beyond ASCII are the exception."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return False
    letters = [c for c in text if c.isalpha()]
    accented = sum(not c.isascii() for c in letters)
    return accented <= 0.4 * len(letters) and not _NOT_WESTERN.search(text)


def _guessed(data: bytes, media_type: str) -> str:
    """The encoding that was guessed of a whole file; parts of e-mails and Word files declare theirs."""
    if media_type == HTML and re.search(rb"charset\s*=", data[:2048], re.IGNORECASE):
        return ""
    return guessed_encoding(data) if media_type in (TEXT, MARKDOWN, HTML) else ""


def paginate(text: str, size: int = PAGE_CHARACTERS) -> Iterator[str]:
    """Cut text into pages of about ``size`` characters: between paragraphs, else lines, else sentences or words."""
    position = 0
    while len(text) - position > size * 4 // 3:
        cut = _cut(text, position + size // 2, position + size)
        if page := text[position:cut].strip():
            yield page
        position = cut
    if page := text[position:].strip():
        yield page


def _cut(text: str, earliest: int, latest: int) -> int:
    for separator in ("\n\n", "\n", ". ", " "):
        found = text.rfind(separator, earliest, latest)
        if found >= 0:
            return found + len(separator)
    return latest


def _read(data: bytes, media_type: str) -> Reading:
    if media_type == DOCX:
        return read_docx(data)
    if media_type == HTML:
        return read_html(data)
    if media_type == EMAIL:
        return read_email(data)
    text = decode(data)
    if media_type == MARKDOWN:
        heading = _MARKDOWN_HEADING.search(text)
        return (_without_hashes(heading[1]) if heading else ""), text, []
    return "", unwrapped(text), []


_WRAPPED_CHARACTERS = 45
_FEW_LINES = 4
_WRAPPED_SHARE = 0.3


def unwrapped(text: str) -> str:
    """A text whose paragraphs were broken into lines of one width, put together as those of a PDF page are: otherwise a sentence
    is read as several (D11)."""
    lines = [line.strip() for line in text.splitlines()]
    long = [(line, after) for line, after in pairwise(lines) if len(line) >= _WRAPPED_CHARACTERS and after]
    going_on = sum(after[0].islower() for _, after in long)
    if len(long) < _FEW_LINES or going_on < _WRAPPED_SHARE * len(long):
        return text
    return normalise_page(text).text


def _normalised(text: str) -> str:
    """Characters cleaned as on PDF pages; the lines stay as the author set them, at most one empty one in between."""
    lines = [line.text + ("-" if line.hyphen is not None else "") for line in split_lines(text)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _without_marks(markdown: str) -> str:
    return _MARKDOWN_HEADING.sub(lambda heading: _without_hashes(heading[1]), markdown)


def _without_hashes(heading: str) -> str:
    """ATX headings may be closed by the signs they begin with."""
    return heading.rstrip().rstrip("#").rstrip()


def read_html(data: bytes | str) -> Reading:
    """Title, visible text and headings of an HTML page, one line per block; table cells are separated by " | ". Its navigation is not
    part of what it says."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(data if isinstance(data, str) else _html_source(data), "lxml")
    heading = soup.find("h1")
    title = soup.title.get_text(" ", strip=True) if soup.title else heading.get_text(" ", strip=True) if heading else ""
    for element in soup(["head", *_UNSEEN]):
        element.decompose()
    parts: list[str] = []
    _collect(soup, parts)
    lines = (_line(line) for line in "".join(parts).split("\n"))
    headings = (" ".join(h.get_text(" ").split()) for h in soup(_HEADINGS))
    return title, "\n".join(lines), [heading for heading in headings if heading]


def _line(line: str) -> str:
    """A line without the separator behind its last cell; an empty cell keeps its place below the head of its column."""
    line = " ".join(line.split()).removesuffix("|").rstrip()
    return line if line.strip(" |") else ""


def _html_source(data: bytes) -> str | bytes:
    """Text where the encoding is certain; otherwise the bytes, so that the page's own declaration is used."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data if re.search(rb"charset\s*=", data[:2048], re.IGNORECASE) else decode(data)


def _collect(root: Any, parts: list[str]) -> None:
    """Append the text below an element; iterative, because hostile pages nest deeper than Python recurses."""
    from bs4.element import NavigableString, PreformattedString, Tag

    stack: list[Any] = [root]
    counted: dict[int, int] = {}
    while stack:
        node = stack.pop()
        if isinstance(node, str) and not isinstance(node, NavigableString):
            parts.append(node)
        elif isinstance(node, NavigableString):
            if not isinstance(node, PreformattedString):
                parts.append(re.sub(r"\s+", " ", str(node)))
        elif isinstance(node, Tag):
            before, after = (f"\n{_item_mark(node, counted)} ", "\n") if node.name == "li" else _breaks(node.name)
            stack.append(after)
            stack.extend(reversed(list(node.children)))
            stack.append(before)


def _item_mark(item: Any, counted: dict[int, int]) -> str:
    """What a browser draws before an item; nothing where the item is numbered in its own words. ``counted`` holds the last number of each
    list."""
    above = [parent for parent in islice(item.parents, _DEEPEST) if parent.name in ("ul", "ol")]
    if not above or above[0].name == "ul":
        return bullet(len(above) - 1)
    number = _whole(item.get("value")) or counted.get(id(above[0]), (_whole(above[0].get("start")) or 1) - 1) + 1
    counted[id(above[0])] = number
    if read_markers(f"{next(item.stripped_strings, '')[:_MARK_CHARACTERS]} -"):
        return ""
    return f"{ordinal(number, str(above[0].get('type', '1')))}."


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < _MARK_CHARACTERS else 0


def _breaks(name: str) -> tuple[str, str]:
    if name == "br":
        return "\n", ""
    if name in ("td", "th"):
        return "", " | "
    if name in _PARAGRAPHS:
        return "\n\n", "\n\n"
    return ("\n", "\n") if name in _BLOCKS else ("", "")


_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")


def read_email(data: bytes) -> Reading:
    """The subject, and headers and body as text. Attachments are not read, but named: nothing is lost silently."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    headers = [f"{name}: {value}" for name in _SHOWN_HEADERS if (value := _header(message, name))]
    leaves = list(_leaves(message))
    if attached := [_attachment_name(leaf) for leaf in leaves if _is_attachment(leaf)]:
        headers.append(f"Attachments (not read): {', '.join(attached)}")
    body = _body([leaf for leaf in leaves if not _is_attachment(leaf)])
    return _header(message, "Subject"), "\n".join(headers) + "\n\n" + body, []


def _leaves(part: Message) -> Iterator[Message]:
    """The parts that hold something themselves. An attached e-mail is one of them."""
    payload = part.get_payload()
    if part.get_content_maintype() == "multipart" and isinstance(payload, list):
        for inner in payload:
            if isinstance(inner, Message):
                yield from _leaves(inner)
    else:
        yield part


def _is_attachment(part: Message) -> bool:
    if part.get_content_disposition() == "attachment":
        return True
    if part.get_content_maintype() == "image" and part["Content-ID"]:
        return False  # a picture in the text, such as a logo
    return part.get_content_maintype() not in ("text", "multipart") or part.get_filename() is not None


def _attachment_name(part: Message) -> str:
    return " ".join((part.get_filename() or "").split()) or f"without a name ({part.get_content_type()})"


def _body(parts: list[Message]) -> str:
    """The plain text if there is any, else what the HTML shows."""
    # a message of several parts that holds none is broken, and its text all there is
    said = (p for p in parts if p.get_content_type() == "text/plain" or p.get_content_maintype() == "multipart")
    plain = [_body_text(part) for part in said]
    if any(text.strip() for text in plain):
        return "\n\n".join(plain)
    return "\n\n".join(read_html(_body_text(part))[1] for part in parts if part.get_content_type() == "text/html")


def _body_text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    try:
        return raw.decode(part.get_content_charset() or "")
    except (LookupError, UnicodeDecodeError):  # no charset declared, an unknown one, or not the one it says
        return decode(raw)


def _header(message: Message, name: str) -> str:
    try:
        return " ".join(str(message[name] or "").split())
    except Exception:  # noqa: BLE001 - the header parser fails in many ways on malformed ones; the raw text is left
        raw = dict(reversed([(key.lower(), value) for key, value in message.raw_items()]))
        return " ".join(str(raw.get(name.lower(), "")).split())
