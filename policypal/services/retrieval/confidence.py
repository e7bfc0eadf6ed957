"""How likely the retrieved passages hold the answer (C4).

For `text-embedding-3-small` the thresholds of the specification apply to the mean similarity. Other models are
*calibrated*: a logistic function of the best passage's term coverage and similarity estimates the probability that one of
the three best passages is right, and "high" starts where that was true at least nine times in ten on the development
questions (`benchmarks/confidence.py` prints the reliability table). An unknown model is never more than "low".
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


CALIBRATIONS: dict[str, Calibration] = {
    "text-embedding-3-small": Calibration(high=0.75, medium=0.50, floor=0.60),
    "wordllama-256": Calibration(
        high=0.90, medium=0.25, floor=0.35, coverage_weight=6.38, similarity_weight=7.42, bias=-6.82
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
    if score > c.high:
        return "high", score
    return ("medium", score) if score >= c.medium else ("low", score)


def _score(passages: Sequence[RetrievedPassage], c: Calibration) -> float:
    if c.coverage_weight is None:
        mean = sum(p.similarity for p in passages) / len(passages)
        return min(1.0, max(0.0, mean))
    best = max(passages[:3], key=lambda p: p.score)
    z = c.coverage_weight * best.coverage + c.similarity_weight * best.similarity + c.bias
    return 1 / (1 + math.exp(-z))
