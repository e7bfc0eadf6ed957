"""BM25 as two sparse vectors whose inner product is the score, so that PostgreSQL ranks by it.

Document side: f·(k1+1) / (f + k1·(1−b + b·len/reference)); query side: idf. The length is compared with a fixed
reference (a full 1000-character chunk has about 100 terms) instead of the corpus average: weights then never depend on
which other documents exist, and on the development questions it also ranks better (docs/decisions/0002).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from policypal.search.terms import term_position, terms

K1 = 1.2
B = 0.75
REFERENCE_TERMS = 100


def document_weights(text: str) -> tuple[dict[int, float], int]:
    """The lexical vector of a chunk (hashed position → weight) and its number of terms."""
    found = terms(text)
    norm = K1 * (1 - B + B * len(found) / REFERENCE_TERMS)
    weights: dict[int, float] = {}
    for term, f in Counter(found).items():
        position = term_position(term)
        weights[position] = weights.get(position, 0.0) + f * (K1 + 1) / (f + norm)
    return weights, len(found)


def idf(chunks_with_term: int, chunks: int) -> float:
    """Inverse document frequency, never negative."""
    return math.log(1 + (chunks - chunks_with_term + 0.5) / (chunks_with_term + 0.5))


def query_weights(
    query_terms: Sequence[str], chunks: int, frequencies: Mapping[int, int], factors: Mapping[str, float]
) -> dict[int, float]:
    """The query vector: idf of each term times how often the query names it, times its factor (1 for a term without)."""
    weights: dict[int, float] = {}
    for term, n in Counter(query_terms).items():
        position = term_position(term)
        found = min(frequencies.get(position, 0), chunks)
        weights[position] = weights.get(position, 0.0) + n * factors.get(term, 1.0) * idf(found, chunks)
    return weights
