"""Passages of about 1000 characters, each an exact slice of its page (D6)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from langchain_text_splitters import RecursiveCharacterTextSplitter

from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, Provision
from policypal.text.provisions import read_provisions

CHUNK_CHARACTERS = 1000
OVERLAP_CHARACTERS = 150

_NAMESPACE = uuid.UUID("6f1b1a52-6f0b-5f0e-9a55-0f6a1d7c2b11")
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


def chunk_id(document_id: str, ordinal: int) -> str:
    """The stable id of a passage: the same document cut the same way gets the same ids."""
    return str(uuid.uuid5(_NAMESPACE, f"{document_id}:{ordinal}"))


def chunk_pages(
    pages: Sequence[Page], outline: Iterable[str] = (), provisions: Sequence[Provision] | None = None
) -> list[Chunk]:
    """Cut pages into passages of at most 1000 characters at the borders of their provisions; none crosses a page, and neighbours
    share a passage only under the same heading. Pieces of a longer provision overlap by at most 150.

    ``provisions`` are those of the pages, where they are known; ``outline`` as in :func:`read_provisions`.
    """
    texts = {page.number: page.text for page in pages}
    read = read_provisions(pages, outline) if provisions is None else provisions
    chunks: list[Chunk] = []
    for packed in _packed(read):
        text = texts[packed.page][packed.start : packed.end]
        for start, end in [(0, len(text))] if len(text) <= CHUNK_CHARACTERS else _spans(text):
            place = packed.start + start, packed.start + end
            chunks.append(Chunk(len(chunks), packed.page, *place, packed.heading, text[start:end]))
    return chunks


@dataclass(slots=True)
class _Stretch:
    """A part of one page; ``opens`` says that it is nothing but headings so far."""

    page: int
    start: int
    end: int
    headings: tuple[str, ...]
    opens: bool

    @property
    def heading(self) -> str | None:
        return self.headings[-1] if self.headings else None

    def goes_on_with(self, other: _Stretch) -> bool:
        """Whether both are one passage."""
        is_same = self.opens or self.headings == other.headings
        return is_same and self.page == other.page and other.end - self.start <= CHUNK_CHARACTERS


def _packed(provisions: Iterable[Provision]) -> list[_Stretch]:
    packed: list[_Stretch] = []
    for stretch in (part for provision in provisions for part in _stretches(provision)):
        if packed and packed[-1].goes_on_with(stretch):
            held = packed[-1]
            packed[-1] = _Stretch(held.page, held.start, stretch.end, stretch.headings, held.opens and stretch.opens)
        else:
            packed.append(stretch)
    return packed


def _stretches(provision: Provision) -> Iterator[_Stretch]:
    for page, sentences in groupby(provision.sentences, key=lambda sentence: sentence.page):
        ours = list(sentences)
        opens = all(sentence.kind is Kind.HEADING for sentence in ours)
        yield _Stretch(page, ours[0].start, ours[-1].end, provision.headings, opens)


def _spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each passage, white space trimmed. A short piece joins the passage before it where there is room, and is left
    out where the overlap of the next one repeats it whole."""
    spans: list[tuple[int, int]] = []
    for core, end in _cores(text):
        if spans and end - spans[-1][0] <= CHUNK_CHARACTERS:
            spans[-1] = (spans[-1][0], end)
            continue
        start = _overlapped(text, core)
        if spans and start <= spans[-1][0]:
            spans.pop()
        spans.append((start, end))
    return spans


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
