"""The clauses of a document in reading order, over page breaks, with their numbers set apart (A3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from policypal.domain.documents import Page
from policypal.text.headings import is_bare_division, is_heading, is_structural, is_title_below
from policypal.text.sentences import split_sentences

_LABEL = re.compile(
    r"\s*(?:(?:\d{1,3}(?:\.\d{1,3})+\.?|\(?(?:\d{1,3}[A-Za-z]?|[a-zA-Z]|[ivxl]{1,6})[).]|[•▪‣·–—-])\s+)+(?=\S)"
)
_NUMBER_OF_HEADING = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[A-Z]\.)\s+")
_CONTENTS_LINE = re.compile(r"\.{4,}|(?:\s\.){4,}")
_ENDS = re.compile(r"[.!?:;][\"”’')\]]*\d{0,2}$|[,;]\s*(?:and|or)$")
_BINDS = re.compile(r"\b(?:must|shall|may|should|can|cannot)\b")
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*|[%€$£¥]")


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one page, in code points of its stored text."""

    page: int
    start: int
    end: int


@dataclass(frozen=True)
class Clause:
    """A sentence or list item without its ``label``. It stands at the first of its ``places``, and goes on at the others
    where a page ends in its middle."""

    label: str
    text: str
    heading: str
    places: tuple[Place, ...]

    @property
    def page(self) -> int:
        return self.places[0].page

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What the clause says, whatever its case and punctuation."""
        return tuple(_WORD.findall(self.text.lower()))

    def followed_by(self, more: Clause) -> Clause:
        """Both as one clause."""
        return replace(self, text=f"{self.text} {more.text}", places=self.places + more.places)


def read_clauses(pages: Sequence[Page]) -> list[Clause]:
    """The sentences and list items of the pages; headings are kept as what stands above them, contents tables dropped."""
    clauses: list[Clause] = []
    heading = ""
    for page in pages:
        for is_title, clause in _of_page(page, heading):
            if is_title:
                heading = clause.text
            elif clauses and _goes_on(clauses[-1], clause):
                clauses[-1] = clauses[-1].followed_by(clause)
            elif clause.words:
                clauses.append(replace(clause, heading=heading))
    return clauses


def _goes_on(before: Clause, clause: Clause) -> bool:
    """Whether ``clause`` is the rest of a sentence that a page or a line broke."""
    return not clause.label and not _ENDS.search(before.text) and clause.text[0].islower()


def _of_page(page: Page, heading: str) -> Iterator[tuple[bool, Clause]]:
    lines = [(m.start(), m.group()) for m in re.finditer(r"[^\n]+", page.text)]
    above = ""
    for position, (start, line) in enumerate(lines):
        following = lines[position + 1][1] if position + 1 < len(lines) else None
        if _CONTENTS_LINE.search(line):
            continue
        if _is_title(line, following) or (is_bare_division(above) and is_title_below(line)):
            title = f"{above} – {line}" if is_bare_division(above) and above != line else line
            yield True, Clause("", title, "", (Place(page.number, start, start + len(line)),))
        else:
            yield from ((False, clause) for clause in _of_line(page.number, start, line))
        above = line


def _is_title(line: str, following: str | None) -> bool:
    """A numbered line that a page's end cuts short looks like a heading, but for its modal verb."""
    return is_heading(line, following) and (is_structural(line) or not _BINDS.search(line))


def _of_line(page: int, start: int, line: str) -> Iterator[Clause]:
    """The sentences of a paragraph; its number is the label of them all."""
    own = ""
    for sentence in split_sentences(line):
        label = _LABEL.match(sentence.text)
        begin = sentence.start + (label.end() if label else 0)
        text = " ".join(line[begin : sentence.end].split())
        own = label.group().strip() if label else own
        if text:
            yield Clause(own, text, "", (Place(page, start + begin, start + sentence.end),))


def bare_heading(heading: str) -> str:
    """A heading without its number, which changes when sections are inserted."""
    return _NUMBER_OF_HEADING.sub("", heading).lower()
