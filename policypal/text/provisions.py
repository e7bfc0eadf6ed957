"""A document's own outline made of objects: its provisions and their numbered sentences (D11).

One pass over the paragraphs of the stored pages. A heading opens a section, a mark ("(a)", "2.", "•") opens or continues a list, an
introduction ("… shall:") governs the items below it, a page border breaks nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest

from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.text import modality
from policypal.text.headings import bare_title, is_bare_division, is_heading, is_title_below
from policypal.text.lexicon import section_kind
from policypal.text.line_shapes import (
    RULE_OF_TABLE,
    SCOPE,
    TABLE_HEAD,
    cells_of,
    introduces,
    is_contents_entry,
    is_row_of_figures,
    scoped_heading,
)
from policypal.text.markers import Marker, read_markers
from policypal.text.numbering import heading_label, heading_rank, provision_label
from policypal.text.sentences import split_sentences

READER_VERSION = 6
"""Raised when the reader finds other provisions in the same text, or cuts other passages at their borders; documents are then read
again in the background."""

_LINE = re.compile(r"[^\n]+")
_ENACTS = re.compile(r"^\W*(?:ha(?:s|ve) adopted th|be it enacted|now,? therefore|hereby (?:adopts|enacts))", re.I)
_ASIDE = re.compile(r"^\W*(?:illustrations?|examples?|notes?)\b\s*\d*\s*[.:—–-]", re.I)
_INSTANCE = re.compile(r"^\W*(?:for (?:example|instance)|note that)\b", re.I)
_ASIDE_ALONE = re.compile(r"^\W*(?:illustrations?|examples?)\W*$", re.I)
_WHEREAS = re.compile(r"\bWHEREAS\b|^\W*(?:[A-Z]\)\s*)?Whereas\b")
_HASHES = re.compile(r"(?P<level>#{1,6})\s+(?P<title>\S.*?)[\s#]*$")
"""A heading of Markdown."""
_ENDS = re.compile(r"[.!?:;,][”\"’')\]]*$")
_DUTIES = re.compile(r"\b(?:responsibilit(?:y|ies)|duties|tasks)\b", re.I)
_LOOSE_STYLES = frozenset({"(1)", "(a)", "(i)", "1)", "a)", "i)", "•"})
_ASIDE_HEADING_CHARACTERS = 20
_OUTLINE_CHARACTERS = 200


def read_provisions(pages: Sequence[Page], outline: Iterable[str] = ()) -> list[Provision]:
    """The provisions of a document in reading order. ``outline`` are the titles of its own table of contents, which are headings
    wherever they stand alone."""
    return _Reader(frozenset(bare_title(title) for title in outline)).read(list(_lines_of(pages)))


@dataclass(frozen=True, slots=True)
class _Line:
    page: int
    start: int
    text: str
    following: str | None


@dataclass(frozen=True, slots=True)
class _Introduction:
    """What governs the items of a list. ``kind`` is None where nothing does."""

    text: str = ""
    kind: Kind | None = None


_NOTHING = _Introduction()


@dataclass(frozen=True, slots=True)
class _List:
    """A list that is open, with its latest mark."""

    marker: Marker
    introduction: _Introduction
    first: int


@dataclass(slots=True)
class _Draft:
    label: str
    headings: tuple[str, ...]
    page: int
    sentences: list[ProvisionSentence] = field(default_factory=list)


@dataclass(slots=True)
class _Reader:
    """Where the reading stands. ``aside`` is the number of lists that were open when an example began; -1 outside."""

    outline: frozenset[str]
    drafts: list[_Draft] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    section: str = ""
    scope: str = ""
    lists: list[_List] = field(default_factory=list)
    pending: _Introduction = _NOTHING
    within_list: bool = False
    aside: int = -1
    preamble: bool = False
    markdown: bool = False
    party: str = ""
    contents: bool = False
    table: tuple[str, ...] = ()

    def read(self, lines: Sequence[_Line]) -> list[Provision]:
        self.preamble = any(_ENACTS.match(line.text) for line in lines)
        self.markdown = any(line.text.startswith("## ") for line in lines)
        bare = False
        for line in lines:
            if self.preamble and _ENACTS.match(line.text):
                self.preamble = False
                self._add(line, 0, line.text, Kind.RECITAL)
            elif self._is_row(line):
                self._row(line)
            elif self._is_contents(line):
                self._add(line, 0, line.text, Kind.REFERENCE)
            elif bare and is_title_below(line.text) and not read_markers(line.text):
                self._title_below(line)
                bare = False
            elif self._is_heading(line):
                self._heading(line, line.text)
                bare = is_bare_division(line.text)
            else:
                self._paragraph(line)
                bare = False
        drafts = [draft for draft in self.drafts if draft.sentences]
        return _with_parties([
            Provision(n, d.label, d.headings, d.page, _with_introductions(d.sentences)) for n, d in enumerate(drafts, 1)
        ])  # fmt: skip

    def _is_row(self, line: _Line) -> bool:
        """Whether a line is a row of a table: of no more cells than the head above it, over page borders too, or as its neighbour below,
        whose head it then is."""
        if "|" not in line.text:
            self.table = ()
            return False
        cells = cells_of(line.text)
        if 1 < len(cells) <= len(self.table):
            return True
        below = cells_of(line.following) if line.following is not None else ()
        self.table = cells if 1 < len(cells) == len(below) else ()
        return bool(self.table)

    def _row(self, line: _Line) -> None:
        """A row below the heads of its columns, which are its introduction. It binds where one of its cells does."""
        cells = cells_of(line.text)
        if cells == self.table or RULE_OF_TABLE.fullmatch(line.text):
            self._add(line, 0, line.text, Kind.TABLE)
            return
        heads = " | ".join(self.table) + ":"
        fixed = self._kind_of_section(line.text)
        stated = ((fixed or modality.norm_of_cell(cell), cell) for cell in cells)
        kind, cell = next(((kind, cell) for kind, cell in stated if kind is not None), (Kind.TABLE, ""))
        if kind is not Kind.TABLE and (label := provision_label("", read_markers(f"{cells[0]} -"))):
            self.drafts.append(_Draft(label, tuple(self.headings), line.page))
        party = self._party(cell, _NOTHING) if kind.binds or kind is Kind.RECOMMENDATION else ""
        self._add(line, 0, line.text, kind, introduction=heads, party=party)

    def _is_contents(self, line: _Line) -> bool:
        """Whether a line is an entry of a table of contents: it ends with a page's number, and so does its neighbour."""
        self.contents = (
            is_contents_entry(line.text)
            and not is_row_of_figures(line.text)
            and (self.contents or (line.following is not None and is_contents_entry(line.following.strip())))
            and not self._demands(line.text)
        )
        return self.contents

    @staticmethod
    def _demands(text: str) -> bool:
        marks = read_markers(text)
        bare = text[marks[-1].end if marks else 0 :]
        return modality.norm_of(bare) is not None or modality.is_imperative(bare)

    def _is_heading(self, line: _Line) -> bool:
        text = line.text
        if text[-1] == ":" and (SCOPE.match(text) or scoped_heading(text)):
            return True
        if self._hashed(text) or (len(text) < _ASIDE_HEADING_CHARACTERS and _ASIDE.match(text)):
            return True
        if len(text) >= _OUTLINE_CHARACTERS or text[-1] in ";," or introduces(text) or TABLE_HEAD.match(text):
            return False
        looks_so = (self.outline and bare_title(text) in self.outline) or (
            is_heading(text, line.following) and not any(m.style in _LOOSE_STYLES for m in read_markers(text)[:1])
        )
        return looks_so and modality.norm_of(text) is None

    def _hashed(self, text: str) -> re.Match[str] | None:
        return _HASHES.match(text) if self.markdown else None

    def _heading(self, line: _Line, heading: str) -> None:
        if _ASIDE.match(heading):  # an example belongs to the provision it illustrates
            self.aside = len(self.lists)
            self._add(line, 0, line.text, Kind.HEADING)
            return
        if match := self._hashed(heading):
            heading = match["title"]
            self._enter_section(heading, len(match["level"]))
        elif match := scoped_heading(heading):
            self._enter_section(match["title"])
            self.scope = match["who"].strip()
        elif match := SCOPE.match(heading):
            self.scope = match["who"].strip()
        else:
            self._enter_section(heading)
        self.lists, self.pending = [], _NOTHING
        self.drafts.append(_Draft(heading_label(heading), tuple(self.headings), line.page))
        self._add(line, 0, line.text, Kind.HEADING)

    def _title_below(self, line: _Line) -> None:
        """The title under a division's number ("Article 33", "Notification of …") belongs to the same heading."""
        self._enter_section(f"{self.headings[-1]} – {line.text}")
        self.drafts[-1].headings = tuple(self.headings)
        self._add(line, 0, line.text, Kind.HEADING)

    def _enter_section(self, heading: str, rank: int | None = None) -> None:
        rank = heading_rank(heading) if rank is None else rank
        while self.ranks and self.ranks[-1] >= rank:
            self.headings.pop()
            self.ranks.pop()
        self.headings.append(heading)
        self.ranks.append(rank)
        self.section = next((kind for h in reversed(self.headings) if (kind := section_kind(h))), "")
        self.scope, self.party, self.aside = "", "", -1

    def _paragraph(self, line: _Line) -> None:
        marks = self._marks(line)
        if self.preamble:
            self.pending = _NOTHING  # "Whereas:" governs nothing
        introduction = self._governing(line, marks)
        offset = marks[-1].end if marks else 0
        start = 0
        for sentence in split_sentences(line.text[offset:]):
            words = line.text[start : offset + sentence.end]
            self._sentence(line, start, words, sentence.text, introduction, listed=bool(marks))
            introduction, start = _NOTHING, offset + sentence.end
            start += len(line.text[start:]) - len(line.text[start:].lstrip())

    def _marks(self, line: _Line) -> list[Marker]:
        """The marks of a paragraph. In an example only what goes on with a list that was open before it is one: "X. a patient" is not."""
        marks = read_markers(line.text, [open_list.marker for open_list in self.lists])
        if self.aside < 0:
            return marks
        before = {open_list.marker.style for open_list in self.lists[: self.aside]}
        return marks if any(mark.style in before for mark in marks) else []

    def _governing(self, line: _Line, marks: list[Marker]) -> _Introduction:
        """Open or go on with lists; the introduction that governs the paragraph."""
        if marks:
            self._enter_lists(marks, line)
            self.within_list = True
            return self.lists[-1].introduction
        self.within_list = False
        broken_off = self._broken_off(line)
        if broken_off is not None:
            return _Introduction(broken_off.full, broken_off.kind)
        if self.pending.text and line.text[:1].islower():
            return self.pending
        self.pending = _NOTHING
        return _NOTHING

    def _enter_lists(self, marks: list[Marker], line: _Line) -> None:
        for mark in marks:
            depth = next(
                (i for i in reversed(range(len(self.lists))) if self.lists[i].marker.style == mark.style), None
            )
            if depth is None:
                self.lists = [] if "." in mark.style and mark.style != "1." else self.lists
                above = self.lists[-1].introduction if self.lists and self.within_list and not mark.value else _NOTHING
                self.lists.append(_List(mark, self.pending if self.pending.text else above, mark.value))
            else:
                begins_again = mark.value and mark.value <= self.lists[depth].marker.value and self.pending.text
                introduction = self.pending if begins_again else self.lists[depth].introduction
                first = mark.value if begins_again else self.lists[depth].first
                self.lists = [*self.lists[:depth], _List(mark, introduction, first)]
                self.aside = -1 if depth < self.aside else self.aside
            self.pending = _NOTHING
        if marks[-1].value and len(self.lists) <= 2 and not self.lists[-1].introduction.text and self.aside < 0:
            within = self.headings[-1] if self.headings and self.lists[0].first == 1 else ""
            label = provision_label(within, [open_list.marker for open_list in self.lists])
            label = f"Recital {label}" if self.preamble and len(self.lists) == 1 else label
            self.drafts.append(_Draft(label, tuple(self.headings), line.page))

    def _broken_off(self, line: _Line) -> ProvisionSentence | None:
        """The sentence of the page before that this paragraph goes on with."""
        if not line.text[:1].islower():
            return None
        spoken = (s for d in reversed(self.drafts) for s in reversed(d.sentences) if s.kind is not Kind.HEADING)
        last = next(spoken, None)
        return last if last and last.page == line.page - 1 and not _ENDS.search(last.text) else None

    def _sentence(
        self, line: _Line, start: int, words: str, bare: str, introduction: _Introduction, *, listed: bool
    ) -> None:
        if _ASIDE_ALONE.match(bare):
            self.aside = len(self.lists)
        opens = introduces(words) and len(words.split()) > 1
        kind = self._kind(bare, introduction, opens=opens, listed=listed)
        party = self._party(bare, introduction) if kind.binds or kind is Kind.RECOMMENDATION else ""
        self._add(line, start, words, kind, introduction=introduction.text, introduces=opens, party=party)
        if opens:
            silent = SCOPE.match(bare) or (kind is Kind.STATEMENT and modality.is_phrase(bare))
            governs = introduction.kind if silent else kind
            self.pending = _Introduction(" ".join(f"{introduction.text} {bare}".split()), governs)
        elif listed and words.rstrip()[-1:] in ".!?":
            self.pending = _NOTHING

    def _kind(self, text: str, introduction: _Introduction, *, opens: bool, listed: bool) -> Kind:
        if fixed := self._kind_of_section(text):
            return fixed
        addressed = listed or opens or bool(self.scope)
        told = modality.is_imperative(text, addressed=addressed) or (listed and opens and modality.is_lone_verb(text))
        if introduction.kind is None and self.section != "foreword" and told:
            return Kind.OBLIGATION
        own = modality.norm_of(text)
        if introduction.kind is not None:
            return introduction.kind if own is None or introduction.kind.binds else own
        if own is not None:
            return Kind.STATEMENT if own.binds and self.section == "foreword" else own
        return Kind.OBLIGATION if opens and _DUTIES.search(text) else Kind.STATEMENT

    def _kind_of_section(self, text: str) -> Kind | None:
        if self.preamble or (("Whereas" in text or "WHEREAS" in text) and _WHEREAS.search(text)):
            return Kind.RECITAL
        if self.aside >= 0 or _ASIDE.match(text) or _INSTANCE.match(text) or self.section == "example":
            return Kind.EXAMPLE
        if self.section == "definition" or modality.defines(text):
            return Kind.DEFINITION
        if TABLE_HEAD.match(text):
            return Kind.TABLE
        return Kind.REFERENCE if self.section == "reference" else None

    def _party(self, text: str, introduction: _Introduction) -> str:
        """Who is bound; "?" where what the sentence names is no party, until it is known who acts in the section."""
        for words in filter(None, (introduction.text, text)):
            subject, acts = ("", False) if modality.is_imperative(words) else modality.subject_of(words)
            if party := subject or modality.addressee_of(words):
                self.party = party if acts else self.party
                return party if acts or not subject else "?"
        return self.scope or self.party

    def _add(
        self, line: _Line, start: int, words: str, kind: Kind, *, introduction: str = "", introduces: bool = False, party: str = ""
    ) -> None:  # fmt: skip
        if not self.drafts:
            self.drafts.append(_Draft("", tuple(self.headings), line.page))
        begin = line.start + start
        sentences = self.drafts[-1].sentences
        sentences.append(
            ProvisionSentence(
                number=len(sentences) + 1, page=line.page, start=begin, end=begin + len(words), text=words, kind=kind,
                introduction=introduction, introduces=introduces, party=party,
            )
        )  # fmt: skip


def _lines_of(pages: Sequence[Page]) -> Iterator[_Line]:
    for page in pages:
        lines = [(m.start(), m[0]) for m in _LINE.finditer(page.text) if m[0].strip()]
        for (start, text), after in zip_longest(lines, lines[1:]):
            yield _Line(page.number, start + len(text) - len(text.lstrip()), text.strip(), after[1] if after else None)


def _with_introductions(sentences: Sequence[ProvisionSentence]) -> tuple[ProvisionSentence, ...]:
    """An introduction that says nothing itself does what its items do ("3) For publicly accessible systems: a) Display …")."""
    result = list(sentences)
    for i, (sentence, after) in enumerate(pairwise(list(sentences))):
        if sentence.introduces and sentence.kind is Kind.STATEMENT and after.kind.binds and after.introduction:
            result[i] = replace(sentence, kind=after.kind, party=after.party)
    return tuple(result)


def _with_parties(provisions: Sequence[Provision]) -> list[Provision]:
    """Whom the passive binds: who was last said to act in the same section ("The notification shall contain …": the controller)."""
    acting = ""
    section: tuple[str, ...] = ()
    result: list[Provision] = []
    for provision in provisions:
        if provision.headings != section:
            acting, section = "", provision.headings
        sentences = []
        for sentence in provision.sentences:
            if sentence.party == "?":
                sentence = replace(sentence, party=acting)
            else:
                acting = sentence.party or acting
            sentences.append(sentence)
        result.append(replace(provision, sentences=tuple(sentences)))
    return result
