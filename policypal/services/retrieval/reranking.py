"""The order of the shortlist: a linear score of a few features of question and passage.

PostgreSQL shortlists by BM25 and cosine; what needs the words in their order (pairs, proximity, the opening) is looked at
here, for the shortlist only. The weights are fitted on labelled questions (:mod:`.fitted`, docs/decisions/0009).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from policypal.domain.documents import RetrievedPassage
from policypal.services.retrieval.bm25 import K1, REFERENCE_TERMS
from policypal.services.retrieval.fitted import WEIGHTS
from policypal.services.retrieval.question import Question
from policypal.services.retrieval.terms import terms

FEATURES = (
    "bm25", "coverage", "names", "numbers", "opening", "cosine", "pairs", "proximity", "neighbour", "second_neighbour",
    "length", "length_squared",
)  # fmt: skip

_B = 0.9
"""Inside the shortlist length counts more than in BM25's first pass."""
_OPENING_TERMS = 15
_PLACES = 20
_SPREAD = 6.0
"""Brings differences of the linear score to the scale of a share: the tenth passage typically has half the best's score."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Where a passage (its heading first) holds the question's terms, and how many terms it has."""

    places: Mapping[str, list[int]]
    length: int


def rerank(question: Question, shortlist: Sequence[RetrievedPassage]) -> list[RetrievedPassage]:
    """``shortlist`` best first, ``score`` relative to the best (1.0) and ``coverage`` filled in."""
    if not shortlist:
        return []
    table = features(question, shortlist)
    linear = table @ np.array([WEIGHTS[name] for name in FEATURES])
    scores = np.exp((linear - linear.max()) / _SPREAD)
    coverage = table[:, FEATURES.index("coverage")]
    ranked = [
        replace(hit, score=float(s), coverage=float(c))
        for hit, s, c in zip(shortlist, scores, coverage, strict=True)
    ]  # fmt: skip
    return sorted(ranked, key=lambda hit: (-hit.score, hit.passage.id))


def features(question: Question, shortlist: Sequence[RetrievedPassage]) -> NDArray[np.float64]:
    """One row per passage, one column per name in :data:`FEATURES`. ``score`` must be the first pass's."""
    wanted = set(question.terms)
    read = [_read(wanted, hit) for hit in shortlist]
    scores = {(hit.passage.document_id, hit.passage.ordinal): hit.score for hit in shortlist}
    rows = [
        [*_words(question, passage), hit.similarity, *_order(question, passage), *_around(scores, hit), *_size(passage)]
        for hit, passage in zip(shortlist, read, strict=True)
    ]
    table = np.array(rows, dtype=np.float64)
    table[:, 0] /= max(table[:, 0].max(), 1e-9)
    return table


def _read(wanted: set[str], hit: RetrievedPassage) -> _Read:
    passage = hit.passage
    found = _terms_of(f"{passage.heading}\n{passage.text}" if passage.heading else passage.text)
    places: dict[str, list[int]] = {}
    for n, term in enumerate(found):
        if term in wanted:
            places.setdefault(term, []).append(n)
    return _Read(places, len(found))


@lru_cache(maxsize=8192)
def _terms_of(text: str) -> tuple[str, ...]:
    """Questions about the same documents shortlist the same passages again; at most about 30 MB."""
    return tuple(terms(text))


def _words(question: Question, passage: _Read) -> tuple[float, ...]:
    """BM25, then shares of the question's weight: of all terms, of the names, of the numbers, and of all in the opening."""
    counts = Counter(question.terms)
    norm = K1 * (1 - _B + _B * passage.length / REFERENCE_TERMS)
    bm25 = sum(
        question.weights[t] * counts[t] * len(at) * (K1 + 1) / (len(at) + norm) for t, at in passage.places.items()
    )
    opening = {t for t, at in passage.places.items() if at[0] < _OPENING_TERMS}
    w = question.weights
    return (
        bm25,
        _share(w, w.keys(), passage.places.keys()),
        _share(w, question.names, passage.places.keys()),
        _share(w, question.numbers, passage.places.keys()),
        _share(w, w.keys(), opening),
    )


def _share(weights: Mapping[str, float], asked: Collection[str], present: Collection[str]) -> float:
    total = sum(weights[t] for t in asked)
    return sum(weights[t] for t in asked if t in present) / total if total else 0.0


def _order(question: Question, passage: _Read) -> tuple[float, float]:
    """The share of the question's neighbouring words that are neighbours here too, and how close they stand, [0, 1]."""
    adjacent = close = total = 0.0
    for first, second in pairwise(question.terms):
        if first == second:
            continue
        weight = min(question.weights[first], question.weights[second])
        total += weight
        if first in passage.places and second in passage.places:
            distance = _distance(passage.places[first], passage.places[second])
            adjacent += weight * (distance == 1)
            close += weight / distance
    return (adjacent / total, close / total) if total else (0.0, 0.0)


def _distance(first: Sequence[int], second: Sequence[int]) -> float:
    """The smallest distance in terms, at least 1; half a term more where the order is reversed."""
    return min(b - a if b > a else a - b + 0.5 for a in first[:_PLACES] for b in second[:_PLACES])


def _around(scores: Mapping[tuple[str, int], float], hit: RetrievedPassage) -> tuple[float, float]:
    """The first-pass score of the better passage directly beside this one, and of the better one two places away."""
    document, ordinal = hit.passage.document_id, hit.passage.ordinal
    beside, beyond = (max(scores.get((document, ordinal + side * n), 0.0) for side in (-1, 1)) for n in (1, 2))
    return beside, beyond


def _size(passage: _Read) -> tuple[float, float]:
    length = math.log1p(passage.length)
    return length, length**2
