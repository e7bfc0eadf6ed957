"""Rows of a numbered table whose columns a page holds one after the other (D6, D11).

Some producers draw a table column by column, and pdfium reads what is drawn in that order: all numbers, then all penalties. Where
a column of bare numbers stands in such a text, the lines that begin beside its numbers are put together again, cell by cell.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

Box = Callable[[int], tuple[float, float, float] | None]
"""For the index of a character in a page's text: its left edge, its top and its height in points."""

NOWHERE = -1
"""The place of a character that separates cells or rows."""
_NUMBER = re.compile(r"\(?(\d{1,3})[.)]?")
_NUMBER_LINE = r"[ ]*\(?\d{1,3}[.)]?[ ]*"
_THREE_NUMBERS = re.compile(rf"\n{_NUMBER_LINE}\r?\n{_NUMBER_LINE}\r?\n{_NUMBER_LINE}(?:\r?\n|\Z)")
"""It begins with one certain character, which is looked for fast."""
_LINE = re.compile(r"[^\S\r\n]*(?P<said>[^\s][^\r\n]*)")
_FEWEST = 3
_SLACK = 3.0
_APART = 10.0
_LONGEST_HEAD = 12
_NEXT_LINE = 2.2
"""From how many heights of a line on what stands below the last row's line does not belong to it."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a page: its characters, where it begins and how high it is, in points from the lower left."""

    start: int
    text: str
    left: float
    top: float
    height: float

    @property
    def number(self) -> int | None:
        found = _NUMBER.fullmatch(self.text.strip())
        return int(found[1]) if found else None


def rows_together(text: str, box: Box) -> tuple[str, list[int]] | None:
    """The text of a page with the rows of its torn table in one line each, cells separated by " | ", and for every character its index in
    ``text`` or :data:`NOWHERE`. None where there is no such table, as on nearly all pages."""
    if not _THREE_NUMBERS.search(f"\n{text}"):
        return None
    lines = [_Line(m.start(), m[0], *found) for m in _LINE.finditer(text) if (found := box(m.start("said")))]
    runs = list(_runs(lines))
    for at, run in enumerate(runs):
        numbers = _numbers(run)
        columns = [other for other in runs[max(at - 1, 0) :] if other is run or _is_beside(other, numbers)]
        if numbers and len(columns) > 1 and _is_table(numbers, columns):
            return _written(_rows(run, numbers, columns), runs)
    return None


def _runs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """The lines down to where the next one stands higher: a column, or all of a page."""
    run = list(lines[:1])
    for above, line in pairwise(lines):
        if line.top > above.top + _SLACK:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _numbers(run: Sequence[_Line]) -> list[_Line]:
    """The longest stretch of lines that are nothing but numbers in order, below each other."""
    place = {id(line): n for n, line in enumerate(run)}
    counted = [line for line in run if line.number is not None]
    stretches = [
        [line for _, line in group]
        for _, group in groupby(enumerate(counted), key=lambda item: (place[id(item[1])] - item[0], (item[1].number or 0) - item[0]))
    ]  # fmt: skip
    longest = max(stretches, key=len, default=[])
    return longest if len(longest) >= _FEWEST else []


def _is_beside(run: Sequence[_Line], numbers: Sequence[_Line]) -> bool:
    """Whether a line of a run begins beside each number."""
    return bool(numbers) and all(
        any(abs(line.top - n.top) <= _SLACK and abs(line.left - n.left) > _APART for line in run) for n in numbers
    )


def _is_table(numbers: Sequence[_Line], columns: Sequence[Sequence[_Line]]) -> bool:
    """Whether it is more than a text whose lines are numbered."""
    below = [line for column in columns for line in column if line.top <= numbers[0].top + _SLACK]
    return len(columns) > 2 or len(below) - len(numbers) > 1.3 * len(numbers)


def _rows(
    run: Sequence[_Line], numbers: Sequence[_Line], columns: Sequence[Sequence[_Line]]
) -> list[list[list[_Line]]]:
    """The lines of each cell of each row; the heads of the columns are rows, too."""
    first = next(n for n, line in enumerate(run) if line is numbers[0])
    while (
        first
        and len(run[first - 1].text.strip()) <= _LONGEST_HEAD
        and abs(run[first - 1].left - run[first].left) < _APART
    ):
        first -= 1
    last = next(n for n, line in enumerate(run) if line is numbers[-1])
    tops = [line.top for line in run[first : last + 1]]
    top = numbers[0].top
    ordered = sorted(columns, key=lambda column: next(line.left for line in column if abs(line.top - top) <= _SLACK))
    return [
        [list(_cell(column, top, below)) for column in ordered]
        for top, below in zip(tops, [*tops[1:], float("-inf")], strict=True)
    ]  # fmt: skip


def _cell(column: Sequence[_Line], top: float, below: float) -> Iterator[_Line]:
    before: _Line | None = None
    for line in column:
        if below + _SLACK < line.top <= top + _SLACK:
            if before and before.top - line.top > _NEXT_LINE * max(before.height, line.height):
                return
            yield line
            before = line


def _written(rows: Sequence[Sequence[Sequence[_Line]]], runs: Sequence[Sequence[_Line]]) -> tuple[str, list[int]]:
    """The lines above the table, its rows, and the lines below, with the place of every character."""
    inside = {id(line) for row in rows for cell in row for line in cell}
    start = rows[0][0][0].top if rows[0][0] else max(line.top for cell in rows[0] for line in cell)
    others = [line for run in runs for line in run if id(line) not in inside]
    parts: list[tuple[str, int]] = []
    for line in (line for line in others if line.top > start + _SLACK):
        parts += [(line.text, line.start), ("\r\n", NOWHERE)]
    for row in rows:
        for n, cell in enumerate(row):
            parts += [(" | ", NOWHERE)] if n else []
            for m, line in enumerate(cell):
                parts += [(" ", NOWHERE)] if m and not cell[m - 1].text.endswith("\ufffe") else []
                parts.append((line.text.rstrip("\ufffe"), line.start))
        parts.append(("\r\n", NOWHERE))
    for line in (line for line in others if line.top <= start + _SLACK):
        parts += [("\r\n", NOWHERE), (line.text, line.start)]
    places = [NOWHERE if at == NOWHERE else at + n for words, at in parts for n in range(len(words))]
    return "".join(words for words, _ in parts), places
