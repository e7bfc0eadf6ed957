"""What of a source that is too large for one request is put beside which obligations: both ways round, so that no claim is lost (A0, A4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from policypal.audit.lines import Batch, Line
from policypal.search.bm25 import document_weights, idf
from policypal.search.embeddings import Embedder, cosine
from policypal.search.terms import term_position, terms

_NEAREST = 12
"""Sentences per obligation, before their neighbours."""

Matrix = NDArray[np.float32]


def narrowed(batches: Sequence[Batch], source: Sequence[Line], embedder: Embedder, characters: int) -> list[list[Line]]:
    """For each batch the source's sentences, in reading order and of so many characters at most: first those nearest to each of its
    obligations with what stands round them, then those that are nearest to one of its rules, the surest first."""
    rules = [line for batch in batches for line in batch.lines]
    owner = [n for n, batch in enumerate(batches) for _ in batch.lines]
    relation = _relation(rules, source, embedder)
    home = relation.argmax(axis=0)
    return [
        _within(_wanted(relation, home, rules, owner, n), source, characters) for n in range(len(batches))
    ]  # fmt: skip


def _wanted(
    relation: Matrix, home: NDArray[np.int64], rules: Sequence[Line], owner: Sequence[int], batch: int
) -> list[int]:
    """Places in the source, the most wanted first."""
    rows = [row for row, of in enumerate(owner) if of == batch]
    asked = [row for row in rows if rules[row].asked] or rows
    ranked = np.argsort(-relation[asked], axis=1, kind="stable")[:, :_NEAREST]
    nearest = [int(place) for place in ranked.T.ravel()]
    own = [place for place in range(relation.shape[1]) if owner[int(home[place])] == batch]
    own.sort(key=lambda place: -float(relation[home[place], place]))
    return list(dict.fromkeys(near for place in nearest for near in (place, place - 1, place + 1))) + own


def _within(wanted: Sequence[int], source: Sequence[Line], characters: int) -> list[Line]:
    kept = set[int]()
    for place in wanted:
        if not 0 <= place < len(source) or place in kept:
            continue
        characters -= len(source[place].text) + len(source[place].id) + 4
        if characters < 0:
            break
        kept.add(place)
    return [source[place] for place in sorted(kept)]


def _relation(rules: Sequence[Line], source: Sequence[Line], embedder: Embedder) -> Matrix:
    """How much each sentence of the source (column) is about each rule (row): BM25 and vectors, half and half, each as a share of the
    row's best."""
    said, asked = [line.full for line in source], [line.in_context for line in rules]
    vectors = np.clip(cosine(embedder.embed(asked), embedder.embed(said)), 0, None)
    return np.asarray((_of_best(_bm25(asked, said)) + _of_best(vectors)) / 2, dtype=np.float32)


def _bm25(queries: Sequence[str], texts: Sequence[str]) -> Matrix:
    holding: dict[int, list[tuple[int, float]]] = {}
    for column, text in enumerate(texts):
        for position, weight in document_weights(text)[0].items():
            holding.setdefault(position, []).append((column, weight))
    scores = np.zeros((len(queries), len(texts)), dtype=np.float32)
    for row, query in enumerate(queries):
        for position in set(map(term_position, terms(query))):
            found = holding.get(position, [])
            rarity = idf(len(found), len(texts))
            for column, weight in found:
                scores[row, column] += rarity * weight
    return scores


def _of_best(scores: Matrix) -> Matrix:
    best = scores.max(axis=1, keepdims=True, initial=0)
    return np.asarray(scores / np.where(best > 0, best, 1), dtype=np.float32)
