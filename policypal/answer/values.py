"""The figure, time or amount that a question asks for (A2)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from policypal.answer.lines import Line, ShownProvision, Span, holds_subject, matched
from policypal.answer.questions import Expectation, Question
from policypal.search.terms import STOP_WORDS, terms
from policypal.text.quantities import Quantity, QuantityKind, bound_start, find_quantities
from policypal.text.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Value:
    """The figure, time or amount that was asked for, at ``line.text[span]``."""

    line: Line
    span: Span

    @property
    def text(self) -> str:
        return " ".join(self.line.text[slice(*self.span)].split())


_MEANT: dict[Expectation, Sequence[QuantityKind]] = {
    Expectation.DURATION: (QuantityKind.DURATION,),
    Expectation.FREQUENCY: (QuantityKind.FREQUENCY,),
    Expectation.TIME: (QuantityKind.DATE, QuantityKind.DURATION, QuantityKind.FREQUENCY),
    Expectation.MONEY: (QuantityKind.MONEY, QuantityKind.PERCENT),
    Expectation.NUMBER: tuple(QuantityKind),
}
_NEAR = 2


class _Candidate(NamedTuple):
    line: Line
    quantity: Quantity
    span: Span
    matched: float
    rank: tuple[float, ...]


def asked_value(question: Question, shown: Sequence[ShownProvision]) -> Value | None:
    """The quantity of the kind asked for that stands nearest to the words asked about, in one of the two best provisions and in a line
    that holds its subject; of several beside each other the highest or lowest, if that is asked for."""
    candidates = list(_candidates(question, shown[:_NEAR]))
    best = max(candidates, key=lambda c: c.rank, default=None)
    if best and question.extreme:
        beside = [c for c in candidates if _measure(c) == _measure(best) and c.matched >= best.matched]
        best = max(beside, key=lambda c: question.extreme * c.quantity.value)
    return Value(best.line, best.span) if best else None


def _candidates(question: Question, shown: Sequence[ShownProvision]) -> Iterator[_Candidate]:
    """The better the more words asked about its line holds; within a line its sentence decides, then its kind."""
    kinds = quantity_kinds(question)
    for n, provision in enumerate(shown):
        for line in provision.lines if kinds else ():
            if not holds_subject(question, line):
                continue
            near, sentences = matched(question, line.text), split_sentences(line.text)
            for quantity in quantities_asked(question, line.text):
                sentence = next((s.text for s in sentences if s.start <= quantity.start < s.end), line.text)
                if span := _measured(question, line.text, quantity):
                    share = provision.score / (shown[0].score or 1.0)
                    rank = (near * share, -n, matched(question, sentence), -kinds.index(quantity.kind))
                    yield _Candidate(line, quantity, span, near, rank)


def _measure(found: _Candidate) -> tuple[str | None, ...]:
    """Values can be compared that measure the same thing under one heading."""
    is_counted = found.quantity.kind in (QuantityKind.MONEY, QuantityKind.NUMBER)
    evidence = found.line.evidence
    return evidence.document, evidence.heading, found.quantity.kind, found.quantity.unit if is_counted else ""


_NOUNS = re.compile(r"(?:\s*\([^)]*\))?((?:[\s-]+[A-Za-z][A-Za-z-]*){1,5})")


def _measured(question: Question, text: str, quantity: Quantity) -> Span | None:
    """A quantity with what it counts: "50 crowns", "five (5) consecutive attempts", or at least its bound, "under 16"; None for a bare number."""
    start, end = quantity.start, quantity.end
    if quantity.kind is not QuantityKind.NUMBER:
        return start, end
    if following := _NOUNS.match(text, end):
        words = list(re.finditer(r"[A-Za-z-]+", following[1]))
        before = list(takewhile(lambda word: word[0].lower() not in STOP_WORDS, words))
        counted = next((word for word in before if terms(word[0]) == [question.counted]), before[0] if before else None)
        if counted:
            return start, following.start(1) + counted.end()
    bound = bound_start(text, start)
    return (bound, end) if bound < start else None


def quantity_kinds(question: Question) -> Sequence[QuantityKind]:
    """The kinds of quantity a question asks for, the likeliest first; where things are counted, plain numbers only."""
    if question.counted and question.expected is Expectation.NUMBER:
        return (QuantityKind.NUMBER,)
    return _MEANT.get(question.expected, ()) if question.expected else ()


def quantities_asked(question: Question, text: str) -> list[Quantity]:
    """The quantities of a text of the kind and in the unit a question asks for."""
    meant = quantity_kinds(question)
    return [q for q in find_quantities(text) if q.kind in meant and _is_unit(question, q)]


def _is_unit(question: Question, quantity: Quantity) -> bool:
    return not question.unit or question.unit in quantity.unit or question.unit in quantity.text.lower()
