"""Which rules a claim is about: BM25 and vectors, half and half, over sentences with their introductions and headings (A4)."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from policypal.audit.units import Unit
from policypal.search.bm25 import document_weights, idf
from policypal.search.embeddings import Embedder, cosine
from policypal.search.terms import term_position, terms

Matrix = NDArray[np.float32]
_Posting = tuple[NDArray[np.int64], Matrix]
"""The rules a word stands in, and its BM25 weight there."""
_ALL = slice(None)
_ROWS = 256
"""Claims put beside all rules at a time, where the whole of a large audit would not fit into the memory."""


class Words:
    """The words of claims and rules with how much each tells, by its rarity among all of them."""

    def __init__(self, claims: Sequence[str], rules: Sequence[str]) -> None:
        self._said = [frozenset(terms(text)) for text in claims]
        self._ruled = [frozenset(terms(text)) for text in rules]
        held = Counter(term for side in (self._said, self._ruled) for text in side for term in text)
        self._rarity = {term: idf(count, len(claims) + len(rules)) for term, count in held.items()}
        self._columns = len(rules)
        self._postings = _postings(rules, {term_position(term) for said in self._said for term in said})

    def bm25(self, rows: slice = _ALL) -> Matrix:
        """BM25 of every rule (column) for each of those claims (row)."""
        said = self._said[rows]
        scores = np.zeros((len(said), self._columns), dtype=np.float32)
        for row, words in enumerate(said):
            for word in sorted(words):
                if posting := self._postings.get(term_position(word)):
                    columns, weights = posting
                    scores[row, columns] += weights
        return scores

    def shares(self, row: int, column: int) -> tuple[float, float]:
        """How much of the claim stands in the rule, and of the rule in the claim, each in [0, 1]."""
        said, ruled = self._said[row], self._ruled[column]
        both = self._weight(said & ruled)
        return both / (self._weight(said) or 1.0), both / (self._weight(ruled) or 1.0)

    def _weight(self, words: frozenset[str]) -> float:
        return sum(self._rarity[word] for word in words)


class Pairs:
    """Every claim (row) beside every rule (column) of one target. ``relation`` is how much the claim is about the rule, beside the other
    rules: per claim in [0, 1], 1 for a rule nearest in both words and vectors."""

    def __init__(self, claims: Sequence[Unit], rules: Sequence[Unit], embedder: Embedder) -> None:
        self.claims, self.rules = claims, rules
        said, ruled = [c.full for c in claims], [r.in_context for r in rules]
        self._words = Words(said, ruled)
        self._cosine = np.clip(cosine(embedder.embed(said), embedder.embed(ruled)), 0, None)
        self.relation = _relation(self._words.bm25(), self._cosine)

    def nearest(self, row: int, count: int) -> list[int]:
        """The columns of the rules a claim is most about, the nearest first."""
        return [int(column) for column in np.argsort(-self.relation[row], kind="stable")[:count]]

    def likeness(self, row: int, column: int) -> float:
        """How much the two say the same, in [0, 1], whatever else there is: words of either side in the other, and vectors."""
        return (sum(self._words.shares(row, column)) + float(self._cosine[row, column])) / 3


def relations(claims: Sequence[Unit], rules: Sequence[Unit], embedder: Embedder) -> Iterator[Matrix]:
    """The relation of :class:`Pairs`, some rows at a time."""
    said, ruled = [c.full for c in claims], [r.in_context for r in rules]
    words, of_claims, of_rules = Words(said, ruled), embedder.embed(said), embedder.embed(ruled)
    for start in range(0, len(said), _ROWS):
        rows = slice(start, start + _ROWS)
        yield _relation(words.bm25(rows), np.clip(cosine(of_claims[rows], of_rules), 0, None))


def _relation(bm25: Matrix, cosines: Matrix) -> Matrix:
    return np.asarray((_of_best(bm25) + _of_best(cosines)) / 2, dtype=np.float32)


def _postings(texts: Sequence[str], wanted: Set[int]) -> dict[int, _Posting]:
    """By the positions of the wanted words."""
    found: dict[int, list[tuple[int, float]]] = {}
    for column, text in enumerate(texts):
        for position, weight in document_weights(text)[0].items():
            if position in wanted:
                found.setdefault(position, []).append((column, weight))
    return {
        position: (
            np.array([column for column, _ in held]),
            np.array([weight for _, weight in held], dtype=np.float32) * np.float32(idf(len(held), len(texts))),
        )
        for position, held in found.items()
    }


def _of_best(scores: Matrix) -> Matrix:
    """Each row as a share of its best score; 0 in rows without any."""
    best = scores.max(axis=1, keepdims=True, initial=0)
    return np.asarray(scores / np.where(best > 0, best, 1), dtype=np.float32)
