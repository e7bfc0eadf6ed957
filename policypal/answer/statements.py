"""Statements: the sentences and list items of evidence, told apart from headings and furniture (C2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from policypal.answer.enumerations import (
    OVERLAP,
    OVERLAP_START,
    Pages,
    Part,
    Span,
    Units,
    introductions_of,
    is_closed,
    items_of,
)
from policypal.answer.evidence import Evidence
from policypal.answer.rows import header_of, is_row, split_rows
from policypal.domain.provisions import Kind
from policypal.search.terms import terms
from policypal.text.modality import norm_of
from policypal.text.sentences import split_sentences

LABEL = re.compile(
    r"^\s*(?:\d{1,3}(?:\.\d{1,3}){1,4}\.?\s+|[•▪‣·o]\s+|[–—-]\s+|\(?(?:\d{1,3}[A-Za-z]?|[a-z]{1,2}|[ivxl]{1,6})[).](?!\d)\s*)+(?=\S)"
)
"""A paragraph or list label: "(a)", "2.1", "3.", "•", "9. (1)"."""

_STRUCTURE = re.compile(
    r"^(?:article|section|chapter|part|annex|appendix|schedule|title|rule|principle|division|table|figure)\s+[\dIVXLCA-Z][\w.()-]*\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:shall|must|may|can|cannot|should|will|would|is|are|was|were|be|been|has|have|had|means?|includes?|appl(?:y|ies)|"
    r"requires?|provides?|ensures?|refers?|covers?|sets?|do|does|did|need|needs|becomes?|contains?|establish(?:es)?)\b",
    re.IGNORECASE,
)
_TABLE_OF_CONTENTS = re.compile(r"\.{4,}|(?:\s\.){4,}|…{2,}|_{4,}")
_CONTENTS = re.compile(r"^\s*(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5})\.?\s+[A-Z][^.;:!?\n]*$", re.MULTILINE)
_CONTENTS_LINES = 3
_TERMINAL = re.compile(r"[.!?;:,][\"”’')\]]*\d{0,2}$|[,;]\s*(?:and|or)$")
_CROSS_REFERENCE = re.compile(r"^\(?[\w.]{1,4}[).]\s+(?:and|or|to|of|above|below|shall|is|are)\b|^[–—]\s*[a-z]")
_SMALL = "a an and as at by for from in into of on or the to with under upon"
_SMALL_WORDS = frozenset(_SMALL.split())
_SHORT_LINE = 0.6
_HEADING_WORDS = 14
_SHORTEST = 12


_ILLUSTRATION = re.compile(r"(?:guidance|example|illustration|note)\b[^.:]{0,12}[:.–]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or list item. ``source`` indexes the evidence it begins in; ``span`` leaves the label out.

    ``intro`` is the line a list item completes ("The notification shall at least:"), ``items`` are the items a line
    introduces, those of the passages that go on with the list included. ``rest`` is the sentence's end where a passage breaks off in its middle and another one goes on.
    ``complete`` is False where its beginning or end is in no passage. ``is_row``: it is a row of a table, and ``intro`` the
    line above the rows.
    """

    source: int
    evidence: Evidence
    span: Span
    complete: bool = True
    is_row: bool = False
    intro: Span | None = None
    items: tuple[Part, ...] = ()
    rest: Part | None = None
    heading: str = ""
    terms: tuple[str, ...] = field(default=(), compare=False)
    intro_terms: tuple[str, ...] = field(default=(), compare=False)

    @property
    def parts(self) -> list[Part]:
        """The statement itself, without the line that introduces it."""
        own = Part(self.evidence, self.span)
        return [own] if self.rest is None else [own, self.rest]

    @property
    def text(self) -> str:
        """The statement on one line, for reading and embedding; quotes take the parts' own words."""
        return " ".join(" ".join(part.words for part in self.parts).split())

    @property
    def kind(self) -> Kind:
        """What it does by the modal verbs of its main clause."""
        return norm_of(self.full_text) or Kind.STATEMENT

    @property
    def is_illustration(self) -> bool:
        """Guidance, examples and notes explain rules and bind nobody."""
        return _ILLUSTRATION.match(self.text) is not None

    @property
    def full_text(self) -> str:
        """The statement with the line that introduces it."""
        if self.intro is None:
            return self.text
        return f"{' '.join(self.evidence.text[slice(*self.intro)].split())} {self.text}"


def statements_of(evidence: Sequence[Evidence]) -> list[Statement]:
    """Every statement of the evidence, in order. Headings, tables of contents and page furniture are left out (C2);
    sentences that overlapping passages cut in two are made whole."""
    passages = [Units(i, e, _units(e.text)) for i, e in enumerate(evidence)]
    pages: Pages = {}
    for passage in passages:
        pages.setdefault((passage.evidence.document, passage.evidence.page), []).append(passage)
    found: list[Statement] = []
    continued: set[tuple[int, int]] = set()
    for passage in passages:
        rest, at = _continuation(passage, pages[passage.evidence.document, passage.evidence.page])
        found.extend(_of_passage(passage, rest, pages))
        continued.update(at)
    return [s for s in found if (s.source, s.span[0]) not in continued]


def _continuation(passage: Units, page: Sequence[Units]) -> tuple[Part | None, list[tuple[int, int]]]:
    """The end of a passage's last sentence, in the passage that overlaps with it; and which statement there is only
    that end."""
    tail = passage.text.rstrip()[-OVERLAP:]
    if not passage.is_cut or len(tail) < OVERLAP:
        return None, []
    for other in page:
        at = other.text.find(tail) if other.source != passage.source else -1
        joint = at + len(tail)
        unit = next((u for u in other.units if u[0] <= joint < u[1]), None) if at >= 0 else None
        if unit is not None and other.text[joint : unit[1]].strip():
            start = joint + len(other.text[joint:]) - len(other.text[joint:].lstrip())
            begins_there = unit == other.units[0] and unit[0] <= OVERLAP_START
            repeated = [(other.source, _without_label(other.text, unit)[0])] if begins_there else []
            return Part(other.evidence, (start, unit[1])), repeated
    return None, []


def _of_passage(passage: Units, rest: Part | None, pages: Pages) -> Iterable[Statement]:
    text, units = passage.text, passage.units
    introductions = introductions_of(passage, is_heading)
    items = items_of(passage, introductions, pages)
    heading, above = passage.evidence.heading or "", -1
    table_rows = _table_rows(text, units)
    for position, span in enumerate(units):
        if position in table_rows:
            yield _row(passage, position, heading)
            continue
        if is_heading(text[slice(*span)]):
            heading = _with_number(heading if above == position - 1 else "", " ".join(text[slice(*span)].split()))
            above = position
            continue
        body = _without_label(text, span)
        if body[1] - body[0] < _SHORTEST:
            continue
        intro_at = introductions.get(position)
        intro = _without_label(text, units[intro_at]) if intro_at is not None else None
        continues = rest if position == len(units) - 1 else None
        yield Statement(
            source=passage.source,
            evidence=passage.evidence,
            span=body,
            complete=_is_complete(text, units, position, continues),
            intro=intro,
            items=items.get(position, ()),
            rest=continues,
            heading=heading,
            terms=tuple(terms(text[slice(*body)] + (f" {continues.words}" if continues else ""))),
            intro_terms=tuple(terms(text[slice(*intro)])) if intro else (),
        )


def _table_rows(text: str, units: Sequence[Span]) -> set[int]:
    """A line with figures is a row only beside other rows."""
    rows = [is_row(text[slice(*span)]) for span in units]
    return {i for i, row in enumerate(rows) if row and (any(rows[max(i - 1, 0) : i]) or any(rows[i + 1 : i + 2]))}


def _row(passage: Units, position: int, heading: str) -> Statement:
    text, span = passage.text, passage.units[position]
    header = header_of(text, passage.units, position)
    return Statement(
        source=passage.source, evidence=passage.evidence, span=span, is_row=True, intro=header, heading=heading,
        terms=tuple(terms(text[slice(*span)])), intro_terms=tuple(terms(text[slice(*header)])) if header else (),
    )  # fmt: skip


def _with_number(above: str, heading: str) -> str:
    """ "Article 33" stands on a line of its own above its title."""
    return f"{above} {heading}" if _STRUCTURE.fullmatch(above) else heading


def is_heading(text: str) -> bool:
    """Whether ``text`` is a heading, a line of a table of contents or page furniture, which support nothing (C2)."""
    flat = " ".join(text.split())
    if _TABLE_OF_CONTENTS.search(flat) or len(_CONTENTS.findall(text)) >= _CONTENTS_LINES:
        return True
    body = LABEL.sub("", flat) or flat
    words = body.split()
    if not any(c.isalpha() for c in body):
        return True
    if _TERMINAL.search(body) and not _STRUCTURE.fullmatch(body):
        return False
    if len(words) > _HEADING_WORDS:
        return body.isupper()
    return bool(_STRUCTURE.match(body)) or body.isupper() or not _VERB.search(body)


def has_verb(text: str) -> bool:
    """Whether ``text`` holds a verb common in rules; without one it is a heading or a fragment."""
    return _VERB.search(text) is not None


def _units(text: str) -> list[Span]:
    spans: list[Span] = []
    for sentence in split_sentences(text):
        start, end = sentence.start, sentence.end
        if spans and _continues(text, spans[-1], start):
            start = spans.pop()[0]
        for peeled in _peel_headings(text, start, end):
            spans.extend(split_rows(text, *peeled))
    return spans


def _continues(text: str, previous: Span, start: int) -> bool:
    """A line that begins with "(b) of paragraph 1 …" goes on with the sentence before it."""
    if is_closed(text[slice(*previous)]):
        return False
    following = text[start : start + 60]
    return bool(_CROSS_REFERENCE.match(following))


def _peel_headings(text: str, start: int, end: int) -> Iterable[Span]:
    """Separate heading lines from the sentence they run into, as extracted pages have no blank line between them."""
    typical = max((len(line) for line in text.split("\n")), default=0)
    while True:
        newline = text.find("\n", start, end)
        if newline < 0 or not _is_heading_line(text[start:newline], text[newline + 1 : end], typical):
            break
        yield (start, start + len(text[start:newline].rstrip()))
        start = newline + 1
        while start < end and text[start].isspace():
            start += 1
    yield (start, end)


def _is_heading_line(line: str, rest: str, typical: int) -> bool:
    line = line.strip()
    following = rest.lstrip()
    if not line or not following or line.endswith((",", ";")):
        return False
    if _TABLE_OF_CONTENTS.search(line):
        return True
    starts_anew = following[0].isupper() or following[0] in "“\"‘'([" or LABEL.match(following) is not None
    if not starts_anew or line.endswith(("-", " the", " of", " and", " or", " to", " a", " in", " by")):
        return False
    body = LABEL.sub("", line) or line
    if _STRUCTURE.fullmatch(body) or body.isupper() or not any(c.isalpha() for c in body):
        return True
    return len(body) < _SHORT_LINE * typical and not _VERB.search(body) and _is_title(body)


def _is_title(body: str) -> bool:
    words = [w for w in body.split() if w[0].isalpha()]
    if not words or len(words) > 10 or not words[0][0].isupper() or body.endswith((".", ":")):
        return False
    capital = [w for w in words if w[0].isupper() or w.lower() in _SMALL_WORDS]
    return len(capital) == len(words) or len(words) <= 7


def _without_label(text: str, span: Span) -> Span:
    match = LABEL.match(text[slice(*span)])
    return (span[0] + match.end(), span[1]) if match else span


def _is_complete(text: str, units: Sequence[Span], position: int, rest: Part | None) -> bool:
    unit = text[slice(*units[position])]
    if position == 0 and unit[0].islower() and not LABEL.match(unit):
        return False
    return is_closed(unit) or position + 1 < len(units) or (rest is not None and is_closed(rest.words))
