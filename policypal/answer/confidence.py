"""How sure it is that the provisions shown answer a question (C4)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from policypal.answer.questions import Question
from policypal.answer.view import View

Level = Literal["high", "medium", "low"]


class Rating(NamedTuple):
    """*Exact provision* is "high", *Related, please read* "medium", *Nothing close* "low"; ``score`` in [0, 1]."""

    level: Level
    score: float


def rating(question: Question, shown: View) -> Rating:
    return Rating("medium", 0.5)
