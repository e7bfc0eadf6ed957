"""Which rules a claim is about: BM25 and vectors, half and half, over sentences with their introductions and headings (A4)."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from policypal.audit.units import Unit
from policypal.search.bm25 import document_weights, idf
from policypal.search.embeddings import Embedder, cosine
from policypal.search.terms import term_position, terms

Matrix = NDArray[np.float32]


class Words:
    """The words of claims and rules with how much each tells, by its rarity among all of them."""

    def __init__(self, claims: Sequence[str], rules: Sequence[str]) -> None:
        self._said = [frozenset(terms(text)) for text in claims]
        self._ruled = [frozenset(terms(text)) for text in rules]
        self._texts = [document_weights(text)[0] for text in rules]
        held = Counter(term for side in (self._said, self._ruled) for text in side for term in text)
        self._rarity = {term: idf(count, len(claims) + len(rules)) for term, count in held.items()}

    def bm25(self) -> Matrix:
        """BM25 of every rule (column) for every claim (row)."""
        places = {term_position(term): n for n, term in enumerate(sorted(frozenset().union(*self._said)))}
        weights = np.zeros((len(places) + 1, len(self._texts)), dtype=np.float32)
        for column, text in enumerate(self._texts):
            for position in text.keys() & places.keys():
                weights[places[position], column] = text[position]
        rarity = [idf(int(held), len(self._texts)) for held in (weights > 0).sum(axis=1)]
        weights *= np.array(rarity, dtype=np.float32)[:, None]
        said = [sorted(places[term_position(term)] for term in terms) or [-1] for terms in self._said]
        return np.array([weights[row].sum(axis=0) for row in said], dtype=np.float32).reshape(
            len(said), len(self._texts)
        )

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
        self.relation: Matrix = ((_of_best(self._words.bm25()) + _of_best(self._cosine)) / 2).astype(np.float32)

    def nearest(self, row: int, count: int) -> list[int]:
        """The columns of the rules a claim is most about, the nearest first."""
        return [int(column) for column in np.argsort(-self.relation[row], kind="stable")[:count]]

    def likeness(self, row: int, column: int) -> float:
        """How much the two say the same, in [0, 1], whatever else there is: words of either side in the other, and vectors."""
        return (sum(self._words.shares(row, column)) + float(self._cosine[row, column])) / 3


def _of_best(scores: Matrix) -> Matrix:
    """Each row as a share of its best score; 0 in rows without any."""
    best = scores.max(axis=1, keepdims=True, initial=0)
    return np.asarray(scores / np.where(best > 0, best, 1), dtype=np.float32)
