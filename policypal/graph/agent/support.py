"""The gate at the end of a turn: a model reads every statement beside what it cites, and what is not supported leaves the answer (C2b)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
EXACT_SCORE = 0.95
"""What an answer is that is not exact scores less."""
_SUPPORTED_SCORE = 0.5
_LEAST_OVERLAP = 200
"""Characters of a page that do not stand there twice."""
_EMPTY_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])?\s*$")
_EMPTY_ROW = re.compile(r"^\|[^|]*(?:\|\s*–?\s*)+\|?\s*$")
_EXTENT = re.compile(r"\n\n\*Read in full: [^\n]*\*\s*$")
"""What was read is said last (A0)."""
_EMPTY_CELL = re.compile(r"\|\s+(?=\|)")
_HEADING = re.compile(r"^(?:#{1,6} .*|\*\*[^*]+\*\*|- \*[^*]+\*)$")
"""Titles, and in a summary the party above its duties."""


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


def rating(checks: Mapping[str, int], flagged: int, best: str) -> dict[str, Any]:
    """How sure a model's answer is (C4): exact where every quotation was found (``checks``) and carries its sentence, related where most
    of them do; ``flagged`` sentences are not carried. At most ``best``."""
    verified, all_of_them = checks["verified"], checks["verified"] + checks["unverified"] + flagged
    share = verified / all_of_them if all_of_them else 0.0
    level = best if share == 1.0 else "medium" if share >= _SUPPORTED_SCORE else "low"
    return {
        "retrieval_confidence": level, "confidence_score": min(share, 1.0 if level == "high" else EXACT_SCORE), "best_confidence": best,
    }  # fmt: skip


def gate(state: AgentState, context: NodeContext, response: str) -> Gated:
    """The response after its statements were read again, by a model where the turn has one, in one request."""
    judged = [JudgedSentence.model_validate(held) for held in state.get("judged", [])]
    totals: Mapping[str, Any] = {}
    asked = [n for n, s in enumerate(judged) if s.cited and s.degree is not Degree.QUOTED][:MOST_STATEMENTS]
    if asked and not context.services.by_rules and not state["ends_early"]:
        output, totals = context.run_task(state, JUDGE_SUPPORT, support_request([judged[n] for n in asked]))
        for verdict in output.verdicts:
            at = asked[verdict.number - 1]
            judged[at] = _read_again(judged[at], verdict)
    return Gated(without_unsupported(response, judged), judged, totals)


def support_request(sentences: Sequence[JudgedSentence]) -> SupportInput:
    """Statements as a model reads them again, numbered from 1 in their order."""
    passages = joined(p for s in sentences for p in s.passages)
    statements = [
        StatementGiven(
            number=n,
            statement=s.text,
            cited=list(s.cited),
            passages=[next(at for at, whole in enumerate(passages, 1) if _holds(whole, p)) for p in s.passages],
            doubt=s.reason,
        )
        for n, s in enumerate(sentences, 1)
    ]
    return SupportInput(statements=statements, passages=passages)


def joined(stretches: Iterable[str]) -> list[str]:
    """Stretches of pages, each below a line with its place; those that overlap are one, so that a page is read once."""
    whole: list[str] = []
    for stretch in dict.fromkeys(stretches):
        at, both = next(((n, both) for n, held in enumerate(whole) if (both := _together(held, stretch))), (-1, ""))
        if both:
            whole[at] = both
        else:
            whole.append(stretch)
    return whole


def _together(one: str, other: str) -> str:
    """Two stretches of a page as one; "" where they are of different pages, or do not overlap."""
    (place, _, first), (same, _, second) = one.partition("\n"), other.partition("\n")
    if place != same:
        return ""
    for before, after in ((first, second), (second, first)):
        at = before.find(after[:_LEAST_OVERLAP])
        if at >= 0 and (after.startswith(before[at:]) or after in before):
            return f"{place}\n{before[:at]}{max(before[at:], after, key=len)}"
    return ""


def _holds(whole: str, stretch: str) -> bool:
    (place, _, text), (same, _, part) = whole.partition("\n"), stretch.partition("\n")
    return place == same and part in text


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
        while (
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
    """Bold titles stand below headings, parties below these."""
    return len(heading) - len(heading.lstrip("#")) or (10 if heading.startswith("- ") else 9)
