"""The clauses of a document: the sentences of its provisions without their marks, whole over page breaks (D11, A3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.text.markers import read_markers

_ENDS = re.compile(r"[.!?:;][\"”’')\]]*\d{0,2}$|[,;]\s*(?:and|or)$")
_CLOSING = ' ”’)]"'
"""What closes the sentence before."""
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*|[%€$£¥]")
_NUMBER_OF_HEADING = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[A-Z]\.)\s+")
_DIVISION = re.compile(
    r"^(?:(?:part|chapter|section|article|title|annex|principle|rule)\s+[\dIVXLC]+[\w.()]*|[A-Z]{1,4}-?\d[\w.()-]*|\d[\w.]*)\W+(?=\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one page, in code points of its stored text."""

    page: int
    start: int
    end: int


@dataclass(frozen=True)
class Clause:
    """A sentence, list item or table row without its mark. ``label`` is the mark as printed ("(a)", "2.1"), ``provision`` how one
    cites where it stands ("Art. 33(1)"), ``introduction`` the words that govern a list item. It stands at the first of its
    ``places``, and goes on at the others where a page ends in its middle. ``is_struck``: an analyst took it out of the register."""

    label: str
    text: str
    places: tuple[Place, ...]
    kind: Kind = Kind.STATEMENT
    provision: str = ""
    headings: tuple[str, ...] = ()
    introduction: str = ""
    introduces: bool = False
    party: str = ""
    is_struck: bool = False

    @property
    def page(self) -> int:
        return self.places[0].page

    @property
    def heading(self) -> str:
        """The nearest heading above it, "" where there is none."""
        return self.headings[-1] if self.headings else ""

    @property
    def full_text(self) -> str:
        """The clause with the introduction that governs it."""
        return f"{self.introduction} {self.text}".strip()

    @property
    def counts(self) -> bool:
        """Whether it obliges or prohibits, and no analyst said otherwise."""
        return self.kind.binds and not self.is_struck

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What the clause says, whatever its case and punctuation."""
        return tuple(_WORD.findall(self.text.lower()))

    def followed_by(self, more: Clause) -> Clause:
        """Both as one clause."""
        return replace(self, text=f"{self.text} {more.text}", places=self.places + more.places)


def clauses_of(provisions: Iterable[Provision]) -> list[Clause]:
    """The clauses in reading order; headings only stand above them, and tables of contents say nothing."""
    clauses: list[Clause] = []
    for provision in provisions:
        label = ""
        for sentence in provision.sentences:
            if sentence.kind is Kind.HEADING or (sentence.kind is Kind.REFERENCE and _is_entry(sentence)):
                continue
            clause = _clause(provision, sentence, label)
            label = clause.label
            if clauses and _goes_on(clauses[-1], clause):
                clauses[-1] = clauses[-1].followed_by(clause)
            elif clause.words:
                clauses.append(clause)
    return clauses


def bare_heading(heading: str) -> str:
    """A heading without its number, which changes when sections are inserted."""
    return _NUMBER_OF_HEADING.sub("", heading).lower()


def topic_of(heading: str) -> str:
    """What a heading is about: its words without "Article 33", "AU-11" or "4.2"."""
    title = _DIVISION.sub("", " ".join(heading.split())).strip(" .:–—-")
    return title[:1].upper() + title[1:]


def _clause(provision: Provision, sentence: ProvisionSentence, label: str) -> Clause:
    """Its mark is the label of all sentences of a paragraph."""
    marks = read_markers(sentence.text)
    begin = marks[-1].end if marks else 0
    own = sentence.text[:begin].strip() or label
    begin = max(begin, len(sentence.text) - len(sentence.text.lstrip(_CLOSING)))
    place = Place(sentence.page, sentence.start + begin, sentence.end)
    return Clause(
        own, " ".join(sentence.text[begin:].split()), (place,), sentence.kind, provision.label, provision.headings,
        sentence.introduction, sentence.introduces, sentence.party,
    )  # fmt: skip


def _is_entry(sentence: ProvisionSentence) -> bool:
    """Whether it is a line of a table of contents, which ends with its page."""
    return sentence.text[-1:].isdigit()


def _goes_on(before: Clause, clause: Clause) -> bool:
    """Whether ``clause`` is the rest of a sentence that a page broke."""
    broken = clause.page == before.places[-1].page + 1
    return broken and not _ENDS.search(before.text) and clause.text[:1].islower()
