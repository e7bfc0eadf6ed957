"""Tables of a report's section: who is bound, deadlines and thresholds, differences between the sources (W3, R4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel

from policypal.answer.alignment import capitalised
from policypal.answer.differences import divergences
from policypal.answer.evidence import CitedSentence
from policypal.answer.material import quote_together, together
from policypal.answer.parties import by_party
from policypal.answer.quoting import attribution, cite
from policypal.answer.ranking import near_duplicate
from policypal.answer.salience import limit_value, limit_weight, self_standing
from policypal.answer.statements import Statement
from policypal.search.embeddings import Embedder
from policypal.search.terms import terms

SectionKind = Literal["findings", "theme", "bound", "obligations", "deadlines", "differences", "gaps"]
DIFFERENCES = 8
FEWEST_ROWS = 2
MOST_PARTIES = 6
MOST_LIMITS = 12
_NEAR_GOAL = 0.35
_BARE = re.compile(r"(?:at most|at least|above|below)?\s*\w*(?:; (?:at most|at least|above|below)?\s*\w+)*")
"""Numbers of nothing: "at most two"."""
_NO_PARTY = re.compile(r"(?:ed|ing|set|made|given|taken|held|time|thereof|response|answer|summary)$", re.IGNORECASE)
"""What a sentence is about rather than whom it binds: "notification referred", "recovery time set"."""


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


TABLE_INTROS: dict[SectionKind, str] = {
    "bound": "The table names the parties that the sources bind, each with a duty in the words of the source.",
    "deadlines": "The table lists deadlines and thresholds in the words of the sources.",
    "differences": "The table sets passages of different sources on the same subject side by side.",
}
"""Sentences that claim nothing: what stands above a table."""


def table_of(
    kind: SectionKind, statements: Sequence[Statement], near: Mapping[int, float], embedder: Embedder
) -> SectionTable | None:
    """The table of a section of this kind; None for kinds that have none and where there is nothing to put into it.
    ``near``: how near statements are to the goal, by their identity."""
    if kind == "bound":
        return _table(["Bound party", "Duty", "Source"], list(_party_rows(statements, near)))
    if kind == "deadlines":
        return _table(["Deadline or threshold", "Requirement", "Source"], list(_limit_rows(statements, near)))
    if kind == "differences":
        return _table(["Subject", "One source", "Another source"], list(_difference_rows(statements, near, embedder)))
    return None


def _table(columns: list[str], rows: list[TableRow]) -> SectionTable | None:
    return SectionTable(columns=columns, rows=rows) if rows else None


def _party_rows(statements: Sequence[Statement], near: Mapping[int, float]) -> Iterator[TableRow]:
    """The parties with the duties nearest to the goal, each with one that no other row has."""
    shown: list[Statement] = []
    for party, duties in _parties(statements, near):
        groups = together(duties)
        free = [g for g in groups if not any(near_duplicate(g[0], other) for other in shown)] or groups
        duty = max(free, key=lambda g: near.get(id(g[0]), 0.0) + 0.1 * self_standing(g[0]))
        shown += duty
        yield _row(capitalised(party), duty)


def _parties(statements: Sequence[Statement], near: Mapping[int, float]) -> list[tuple[str, list[Statement]]]:
    """The parties that have a duty near the goal, nearest first; of equally near ones those with more duties."""
    found = {party: duties for party, duties in by_party(statements).items() if not _NO_PARTY.search(party)}
    best = {party: max(near.get(id(s), 0.0) for s in duties) for party, duties in found.items()}
    ranked = sorted(best, key=lambda party: -best[party])
    near_goal = [party for party in ranked if best[party] >= _NEAR_GOAL]
    chosen = near_goal if len(near_goal) >= FEWEST_ROWS else ranked[:FEWEST_ROWS]
    return [(party, found[party]) for party in chosen[:MOST_PARTIES]]


def _limit_rows(statements: Sequence[Statement], near: Mapping[int, float]) -> Iterator[TableRow]:
    """The limits nearest to the goal, then the weightiest, in the order of the sources."""
    limits = together(s for s in statements if limit_weight(s) > 0 and not _BARE.fullmatch(limit_value(s)))
    limits.sort(key=lambda g: -(2 * near.get(id(g[0]), 0.0) + 0.3 * limit_weight(g[0]) * self_standing(g[0])))
    chosen = list(_distinct(limits))[:MOST_LIMITS]
    for group in sorted(chosen, key=lambda g: (g[0].source, g[0].span)):
        yield _row(limit_value(group[0]), group)


def _distinct(groups: Sequence[list[Statement]]) -> Iterator[list[Statement]]:
    shown: list[Statement] = []
    for group in groups:
        if not any(near_duplicate(group[0], other) for other in shown):
            shown += group
            yield group


def _row(name: str, group: Sequence[Statement]) -> TableRow:
    sources = CitedSentence(text="; ".join(attribution(s.evidence) for s in group))
    return TableRow(cells=[CitedSentence(text=name), quote_together(group, terms(name)), sources])


def _difference_rows(
    statements: Sequence[Statement], near: Mapping[int, float], embedder: Embedder
) -> Iterator[TableRow]:
    """Those on the goal first."""
    for found in divergences(statements, embedder, DIFFERENCES, near):
        yield TableRow(cells=[CitedSentence(text=found.subject), cite(found.left), cite(found.right)])
