"""How likely the retrieved passages hold the answer (C4).

For `text-embedding-3-small` the thresholds of the specification apply to the mean similarity. Other models are
*calibrated*: a logistic function of the best passage's term coverage and similarity estimates the probability that one of
the three best passages is right, and "high" starts where that was true at least nine times in ten on the development
questions (`benchmarks/confidence.py` prints the reliability table and, with ``--fit``, the numbers below). An unknown
model is never more than "low".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from policypal.domain.documents import RetrievedPassage

Level = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """``floor`` ends adaptive-k; the logistic weights are None where the score is the mean similarity."""

    high: float
    medium: float
    floor: float
    coverage_weight: float | None = None
    similarity_weight: float = 0.0
    bias: float = 0.0

    def probability(self, coverage: float, similarity: float) -> float:
        """That one of the three best passages is right, given the best one's coverage and cosine."""
        z = (self.coverage_weight or 0.0) * coverage + self.similarity_weight * similarity + self.bias
        return 1 / (1 + math.exp(-z))


CALIBRATIONS: dict[str, Calibration] = {
    # the thresholds of the specification (C4)
    "text-embedding-3-small": Calibration(high=0.75, medium=0.50, floor=0.60),
    # python benchmarks/confidence.py --fit --passages passages.jsonl --questions dev.jsonl   (ObliQA development questions)
    "wordllama-256": Calibration(
        high=0.83, medium=0.25, floor=0.35, coverage_weight=8.14, similarity_weight=5.38, bias=-6.59
    ),
}
_UNKNOWN = Calibration(high=math.inf, medium=math.inf, floor=0.0)


def calibration(model: str) -> Calibration:
    """The calibration of an embedding model; one that trusts nothing for an unknown model."""
    return CALIBRATIONS.get(model, _UNKNOWN)


def retrieval_confidence(passages: Sequence[RetrievedPassage], model: str) -> tuple[Level, float]:
    """The level and a score in [0, 1]; nothing retrieved is ("low", 0.0)."""
    if not passages:
        return "low", 0.0
    c = calibration(model)
    score = _score(passages, c)
    return level_of(score, c), score


def cautious(level: Level, score: float, model: str) -> tuple[Level, float]:
    """At most "medium": for passages whose own words are not certain, such as those of a scan (D7)."""
    return ("medium", min(score, calibration(model).high)) if level == "high" else (level, score)


def level_of(score: float, c: Calibration) -> Level:
    """The level of a score; the thresholds of the specification are "above 0.75" and "from 0.5"."""
    if score > c.high:
        return "high"
    return "medium" if score >= c.medium else "low"


def _score(passages: Sequence[RetrievedPassage], c: Calibration) -> float:
    if c.coverage_weight is None:
        mean = sum(p.similarity for p in passages) / len(passages)
        return min(1.0, max(0.0, mean))
    best = max(passages[:3], key=lambda p: p.score)
    return c.probability(best.coverage, best.similarity)
