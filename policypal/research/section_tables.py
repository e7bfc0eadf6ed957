"""The table of deadlines and thresholds of a report (W3, R4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel

from policypal.answer.evidence import CitedSentence
from policypal.answer.quoting import attribution
from policypal.answer.ranking import near_duplicate
from policypal.answer.salience import limit_value, limit_weight, self_standing
from policypal.answer.statements import Statement
from policypal.research.material import quote_together, together
from policypal.search.terms import terms

SectionKind = Literal["findings", "theme", "bound", "obligations", "deadlines", "differences", "gaps"]
FEWEST_ROWS = 2
MOST_LIMITS = 12
TABLE_INTRO = "The table lists deadlines and thresholds in the words of the sources."
"""Claims nothing: it stands above the table."""
_COLUMNS = ["Deadline or threshold", "Requirement", "Source"]
_BARE = re.compile(r"(?:at most|at least|above|below)?\s*\w*(?:; (?:at most|at least|above|below)?\s*\w+)*")
"""Numbers of nothing: "at most two"."""


class TableRow(BaseModel):
    """``cells`` are as many as the table has columns; those that state something are quoted."""

    cells: list[CitedSentence]


class SectionTable(BaseModel):
    columns: list[str]
    rows: list[TableRow]

    @property
    def evidence(self) -> list[int]:
        """The numbers of the evidence that it quotes."""
        return sorted({q.evidence for row in self.rows for cell in row.cells for q in cell.quotes})


def limits_table(statements: Sequence[Statement], near: Mapping[int, float]) -> SectionTable | None:
    """The limits nearest to the goal, then the weightiest, in the order of the sources; None where there are none. ``near``: how
    near statements are to the goal, by their identity."""
    limits = together(s for s in statements if limit_weight(s) > 0 and not _BARE.fullmatch(limit_value(s)))
    limits.sort(key=lambda g: -(2 * near.get(id(g[0]), 0.0) + 0.3 * limit_weight(g[0]) * self_standing(g[0])))
    chosen = list(_distinct(limits))[:MOST_LIMITS]
    rows = [_row(limit_value(g[0]), g) for g in sorted(chosen, key=lambda g: (g[0].source, g[0].span))]
    return SectionTable(columns=_COLUMNS, rows=rows) if rows else None


def _distinct(groups: Sequence[list[Statement]]) -> Iterator[list[Statement]]:
    shown: list[Statement] = []
    for group in groups:
        if not any(near_duplicate(group[0], other) for other in shown):
            shown += group
            yield group


def _row(name: str, group: Sequence[Statement]) -> TableRow:
    sources = CitedSentence(text="; ".join(attribution(s.evidence) for s in group))
    return TableRow(cells=[CitedSentence(text=name), quote_together(group, terms(name)), sources])
