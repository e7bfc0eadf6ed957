"""A document opened to be read (D9). Offsets are code points into the stored text of a page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A line of the page list: the page's first heading, or its first words."""

    number: int
    opening: str
    has_text: bool


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A heading of the document's outline, ``depth`` from 0, on its page; ``duties`` are the obligations and prohibitions right under it."""

    title: str
    depth: int
    page: int
    duties: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where the words looked for stand, with what is printed around them."""

    page: int
    start: int
    end: int
    words: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Hits:
    """Some of the places found, in reading order, and how many there are in all, on how many pages."""

    total: int
    pages: int
    shown: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page with the passage that is to be seen on it: ``text[span[0]:span[1]]``, or None if there is none or it does not
    stand there."""

    number: int
    text: str
    span: tuple[int, int] | None = None

    @property
    def passage(self) -> str:
        return self.text[self.span[0] : self.span[1]] if self.span else ""

    @property
    def depth(self) -> float:
        """How far down the text the passage begins, 0..1: tells it from other places with the same words."""
        return self.span[0] / max(1, len(self.text)) if self.span else 0.0


ELLIPSIS = "…"
"""Stands where an excerpt was cut."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an excerpt; ``is_hit`` marks the words that were looked for."""

    text: str
    is_hit: bool


@dataclass(frozen=True, slots=True)
class Box:
    """A highlighted rectangle, in shares (0..1) of the image's width and height from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class PageImage:
    """A drawn page. ``png`` already shows the highlight; ``boxes`` say where it is, none if the quote was not found."""

    png: bytes
    width: int
    height: int
    boxes: tuple[Box, ...] = ()
