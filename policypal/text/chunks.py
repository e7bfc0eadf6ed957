"""Passages of about 1000 characters, each an exact slice of its page (D6)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from langchain_text_splitters import RecursiveCharacterTextSplitter

from policypal.domain.documents import Page
from policypal.text.headings import bare_title, is_bare_division, is_heading, is_title_below

CHUNK_CHARACTERS = 1000
OVERLAP_CHARACTERS = 150

_NAMESPACE = uuid.UUID("6f1b1a52-6f0b-5f0e-9a55-0f6a1d7c2b11")
_LINE = re.compile(r"[^\n]+")
_RESTART = re.compile(r"\n+|(?<=[.!?;:])\s+|\s+")

# The splitter's own overlap makes the position of a chunk ambiguous where text repeats itself (its `add_start_index`
# then points to the wrong place), and overlaps only by whole pieces. Without overlap and stripping its chunks, one
# after the other, *are* the page, so positions are certain; the overlap is then taken from the page.
_SPLITTER = RecursiveCharacterTextSplitter(
    chunk_size=CHUNK_CHARACTERS - OVERLAP_CHARACTERS,
    chunk_overlap=0,
    separators=["\n\n", "\n", ". ", "; ", ", ", " ", ""],
    keep_separator="end",
    strip_whitespace=False,
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: ``text == page.text[start:end]``; ``ordinal`` counts from 0 through the document."""

    ordinal: int
    page: int
    start: int
    end: int
    heading: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A section heading; ``start`` is its code point offset in the page."""

    page: int
    start: int
    text: str


def chunk_id(document_id: str, ordinal: int) -> str:
    """The stable id of a passage: the same document cut the same way gets the same ids."""
    return str(uuid.uuid5(_NAMESPACE, f"{document_id}:{ordinal}"))


def chunk_pages(pages: Sequence[Page], outline: Iterable[str] = ()) -> list[Chunk]:
    """Cut pages into passages of at most 1000 characters that overlap by at most 150; none crosses a page.

    ``outline`` are the titles of the document's own table of contents, which are headings wherever they stand alone.
    """
    known = frozenset(bare_title(title) for title in outline)
    chunks: list[Chunk] = []
    current: str | None = None
    for page in pages:
        headings = find_headings(page, known)
        for start, core, end in _spans(page.text):
            heading = _heading_at(headings, core) or current or _heading_at(headings, end)
            chunks.append(Chunk(len(chunks), page.number, start, end, heading, page.text[start:end]))
        current = headings[-1].text if headings else current
    return chunks


def find_headings(page: Page, known: frozenset[str] = frozenset()) -> list[Heading]:
    """The headings of a page in order. A division's number and the title below it ("Article 33", "Notification of …")
    are one heading."""
    found: list[Heading] = []
    lines = [(match.start(), match[0]) for match in _LINE.finditer(page.text)]
    number: Heading | None = None
    for i, (start, line) in enumerate(lines):
        following = lines[i + 1][1] if i + 1 < len(lines) else None
        if number is not None and is_title_below(line):
            found[-1] = Heading(page.number, number.start, f"{number.text} – {line}")
            number = None
        elif is_heading(line, following) or (known and len(line) < 200 and bare_title(line) in known):
            found.append(Heading(page.number, start, line))
            number = found[-1] if is_bare_division(line) else None
        else:
            number = None
    return found


def _heading_at(headings: Sequence[Heading], offset: int) -> str | None:
    before = [heading.text for heading in headings if heading.start <= offset]
    return before[-1] if before else None


def _spans(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, start without overlap, end) of each passage, white space trimmed. A short piece joins the passage before
    it where there is room, and is left out where the overlap of the next one repeats it whole."""
    spans: list[tuple[int, int, int]] = []
    for core, end in _cores(text):
        if spans and end - spans[-1][0] <= CHUNK_CHARACTERS:
            spans[-1] = (spans[-1][0], spans[-1][1], end)
            continue
        start = _overlapped(text, core)
        if spans and start <= spans[-1][0]:
            spans.pop()
        spans.append((start, core, end))
    return iter(spans)


def _cores(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for part in _SPLITTER.split_text(text):
        core = position + len(part) - len(part.lstrip())
        end = position + len(part.rstrip())
        position += len(part)
        if core < end:
            yield core, end


def _overlapped(text: str, core: int) -> int:
    """Up to 150 characters earlier, at the start of a paragraph, else of a sentence, else of a word."""
    earliest = max(0, core - OVERLAP_CHARACTERS)
    if earliest == 0:
        return len(text) - len(text.lstrip())
    best, rank = core, -1
    for match in _RESTART.finditer(text, earliest, core):
        quality = 2 if "\n" in match[0] else 1 if text[match.start() - 1] in ".!?;:" else 0
        if quality > rank and match.end() < core:
            best, rank = match.end(), quality
    return best
