"""How sure it is that the provisions shown answer a question (C4).

A provision asked for by number and a definition asked for by its term are exact. Otherwise a logistic function of a few shares tells,
fitted to labelled questions over real documents (docs/decisions/0025): how much of what is asked about the best provision and all
provisions hold, and whether what was asked for, a figure, a time, a name, stands in them at all. Exact is only what a single line holds
(docs/decisions/0060).
"""

import math
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
from policypal.search.terms import STOP_WORDS, terms

Level = Literal["high", "medium", "low"]

HIGH, MEDIUM = 0.85, 0.55
WEIGHTS = {
    "coverage": 2.47, "similarity": 0.43, "best": 2.38, "all": 0.77, "value_missing": -3.41, "name_missing": -1.01,
}  # fmt: skip
"""Feature (:func:`features`) → its weight; fitted to "what is labelled is shown", thresholds chosen on answers held out of the fit."""
BIAS = -2.22


class Rating(NamedTuple):
    """*Exact provision* is "high", *Related, please read* "medium", *Nothing close* "low"; ``score`` in [0, 1]."""

    level: Level
    score: float


def rating(question: Question, shown: View) -> Rating:
    """How sure the rules are that what is shown answers the question."""
    if not shown.provisions:
        return Rating("low", 0.0)
    best = shown.provisions[0]
    if best.evidence.is_named or (question.definiendum and is_meaning(question.definiendum, best.best)):
        return Rating("high", 1.0)
    linear = BIAS + sum(WEIGHTS[name] * value for name, value in features(question, shown.everything).items())
    score = 1 / (1 + math.exp(-linear))
    is_exact = score >= HIGH and _is_answered(question, shown)
    return Rating("high" if is_exact else "medium" if score >= MEDIUM else "low", round(score, 4))


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


def features(question: Question, shown: Sequence[ShownProvision]) -> dict[str, float]:
    """What the judgement rests on, each in [0, 1]."""
    best = shown[0].best.evidence
    subject = subject_terms(question)
    everything = [line for provision in shown for line in provision.lines]
    return {
        "coverage": best.coverage,
        "similarity": max(best.similarity, 0.0),
        "best": _share(subject, shown[0].lines),
        "all": _share(subject, everything),
        "value_missing": float(_lacks_value(question, shown[:_NEAR])),
        "name_missing": float(_lacks_name(question, everything)),
    }


_NEAR = 3
_ABOUT = 0.4


def _share(subject: Sequence[str], lines: Sequence[Line]) -> float:
    """The share of what is asked about that stands in lines, their headings or their document's title; a synonym counts half."""
    held = {term for evidence in {line.evidence.number: line.evidence for line in lines}.values() for term in
            terms(" ".join([evidence.heading or "", evidence.introduction, evidence.document]))}  # fmt: skip
    held.update(term for line in lines for term in terms(line.text))
    return share_held(subject, held)


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
    subject = subject_terms(question)
    if question.counted and not question.unit:
        about = [line for p in shown if _share(subject, p.lines) >= _ABOUT for line in p.lines]
        return not any(quantities_asked(question, line.text) for line in about)
    return not any(question.is_met_by(line.text) for line in lines if _share(subject, [line]) >= _ABOUT)


_NAME = re.compile(r"(?<![.?!] )(?<!^)\b(?:[A-Z][A-Za-z]*\d[\w-]*|[A-Z]{3,}|\d+-[A-Z]\b)")


def _lacks_name(question: Question, lines: Sequence[Line]) -> bool:
    """Whether it names something by letters and figures ("CET1", "Form 8-K") that nothing shown knows."""
    held = " ".join(
        " ".join([line.text, line.evidence.heading or "", line.evidence.document]) for line in lines
    ).casefold()
    initials = "".join(word[0] for word in re.findall(r"[^\W\d_]+", held) if word not in STOP_WORDS)
    names = [found[0].casefold() for found in _NAME.finditer(question.text)]
    return any(name not in held and name not in initials for name in names)
