"""What of a source that is too large for one request is put beside which obligations: both ways round, so that no claim is lost (A0, A4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policypal.audit.lines import Batch, Line
from policypal.audit.pairs import Matrix, relations
from policypal.audit.units import Unit
from policypal.search.embeddings import Embedder

MOST_PAIRS = 30_000_000
"""Claims times rules of one target that are compared one by one: about two gigabytes."""
_NEAREST = 12
"""Sentences per obligation, before their neighbours."""


def narrowed(batches: Sequence[Batch], source: Sequence[Line], embedder: Embedder, characters: int) -> list[list[Line]]:
    """For each batch the source's sentences, in reading order and of so many characters at most: first those nearest to each of its
    obligations with what stands round them, then those that are nearest to one of its rules, the surest first."""
    rules = [line for batch in batches for line in batch.lines]
    owner = np.array([n for n, batch in enumerate(batches) for _ in batch.lines])
    near = nearness([line.unit for line in rules], [line.unit for line in source], embedder)
    return [_within(_wanted(near, rules, owner, n), source, characters) for n in range(len(batches))]


@dataclass(frozen=True, slots=True)
class Nearness:
    """Of each rule the places in the source nearest to it, the nearest first; of each place the rule it is nearest to, and how near."""

    nearest: NDArray[np.int64]
    home: NDArray[np.int64]
    strength: Matrix


def nearness(rules: Sequence[Unit], source: Sequence[Unit], embedder: Embedder) -> Nearness:
    """What of a source is nearest to which rules, both ways round."""
    nearest = []
    home, strength = np.zeros(len(source), dtype=np.int64), np.full(len(source), -1, dtype=np.float32)
    at = 0
    for relation in relations(rules, source, embedder):
        nearest.append(_first(-relation))
        best = relation.argmax(axis=0)
        reached = relation[best, np.arange(len(source))]
        nearer = reached > strength
        home[nearer], strength[nearer] = best[nearer] + at, reached[nearer]
        at += len(relation)
    return Nearness(np.concatenate(nearest), home, strength)


def _first(distances: Matrix) -> NDArray[np.int64]:
    """The places of each row's smallest values, in their order."""
    if distances.shape[1] <= _NEAREST:
        return np.argsort(distances, axis=1, kind="stable")
    few = np.sort(np.argpartition(distances, _NEAREST - 1, axis=1)[:, :_NEAREST], axis=1)
    order = np.argsort(np.take_along_axis(distances, few, axis=1), axis=1, kind="stable")
    return np.take_along_axis(few, order, axis=1)


def most_related(
    claims: Sequence[Unit], rules: Sequence[Unit], embedder: Embedder, most_pairs: int = MOST_PAIRS
) -> list[Unit]:
    """The claims, in reading order; where they are too many to be put beside every rule, those nearest to each rule, then the surest of
    the rest."""
    most = most_pairs // max(len(rules), 1)
    if len(claims) <= most:
        return list(claims)
    near = nearness(rules, claims, embedder)
    wanted = [*(int(place) for place in near.nearest.T.ravel()), *map(int, np.argsort(-near.strength, kind="stable"))]
    return [claims[place] for place in sorted(list(dict.fromkeys(wanted))[:most])]


def _wanted(near: Nearness, rules: Sequence[Line], owner: NDArray[np.int64], batch: int) -> list[int]:
    """Places in the source, the most wanted first."""
    rows = [int(row) for row in np.flatnonzero(owner == batch)]
    asked = [row for row in rows if rules[row].asked] or rows
    nearest = [int(place) for place in near.nearest[asked].T.ravel()]
    own = [int(place) for place in np.flatnonzero(owner[near.home] == batch)]
    own.sort(key=lambda place: -float(near.strength[place]))
    return list(dict.fromkeys(n for place in nearest for n in (place, place - 1, place + 1))) + own


def _within(wanted: Sequence[int], source: Sequence[Line], characters: int) -> list[Line]:
    kept = set[int]()
    for place in wanted:
        if not 0 <= place < len(source) or place in kept:
            continue
        characters -= len(source[place].unit.text) + len(source[place].id) + 4
        if characters < 0:
            break
        kept.add(place)
    return [source[place] for place in sorted(kept)]
