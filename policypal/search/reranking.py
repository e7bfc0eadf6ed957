"""The order of the shortlist: a linear score of a few features of question and passage.

PostgreSQL shortlists by BM25 and cosine; what needs the words in their order (pairs, proximity, the opening) is looked at
here, for the shortlist only. The weights are fitted on labelled questions (:mod:`.fitted`, docs/decisions/0009).
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from policypal.domain.documents import RetrievedPassage
from policypal.search.bm25 import K1, REFERENCE_TERMS
from policypal.search.fitted import WEIGHTS
from policypal.search.kinds import Kind, holds
from policypal.search.lists import lead_ins, leads_in
from policypal.search.question import Question
from policypal.search.terms import TEXTS_KEPT, terms

FEATURES = (
    "bm25", "coverage", "names", "numbers", "opening", "cosine", "pairs", "proximity", "neighbour", "second_neighbour",
    "length", "length_squared", "binding", "time", "amount", "list",
)  # fmt: skip

_B = 0.9
"""Inside the shortlist length counts more than in BM25's first pass."""
_OPENING_TERMS = 15
_PLACES = 20
_SPREAD = 6.0
"""Brings differences of the linear score to the scale of a share: the tenth passage typically has half the best's score."""


_SYNONYM_CREDIT = 0.5
"""What a synonym counts for where the passage does not hold the term itself."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Where a passage (its heading first) holds the question's terms, or synonyms of them, what each counts for, and how
    many terms it has. ``headings`` are the terms of the headings over and in it. ``lists``: it introduces a list of what the
    question asks the kinds of."""

    places: Mapping[str, list[int]]
    credit: Mapping[str, float]
    length: int
    headings: tuple[frozenset[str], ...]
    lists: bool


def rerank(question: Question, shortlist: Sequence[RetrievedPassage]) -> list[RetrievedPassage]:
    """``shortlist`` best first, ``score`` relative to the best (1.0) and ``coverage`` filled in."""
    if not shortlist:
        return []
    read = _read_all(question, shortlist)
    table = _table(question, shortlist, read)
    linear = table @ np.array([WEIGHTS[name] for name in FEATURES])
    linear += HEADING_WEIGHT * _headings(question, read) - RECITAL_WEIGHT * recitals(shortlist)
    scores = np.exp((linear - linear.max()) / _SPREAD)
    coverage = table[:, FEATURES.index("coverage")]
    ranked = [
        replace(hit, score=float(s), coverage=float(c))
        for hit, s, c in zip(shortlist, scores, coverage, strict=True)
    ]  # fmt: skip
    # not by id: the same library read anew is to be answered in the same order
    return sorted(
        ranked, key=lambda hit: (-hit.score, hit.passage.document_title, hit.passage.ordinal, hit.passage.start)
    )


HEADING_WEIGHT = 5.0
"""Not fitted: the labelled passages have no headings. A heading that names all that is asked for counts about as much as
all of it in the text."""


RECITAL_WEIGHT = 1.5
"""Not fitted either: they have no preambles. The operative provision is preferred to the recital that explains it."""
_BINDING_SHARE = 1 / 3


def recitals(shortlist: Sequence[RetrievedPassage]) -> NDArray[np.float64]:
    """1 for passages that only say what should be, of documents that bind with "shall" or "must"."""
    binding = Counter(hit.passage.document_id for hit in shortlist if _binds(hit.passage.text))
    found = Counter(hit.passage.document_id for hit in shortlist)
    binds = {document for document, n in found.items() if binding[document] >= _BINDING_SHARE * n}
    return np.array(
        [
            hit.passage.document_id in binds and not _binds(hit.passage.text) and _advises(hit.passage.text)
            for hit in shortlist
        ],
        dtype=np.float64,
    )


def _headings(question: Question, read: Sequence[_Read]) -> NDArray[np.float64]:
    """How well the best heading over or in each passage names what is asked for, in [0, 1]."""
    return np.array([max((_named(question, h, p.lists) for h in p.headings), default=0.0) for p in read])


def _named(question: Question, heading: frozenset[str], lists: bool) -> float:
    """The share of the question that the heading names, less where the heading names much else."""
    held = {
        t: 1.0 if t in heading else _SYNONYM_CREDIT
        for t in question.weights
        if t in heading or not heading.isdisjoint(question.variants.get(t, ()))
    }
    also = {question.category: 1.0} if lists and held else {}
    share = _share(question.weights, question.weights.keys(), held | also)
    return share * (0.5 + 0.5 * len(held) / len(heading))


def features(question: Question, shortlist: Sequence[RetrievedPassage]) -> NDArray[np.float64]:
    """One row per passage, one column per name in :data:`FEATURES`. ``score`` must be the first pass's."""
    return _table(question, shortlist, _read_all(question, shortlist))


def _table(question: Question, shortlist: Sequence[RetrievedPassage], read: Sequence[_Read]) -> NDArray[np.float64]:
    scores = {(hit.passage.document_id, hit.passage.ordinal): hit.score for hit in shortlist}
    rows = [
        [
            *_words(question, passage), hit.similarity, *_order(question, passage), *_around(scores, hit),
            *_size(passage), float(_binds(hit.passage.text)), *_holds(question, hit),
        ]
        for hit, passage in zip(shortlist, read, strict=True)
    ]  # fmt: skip
    table = np.array(rows, dtype=np.float64)
    table[:, 0] /= max(table[:, 0].max(), 1e-9)
    return table


def _read_all(question: Question, shortlist: Sequence[RetrievedPassage]) -> list[_Read]:
    wanted = _wanted(question)
    return [_read(question, wanted, hit) for hit in shortlist]


def _wanted(question: Question) -> dict[str, frozenset[str]]:
    """Each stem worth looking for, with the terms of the question it stands for."""
    wanted: dict[str, set[str]] = {}
    for term in question.weights:
        for stem in (term, *question.variants.get(term, ())):
            wanted.setdefault(stem, set()).add(term)
    return {stem: frozenset(meant) for stem, meant in wanted.items()}


def _read(question: Question, wanted: Mapping[str, frozenset[str]], hit: RetrievedPassage) -> _Read:
    passage = hit.passage
    found = _terms_of(f"{passage.heading}\n{passage.text}" if passage.heading else passage.text)
    own: dict[str, list[int]] = {}
    instead: dict[str, list[int]] = {}
    for n, stem in enumerate(found):
        for term in wanted.get(stem, ()):
            (own if term == stem else instead).setdefault(term, []).append(n)
    credit = {t: 1.0 if t in own else _SYNONYM_CREDIT for t in (*own, *instead)}
    lists = bool(question.category) and any(leads_in(line, question.category) for line in lead_ins(passage.text))
    if lists:
        credit[question.category] = 1.0
    return _Read({**instead, **own}, credit, len(found), _headings_of(passage.heading or ""), lists)


@lru_cache(maxsize=TEXTS_KEPT)
def _headings_of(heading: str) -> tuple[frozenset[str], ...]:
    """The terms of each line of a heading."""
    found = (frozenset(t for t in terms(line) if not t[0].isdigit()) for line in heading.splitlines())
    return tuple(h - _DIVISIONS for h in found if h - _DIVISIONS)


_DIVISIONS = frozenset(terms("article section chapter part title annex principle rule schedule"))


# Questions about the same documents shortlist the same passages again: what is read in a text without the question is kept.
@lru_cache(maxsize=TEXTS_KEPT)
def _binds(text: str) -> bool:
    return _BINDING.search(text) is not None


@lru_cache(maxsize=TEXTS_KEPT)
def _advises(text: str) -> bool:
    return _ADVISING.search(text) is not None


_BINDING = re.compile(r"\b(?:shall|must)\b", re.IGNORECASE)
_ADVISING = re.compile(r"\bshould\b", re.IGNORECASE)


def _holds(question: Question, hit: RetrievedPassage) -> list[float]:
    """For each kind of answer: whether it is asked for and here."""
    return [float(kind is question.kind and holds(kind, hit.passage.text)) for kind in Kind]


@lru_cache(maxsize=TEXTS_KEPT)
def _terms_of(text: str) -> tuple[str, ...]:
    """At most about 60 MB."""
    return tuple(terms(text))


def _words(question: Question, passage: _Read) -> tuple[float, ...]:
    """BM25, then shares of the question's weight: of all terms, of the names, of the numbers, and of all in the opening."""
    norm = K1 * (1 - _B + _B * passage.length / REFERENCE_TERMS)
    bm25 = sum(
        question.weights[t] * passage.credit[t] * question.counts[t] * len(at) * (K1 + 1) / (len(at) + norm)
        for t, at in passage.places.items()
    )
    opening = {t: passage.credit[t] for t, at in passage.places.items() if at[0] < _OPENING_TERMS}
    w = question.weights
    return (
        bm25,
        _share(w, w.keys(), passage.credit),
        _share(w, question.names, passage.credit),
        _share(w, question.numbers, passage.credit),
        _share(w, w.keys(), opening),
    )


def _share(weights: Mapping[str, float], asked: Collection[str], credit: Mapping[str, float]) -> float:
    total = sum(map(weights.__getitem__, asked))
    return sum(weights[t] * c for t, c in credit.items() if t in asked) / total if total else 0.0


def _order(question: Question, passage: _Read) -> tuple[float, float]:
    """The share of the question's neighbouring words that are neighbours here too, and how close they stand, [0, 1]. What
    a list is of need not stand beside anything."""
    asked = [t for t in question.terms if not (t == question.category and passage.lists)]
    adjacent = close = total = 0.0
    for first, second in pairwise(asked):
        if first == second:
            continue
        weight = min(question.weights[first], question.weights[second])
        total += weight
        if first in passage.places and second in passage.places:
            distance = _distance(passage.places[first], passage.places[second])
            credit = weight * passage.credit[first] * passage.credit[second]
            adjacent += credit * (distance == 1)
            close += credit / distance
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
