"""Provisions looked up in the stored pages by label or heading, from their first line to the next of their kind (A2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from policypal.domain.documents import Page
from policypal.search.labels import Label, line_label
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import terms
from policypal.text.chunks import find_headings

MOST_CHARACTERS = 6000
MOST_PAGES = 5
"""How much of a provision is read."""
_TEXT = 20
"""Characters beside its heading that make a provision of a line."""
_LEADERS = re.compile(r"\.{4,}|(?:\s\.){4,}|…{2,}|_{4,}")
_LINE = re.compile(r"[^\n]+")
_DIVISIONS = frozenset(terms("article section chapter part title annex principle rule schedule clause"))


@dataclass(frozen=True, slots=True)
class Stretch:
    """Code points ``start``…``end`` of a page's text."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Provision:
    """A provision's ``heading`` (its title, or its number alone) and where it stands, in reading order. ``is_named``: its first
    line calls it what it was asked for by ("Article 17", "AU-11"), not by a number alone."""

    heading: str
    stretches: tuple[Stretch, ...]
    is_named: bool = False

    @property
    def size(self) -> int:
        """In characters."""
        return sum(s.end - s.start for s in self.stretches)


@dataclass(frozen=True, slots=True)
class _Line:
    page: int
    start: int
    text: str
    heading: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def labelled(pages: Sequence[Page], label: Label) -> Provision | None:
    """The provision with the ``label`` that begins on the first of consecutive ``pages``; of several the longest, which is not
    the one in a table of contents. None where no line begins with it, as a heading or as the number of a paragraph."""
    lines = list(_lines(pages))
    found = [
        _until_next(lines, at) for at, line in enumerate(lines) if line.page == pages[0].number and _begins(line, label)
    ]
    found = [p for p in found if p.size > len(p.heading) + _TEXT]
    best = max(found, key=lambda p: (p.is_named, p.size), default=None)
    return _inner(pages, best, label) if best and label.subs and not label.code else best


def headed(pages: Sequence[Page], heading: str) -> Provision | None:
    """What stands under a ``heading`` that begins on the first of consecutive ``pages``; None where only a table of contents
    has it."""
    lines = list(_lines(pages))
    found = [
        _until_next(lines, at)
        for at, line in enumerate(lines)
        if line.page == pages[0].number and line.heading == heading
    ]
    return max((p for p in found if p.size > len(heading) + _TEXT), key=lambda p: p.size, default=None)


def names_topic(heading: str, topic: str) -> float:
    """How much of a ``heading`` its ``topic`` is, in (0, 1]; 0 where the heading does not name all of it."""
    wanted = set(terms(topic))
    held = {t for t in terms(heading) if not t[0].isdigit()} - _DIVISIONS
    if not wanted or not held or not all(_held(t, held) for t in wanted):
        return 0.0
    return min(1.0, len(wanted) / len(held))


def _held(term: str, held: set[str]) -> bool:
    return term in held or not held.isdisjoint(SYNONYMS.get(term, ()))


def _lines(pages: Sequence[Page]) -> Iterator[_Line]:
    for page in pages:
        headings = {h.start: h.text for h in find_headings(page)}
        for match in _LINE.finditer(page.text):
            yield _Line(page.number, match.start(), match[0], headings.get(match.start(), ""))


def _begins(line: _Line, label: Label) -> bool:
    """ "Article 17" begins a provision as a heading; a number alone also before the text of a paragraph."""
    own = line_label(line.text)
    if own is None or not label.begins(own) or _LEADERS.search(line.text):
        return False
    if label.code and own.subs != label.subs:
        return False
    return bool(line.heading) or (not own.word and bool(own.style or own.code))


def _until_next(lines: Sequence[_Line], at: int) -> Provision:
    """From a line to the next heading or number of its depth or above."""
    first, label = lines[at], line_label(lines[at].text)
    kept = [first]
    for line in lines[at + 1 :]:
        too_much = line.end - line.start + sum(k.end - k.start for k in kept) > MOST_CHARACTERS
        if too_much or (not _is_title_of(line, kept) and _ends(line, first, label)):
            break
        kept.append(line)
    is_named = label is not None and bool(label.word or label.code)
    return Provision(first.heading or _opening(first.text), tuple(_stretches(kept)), is_named)


def _is_title_of(line: _Line, kept: Sequence[_Line]) -> bool:
    """The title below "Article 17"."""
    return len(kept) == 1 and kept[0].heading.endswith(line.text) and kept[0].heading != kept[0].text


def _ends(line: _Line, first: _Line, label: Label | None) -> bool:
    own = line_label(line.text)
    if label is None or (not label.word and not label.code and not first.heading):
        if line.heading:  # a paragraph, or a section without a number, goes no further than the next heading
            return True
        return own is not None and label is not None and own.style == label.style and not own.word and not own.code
    if own is None or not (line.heading or own.style):
        return False
    if own.word:
        return bool(line.heading) and own.depth <= max(label.depth, 4 if not label.word else 0)
    if label.word:
        return False
    return (
        own.depth <= label.depth
        and bool(own.code) == bool(label.code)
        and (own.style == label.style or bool(line.heading))
    )


def _opening(text: str) -> str:
    label = re.match(r"\s*\S+", text)
    return label[0] if label else ""


def _stretches(lines: Sequence[_Line]) -> Iterator[Stretch]:
    for page in dict.fromkeys(line.page for line in lines):
        ours = [line for line in lines if line.page == page]
        yield Stretch(page, ours[0].start, ours[-1].end)


def _inner(pages: Sequence[Page], provision: Provision, label: Label) -> Provision:
    """The paragraph "(5)" of "Article 30(5)"; the whole where it has no such paragraph."""
    texts = {page.number: page.text for page in pages}
    cut = [Page(s.page, texts[s.page][: s.end]) for s in provision.stretches]
    starts: Mapping[int, int] = {s.page: s.start for s in provision.stretches}
    lines = [line for line in _lines(cut) if line.start >= starts[line.page]]
    wanted = Label(label.subs[0])
    for at, line in enumerate(lines):
        own = line_label(line.text)
        if at and own is not None and not own.word and not own.code and wanted.begins(own):
            inner = _until_next([_Line(i.page, i.start, i.text, "") for i in lines], at)
            return Provision(f"{provision.heading} ({label.subs[0]})", inner.stretches, provision.is_named)
    return provision
