"""Statements: the sentences and list items of evidence, as the reader of provisions finds them in its text (C2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from policypal.answer.evidence import Evidence
from policypal.answer.rows import is_row
from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, ProvisionSentence
from policypal.search.terms import terms
from policypal.text.markers import read_markers
from policypal.text.modality import norm_of
from policypal.text.provisions import read_provisions

Span = tuple[int, int]
"""Start and end, in code points of the evidence's text."""

_VERB = re.compile(
    r"\b(?:shall|must|may|can|cannot|should|will|would|is|are|was|were|be|been|has|have|had|means?|includes?|appl(?:y|ies)|"
    r"requires?|provides?|ensures?|refers?|covers?|sets?|do|does|did|need|needs|becomes?|contains?|establish(?:es)?)\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"[.!?;:][\"”’')\]]*\d{0,2}$|[,;]\s*(?:and|or)$|[–—-]$")
_ILLUSTRATION = re.compile(r"(?:guidance|example|illustration|note)\b[^.:]{0,12}[:.–]", re.IGNORECASE)
_SHORTEST = 12


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of one piece of evidence."""

    evidence: Evidence
    span: Span

    @property
    def words(self) -> str:
        """Exactly as the evidence has them."""
        return self.evidence.text[slice(*self.span)]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or list item. ``source`` indexes the evidence it stands in; ``span`` leaves its mark out.

    ``intro`` is the line a list item completes ("The notification shall at least:") or what stands above the rows of a table; ``items`` are
    the items a line introduces. ``complete`` is False where its beginning or end is not in the passage. ``is_row``: it is a row of a table.
    """

    source: int
    evidence: Evidence
    span: Span
    complete: bool = True
    is_row: bool = False
    intro: Span | None = None
    items: tuple[Part, ...] = ()
    heading: str = ""
    terms: tuple[str, ...] = field(default=(), compare=False)
    intro_terms: tuple[str, ...] = field(default=(), compare=False)

    @property
    def parts(self) -> list[Part]:
        """The statement itself, without the line that introduces it."""
        return [Part(self.evidence, self.span)]

    @property
    def text(self) -> str:
        """The statement on one line, for reading and embedding; quotes take the parts' own words."""
        return " ".join(self.parts[0].words.split())

    @property
    def full_text(self) -> str:
        """The statement with the line that introduces it."""
        introduction = self.evidence.text[slice(*self.intro)] if self.intro else ""
        return " ".join(f"{introduction} {self.text}".split())

    @property
    def kind(self) -> Kind:
        """What it does by the modal verbs of its main clause."""
        return norm_of(self.full_text) or Kind.STATEMENT

    @property
    def is_illustration(self) -> bool:
        """Guidance, examples and notes explain rules and bind nobody."""
        return _ILLUSTRATION.match(self.text) is not None


@dataclass(slots=True)
class _Unit:
    """A sentence of a passage: where its words begin behind its mark, and the place of the one that introduces it."""

    sentence: ProvisionSentence
    heading: str
    span: Span
    intro: int | None = None


def statements_of(evidence: Sequence[Evidence]) -> list[Statement]:
    """Every statement of the evidence, in order. Headings, tables of contents and page furniture are left out (C2)."""
    return [s for source, passage in enumerate(evidence) for s in _of_passage(source, passage)]


def _of_passage(source: int, passage: Evidence) -> Iterator[Statement]:
    units = _units(passage)
    rows = [is_row(passage.text[slice(*u.span)]) for u in units]
    for place, unit in enumerate(units):
        beside = any(rows[max(place - 1, 0) : place]) or any(rows[place + 1 : place + 2])
        row = unit.sentence.kind is Kind.TABLE or (rows[place] and beside)
        said = passage.text[slice(*unit.span)]
        if unit.sentence.kind in (Kind.HEADING, Kind.REFERENCE) or (len(said) < _SHORTEST and not row):
            continue
        intro = units[unit.intro].span if unit.intro is not None else None
        yield Statement(
            source=source,
            evidence=passage,
            span=unit.span,
            complete=_is_complete(passage.text, unit, is_first=place == 0, is_last=place == len(units) - 1),
            is_row=row,
            intro=intro,
            items=tuple(Part(passage, u.span) for u in units if u.intro == place),
            heading=unit.heading,
            terms=tuple(terms(said)),
            intro_terms=tuple(terms(passage.text[slice(*intro)])) if intro else (),
        )


def _units(passage: Evidence) -> list[_Unit]:
    units: list[_Unit] = []
    for provision in read_provisions([Page(1, passage.text)]):
        heading = provision.headings[-1] if provision.headings else passage.heading or ""
        for sentence in provision.sentences:
            marks = read_markers(sentence.text)
            begin = sentence.start + (marks[-1].end if marks else 0)
            units.append(_Unit(sentence, heading, (begin, sentence.end), _introduced_by(sentence, units)))
    return units


def _introduced_by(sentence: ProvisionSentence, before: Sequence[_Unit]) -> int | None:
    """The nearest sentence before that introduces a list item."""
    if not sentence.introduction:
        return None
    places = (place for place in reversed(range(len(before))) if before[place].sentence.introduces)
    said = " ".join(sentence.introduction.split())
    return next((p for p in places if said.endswith(_bare(before[p].sentence.text))), None)


def _bare(text: str) -> str:
    marks = read_markers(text)
    return " ".join(text[marks[-1].end if marks else 0 :].split())


def _is_complete(text: str, unit: _Unit, *, is_first: bool, is_last: bool) -> bool:
    said = text[slice(*unit.span)]
    begins = not is_first or not said[:1].islower() or unit.span[0] > unit.sentence.start
    return begins and (not is_last or bool(_CLOSED.search(said)))


def has_verb(text: str) -> bool:
    """Whether ``text`` holds a verb common in rules; without one it is a heading or a fragment."""
    return _VERB.search(text) is not None
