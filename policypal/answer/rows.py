"""Rows of tables that extraction has flattened to lines: a label, then figures (A2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

Span = tuple[int, int]

_FIGURE = re.compile(r"[(+-]?[€$£¥]?\(?\d[\d,.]*\)?%?|[€$£¥%—–-]|\(\d[\d,.]*\)%?|(?:EUR|USD|GBP|CHF)")
_SENTENCE = re.compile(
    r"[.;:!?,]$|\b(?:shall|must|may|should|is|are|was|were|has|have|will|can|of the|in the)\b", re.IGNORECASE
)
_LABELLED = re.compile(r"\(?(?:[a-z]{1,3}|\d{1,2})[).]\s|[•▪‣]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_ROW = 200
_FEWEST_ROWS = 3
_MANY_FIGURES = 2


def split_rows(text: str, start: int, end: int) -> list[Span]:
    """The stretch as one span, or cut where rows of a table run through it: each row by itself, what is around them as it
    stands."""
    lines = [(start + m.start(), start + m.end()) for m in re.finditer(r"[^\n]+", text[start:end])]
    rows = [is_row(text[a:b]) for a, b in lines]
    if sum(rows) < _FEWEST_ROWS or not any(a and b for a, b in pairwise(rows)):
        return [(start, end)]
    return list(_merged(text, lines, rows))


def is_row(line: str) -> bool:
    """Whether a line is a label with figures after it: "Net sales (millions) $ 12,372 $ 9,809", "Retention of logs 5"."""
    words = line.split()
    if len(words) < 2 or len(line) > _LONGEST_ROW or "\n" in line or not any(c.isalpha() for c in words[0]):
        return False
    if _SENTENCE.search(line) or _LABELLED.match(line):
        return False
    numbers = [w for w in words if _FIGURE.fullmatch(w) and any(c.isdigit() for c in w)]
    if all(_YEAR.fullmatch(w) for w in numbers):  # what stands above columns
        return False
    ends_so = bool(_FIGURE.fullmatch(words[-1]))
    return ends_so and (len(numbers) >= _MANY_FIGURES or (len(numbers) == 1 and len(words) <= 8))


def _merged(text: str, lines: Sequence[Span], rows: Sequence[bool]) -> Iterable[Span]:
    """Rows stay apart; neighbouring lines that are none are put together again."""
    held: Span | None = None
    for line, row in zip(lines, rows, strict=True):
        if row:
            if held:
                yield _stripped(text, held)
            held = None
            yield _stripped(text, line)
        else:
            held = (held[0] if held else line[0], line[1])
    if held:
        yield _stripped(text, held)


def _stripped(text: str, span: Span) -> Span:
    raw = text[slice(*span)]
    return span[0] + len(raw) - len(raw.lstrip()), span[1] - (len(raw) - len(raw.rstrip()))


def header_of(text: str, units: Sequence[Span], position: int) -> Span | None:
    """The last line above a row that is no row itself: what its columns, or the rows below it, are about."""
    for at in range(position - 1, -1, -1):
        unit = text[slice(*units[at])]
        if is_row(unit):
            continue
        begin = units[at][0] + unit.rfind("\n") + 1
        line = text[begin : units[at][1]]
        return (
            (begin, units[at][1]) if 2 < len(line) <= _LONGEST_ROW and not line.rstrip().endswith((".", ";")) else None
        )
    return None
