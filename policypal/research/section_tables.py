"""The table of deadlines and thresholds of a report (W3, R4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel

from policypal.answer.evidence import CitedSentence, Evidence, Quote
from policypal.answer.quoting import attribution
from policypal.answer.view import lines_of, matched
from policypal.gate.quotable import clip_quote
from policypal.research.material import Found
from policypal.text.limits import limits_of
from policypal.text.sentences import split_sentences

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
        return sorted({number for row in self.rows for cell in row.cells for number in cell.rests_on})


def limits_table(found: Sequence[Found]) -> SectionTable | None:
    """The limits in the provisions that were ``found``, those that say most of what was asked before others, in the order of the sources;
    None where there are none. What sources say word for word stands in one row."""
    rows: dict[str, _Row] = {}
    for answer in found:
        for evidence in (e for e in answer.evidence if e.number in answer.numbers):
            for row in _rows(answer, evidence):
                known = rows.get(row.key)
                rows[row.key] = row if known is None else known.joined(row)
    chosen = sorted(rows.values(), key=lambda r: -r.score)[:MOST_LIMITS]
    shown = [row.shown for row in sorted(chosen, key=lambda r: (r.evidence[0].number, r.start))]
    return SectionTable(columns=_COLUMNS, rows=shown) if shown else None


@dataclass(frozen=True, slots=True)
class _Row:
    """A sentence with its limits, at ``start`` of the first piece of evidence that has it."""

    limits: str
    said: str
    score: float
    start: int
    evidence: tuple[Evidence, ...]

    @property
    def key(self) -> str:
        return self.said.casefold()

    def joined(self, other: _Row) -> _Row:
        here = {e.number for e in self.evidence}
        evidence = (*self.evidence, *(e for e in other.evidence if e.number not in here))
        return replace(self, score=max(self.score, other.score), evidence=evidence)

    @property
    def shown(self) -> TableRow:
        words = clip_quote(self.said)
        quoted = CitedSentence(
            text=f"“{words}{'' if words == self.said else ' […]'}”",
            quotes=[Quote(evidence=e.number, text=words) for e in self.evidence],
        )
        sources = "; ".join(dict.fromkeys(map(attribution, self.evidence)))
        return TableRow(cells=[CitedSentence(text=self.limits), quoted, CitedSentence(text=sources)])


def _rows(found: Found, evidence: Evidence) -> Iterator[_Row]:
    for line in lines_of(evidence):
        for sentence in split_sentences(line.text):
            limits = limits_of(sentence.text)
            words = "; ".join(dict.fromkeys(limit.words for limit in limits))
            if limits and not _BARE.fullmatch(words):
                score = evidence.score + 0.1 * matched(found.question, sentence.text)
                yield _Row(words, " ".join(sentence.text.split()), score, line.span[0] + sentence.start, (evidence,))
