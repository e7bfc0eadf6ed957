"""How sure it is that the provisions shown answer a question (C4, docs/decisions/0067).

A provision asked for by number and a definition asked for by its term are exact. Otherwise it is what a single line holds that counts:
words that stand here and there in provisions are no answer.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from policypal.answer.lines import (
    Line,
    ShownProvision,
    holds_subject,
    is_meaning,
    share_held,
    subject_terms,
    words_with,
)
from policypal.answer.questions import Expectation, Question
from policypal.answer.values import quantities_asked
from policypal.answer.view import View

Level = Literal["high", "medium", "low"]

_EXACT = 0.75
_RELATED = 1 / 3
_VALUE_MISSING = 0.5


class Rating(NamedTuple):
    """*Exact provision* is "high", *Related, please read* "medium", *Nothing close* "low"; ``score`` in [0, 1]: the share of what is asked
    about that stands in one line, less a half where the figure, time or address that is asked for stands in none about it."""

    level: Level
    score: float


def rating(question: Question, shown: View) -> Rating:
    """How sure the rules are that what is shown answers the question."""
    if not shown.provisions:
        return Rating("low", 0.0)
    best = shown.provisions[0]
    if best.evidence.is_named or (question.definiendum and is_meaning(question.definiendum, best.best)):
        return Rating("high", 1.0)
    held = max(_held(question, line) for provision in shown.everything for line in provision.lines)
    score = max(held - _VALUE_MISSING * _lacks_value(question, shown.everything[:_NEAR]), 0.0)
    is_exact = score >= _EXACT and _is_answered(question, shown)
    return Rating("high" if is_exact else "medium" if score > _RELATED else "low", round(score, 4))


def _held(question: Question, line: Line) -> float:
    return share_held(subject_terms(question), words_with(line))


def _is_answered(question: Question, shown: View) -> bool:
    """Whether a single line of the best provision holds what was asked: its subject, what the answer has to hold, and the very thing or
    deed that "which", "what" or "who" asks for. Words that stand here and there in a provision are no answer."""
    if shown.value or question.expected is Expectation.NUMBER:
        return shown.value is not None
    return any(
        holds_subject(question, line)
        and _is_met(question, f"{line.evidence.introduction}\n{line.text}")
        and (question.measures or all(share_held([term], words_with(line)) for term in question.sought))
        for line in shown.provisions[0].lines
    )


def _is_met(question: Question, text: str) -> bool:
    return bool(_REACHED.search(text)) if _CONTACT.search(question.text) else question.is_met_by(text)


_NEAR = 3
_ABOUT = 0.4
_CONTACT = re.compile(
    r"\b(?:(?:tele)?phone|fax|hotline) numbers?\b|\be-?mail address\b|\burl\b|\bweb ?site address\b", re.IGNORECASE
)
_REACHED = re.compile(r"@\w|\bwww\.|https?:|\+?\d[\d ()/-]{6,}\d")


def _lacks_value(question: Question, shown: Sequence[ShownProvision]) -> bool:
    """Whether a figure, time or address is asked for and stands in no line about the subject."""
    lines = [line for provision in shown for line in provision.lines]
    if _CONTACT.search(question.text):
        return not any(_REACHED.search(line.text) for line in lines)
    if not question.measures:
        return False
    about = [line for line in lines if _held(question, line) >= _ABOUT]
    if question.counted and not question.unit:
        return not any(quantities_asked(question, line.text) for line in about)
    return not any(question.is_met_by(line.text) for line in about)
