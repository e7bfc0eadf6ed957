"""The gate at the end of a turn: a model reads every statement beside what it cites, and what is not supported leaves the answer (C2b)."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from policypal.domain.citations import literal
from policypal.domain.support import IN_OTHER_WORDS, Degree, JudgedSentence, each_placed
from policypal.graph.agent.state import AgentState
from policypal.graph.context import NodeContext
from policypal.llm.judge_support import JUDGE_SUPPORT, StatementGiven, StatementVerdict, SupportInput

LEFT_OUT = "**Left out: not supported by what it cites**"
NOTHING_LEFT = "What was written could not be supported by the documents."
MOST_STATEMENTS = 60
"""More statements than an answer has; what goes beyond keeps the floor's verdict."""
_EMPTY_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])?\s*$")
_EMPTY_ROW = re.compile(r"^\|[^|]*(?:\|\s*–?\s*)+\|?\s*$")
_EXTENT = re.compile(r"\n\n\*Read in full: [^\n]*\*\s*$")
"""What was read is said last (A0)."""
_EMPTY_CELL = re.compile(r"\|\s+(?=\|)")
_HEADING = re.compile(r"^(?:#{1,6} .*|\*\*[^*]+\*\*)$")


@dataclass(frozen=True, slots=True)
class Gated:
    """An answer without what is not supported. ``totals`` are the turn's new totals, empty where no model was asked."""

    response: str
    judged: Sequence[JudgedSentence]
    totals: Mapping[str, Any] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """How many sentences have each degree."""
        counted = Counter(str(sentence.degree) for sentence in self.judged)
        return {str(degree): counted[str(degree)] for degree in Degree}


def gate(state: AgentState, context: NodeContext, response: str) -> Gated:
    """The response after its statements were read again, by a model where the turn has one, in one request."""
    judged = [JudgedSentence.model_validate(held) for held in state.get("judged", [])]
    totals: Mapping[str, Any] = {}
    asked = [n for n, s in enumerate(judged) if s.cited and s.degree is not Degree.QUOTED][:MOST_STATEMENTS]
    if asked and not context.services.by_rules:
        output, totals = context.run_task(state, JUDGE_SUPPORT, _request([judged[n] for n in asked]))
        for verdict in output.verdicts:
            at = asked[verdict.number - 1]
            judged[at] = _read_again(judged[at], verdict)
    return Gated(without_unsupported(response, judged), judged, totals)


def _request(sentences: Sequence[JudgedSentence]) -> SupportInput:
    passages = list(dict.fromkeys(p for s in sentences for p in s.passages))
    statements = [
        StatementGiven(
            number=n,
            statement=s.text,
            cited=list(s.cited),
            passages=[passages.index(p) + 1 for p in s.passages],
            doubt=s.reason,
        )
        for n, s in enumerate(sentences, 1)
    ]
    return SupportInput(statements=statements, passages=passages)


def _read_again(sentence: JudgedSentence, verdict: StatementVerdict) -> JudgedSentence:
    if verdict.verdict == "supported":
        return sentence.model_copy(update={"degree": Degree.SUPPORTED, "reason": ""})
    lacks = " ".join(verdict.lacks.split()).strip(" .")
    said = "Supported in part only" if verdict.verdict == "partly" else "Not supported"
    reason = lacks if lacks == sentence.reason.strip(" .") else f"{said}: {lacks}"
    return sentence.model_copy(update={"degree": Degree.NOT_SUPPORTED, "reason": f"{reason}."})


def without_unsupported(response: str, judged: Sequence[JudgedSentence]) -> str:
    """The response without the sentences that are not supported, each taken from its own place and listed below with its reason; a sign
    stands behind those that are supported in other words than the source's."""

    def kept(number: int, shown: str) -> str:
        degree = judged[number].degree
        if degree is Degree.NOT_SUPPORTED:
            return ""
        return shown + IN_OTHER_WORDS if degree is Degree.SUPPORTED and shown[-1:].isdigit() else shown

    unsupported = list(dict.fromkeys(s for s in judged if s.degree is Degree.NOT_SUPPORTED))
    left = each_placed(response, kept)
    if not unsupported:
        return left
    body = _tidied(left, each_placed(response, lambda number, shown: shown)) or NOTHING_LEFT
    listed = "\n".join(f"- {' '.join(s.shown.split())} — *{literal(' '.join(s.reason.split()))}*" for s in unsupported)
    answer, extent = (_EXTENT.sub("", body).rstrip(), _EXTENT.search(body))
    return "\n\n".join([answer, LEFT_OUT, listed, *([extent[0].strip()] if extent else [])])


def _tidied(text: str, before: str) -> str:
    """Without the list items, rows and headings that nothing is left of."""
    held = set(before.splitlines())
    lines = [
        line for line in text.splitlines() if line in held or not (_EMPTY_ITEM.match(line) or _EMPTY_ROW.match(line))
    ]
    kept: list[str] = []
    for line in (line if line in held else _EMPTY_CELL.sub("| – ", line) for line in lines):
        if (
            _HEADING.match(line)
            and kept
            and _HEADING.match(_last_said(kept))
            and _rank(_last_said(kept)) >= _rank(line)
        ):
            while kept and kept[-1] != _last_said(kept):
                kept.pop()
            kept.pop()
        kept.append(line)
    if kept and _HEADING.match(_last_said(kept)):
        kept = kept[: len(kept) - kept[::-1].index(_last_said(kept)) - 1]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _last_said(lines: Sequence[str]) -> str:
    return next((line for line in reversed(lines) if line.strip()), "")


def _rank(heading: str) -> int:
    """Bold titles stand below headings."""
    return len(heading) - len(heading.lstrip("#")) or 9
