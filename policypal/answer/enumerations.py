"""Lists in evidence: which line introduces which items, also where a passage ends inside the list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from policypal.answer.evidence import Evidence

Span = tuple[int, int]
"""Start and end, in code points of the evidence's text."""

INTRODUCES = re.compile(r"(?::|[–—]{1,2}|:[–—-])$")
"""How a line ends that introduces a list."""
OVERLAP = 30
"""Characters two passages must share for one to go on where the other breaks off."""
OVERLAP_START = 200
_CLOSED = re.compile(r"[.!?;:][\"”’')\]]*\d{0,2}$|[,;]\s*(?:and|or)$|[–—-]$")
_ALIKE = 12


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
class Units:
    """A passage cut into sentences, list items and lines; ``source`` indexes the evidence."""

    source: int
    evidence: Evidence
    units: Sequence[Span]

    @property
    def text(self) -> str:
        return self.evidence.text

    @property
    def is_cut(self) -> bool:
        """Whether it ends in the middle of a sentence."""
        return bool(self.units) and not is_closed(self.text[slice(*self.units[-1])])

    def unit(self, position: int) -> str:
        """The words of one of them."""
        return self.text[slice(*self.units[position])]


Pages = dict[tuple[str, int | None], list[Units]]
"""The passages of each page of each document."""


def is_closed(unit: str) -> bool:
    """Whether a sentence or item ends where ``unit`` does."""
    return _CLOSED.search(unit.rstrip()) is not None


def items_of(passage: Units, introductions: dict[int, int], pages: Pages) -> dict[int, tuple[Part, ...]]:
    """The items each line introduces; those of the list that is open where the passage ends may stand in the next ones."""
    members: dict[int, list[Part]] = {}
    for item, introduced_by in introductions.items():
        members.setdefault(introduced_by, []).append(Part(passage.evidence, passage.units[item]))
    last = len(passage.units) - 1
    if last >= 0 and (last in introductions or INTRODUCES.search(passage.unit(last).rstrip())):
        opened = introductions.get(last, last)
        members[opened] = _continued(passage, members.get(opened, []), pages)
    return {position: tuple(parts) for position, parts in members.items() if parts}


_MOST_PASSAGES_OF_A_LIST = 6


def _continued(passage: Units, items: list[Part], pages: Pages) -> list[Part]:
    style = label_style(items[-1].words) if items else ""
    for _ in range(_MOST_PASSAGES_OF_A_LIST):
        following = _following(passage, pages)
        if following is None:
            break
        passage, joint = following
        more = list(_leading_items(passage, joint, style))
        if not more:
            break
        style = style or label_style(more[0].words)
        if items and more[0].words[:_ALIKE] == items[-1].words[:_ALIKE]:
            items = items[:-1]
        items = [*items, *more]
        if more[-1].span != passage.units[-1]:
            break
    return items


def _following(passage: Units, pages: Pages) -> tuple[Units, int] | None:
    """The passage that goes on where this one ends, and where in it: on the same page it repeats the end."""
    evidence, tail = passage.evidence, passage.text.rstrip()[-OVERLAP:]
    for other in pages.get((evidence.document, evidence.page), []):
        at = other.text.find(tail) if other.source != passage.source and len(tail) == OVERLAP else -1
        if 0 <= at <= OVERLAP_START and other.text[at + len(tail) :].strip():
            return other, at + len(tail)
    if evidence.page is not None:
        for other in pages.get((evidence.document, evidence.page + 1), []):
            if other.units and _GOES_ON.match(other.unit(0)):
                return other, 0
    return None


_GOES_ON = re.compile(r"\(?(?:[b-z]|[ivx]{2,4}|\d{1,2}[a-z]?)[).](?!\d)")
"""An item that is not the first of its list."""


def _leading_items(passage: Units, joint: int, style: str) -> Iterable[Part]:
    """The items at the beginning of a passage that end after ``joint``."""
    for position, (_, end) in enumerate(passage.units):
        unit = passage.unit(position)
        if end <= joint or (position == 0 and not label_style(unit)):
            continue
        if not label_style(unit) or (style and label_style(unit) != style):
            break
        yield Part(passage.evidence, passage.units[position])


def introductions_of(passage: Units, is_heading: Callable[[str], bool]) -> dict[int, int]:
    """Position of the introducing line for each list item; an item may introduce a list of its own, a heading ends all."""
    found: dict[int, int] = {}
    lists: list[tuple[int, str]] = []
    for position in range(len(passage.units)):
        text = passage.unit(position)
        style = label_style(text, roman=bool(lists) and lists[-1][1] in ("", _ROMAN_STYLE))
        if style:
            lists = _opened(lists, style)
            if lists:
                found[position] = lists[-1][0]
        elif is_heading(text):
            lists = []
        if INTRODUCES.search(text.rstrip()):
            lists = [*(lists if style else ()), (position, "")]
    return found


def _opened(lists: list[tuple[int, str]], style: str) -> list[tuple[int, str]]:
    """The lists that are still open where an item has this label, the innermost last."""
    if lists and not lists[-1][1] and style not in (known for _, known in lists[:-1]):
        return [*lists[:-1], (lists[-1][0], style)]
    while lists and lists[-1][1] != style:
        lists = lists[:-1]
    return lists


_ROMAN_STYLE = "(roman)"


def label_style(unit: str, *, roman: bool = False) -> str:
    """The form of an item's label: "(a)" for "(b) the …"; "" where there is none. ``roman``: "(i)" may be a number."""
    match = re.match(r"\s*([•▪‣·–—-]|\(?(\d+|[A-Za-z]{1,5})[).])\s*", unit)
    if not match:
        return ""
    if roman and match[2] and re.fullmatch("[ivxl]+", match[2]):
        return _ROMAN_STYLE
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "1", match[1])))
