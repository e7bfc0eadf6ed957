"""A query as the ranking sees it: its terms, and how much each of them says about the passage that answers it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from policypal.services.retrieval.bm25 import idf, query_weights
from policypal.services.retrieval.terms import term_position, terms

_MODAL_TERMS = frozenset(
    terms("must shall should may might need many much long often soon within there any do does please tell")
)
"""Words that ask rather than name; whether a passage contains them says nothing about its subject."""

_PRIOR_CHUNKS = 300
_PRIOR_FREQUENCY = 3
"""In a library of a few chunks every absent word would look rare and decisive; these pseudo-counts even that out."""

_NAME = re.compile(r"(?<=[a-z0-9,;)] )[A-Z][\w'’]*(?: [A-Z][\w'’]*)*")


@dataclass(frozen=True, slots=True)
class Question:
    """``terms`` in the query's order, with repetitions; ``weights`` holds each distinct term's idf times its share of the
    question's meaning, ``lexical`` the query side of BM25 by hashed position (:mod:`.bm25`). ``names`` are terms written
    with a capital inside a sentence (defined terms, authorities), ``numbers`` those with a digit (limits, rule numbers)."""

    terms: tuple[str, ...]
    weights: Mapping[str, float]
    lexical: Mapping[int, float]
    names: frozenset[str]
    numbers: frozenset[str]


def weigh(query: str, chunks: int, frequencies: Mapping[int, int], asking: Mapping[str, float]) -> Question:
    """The question in ``query``, asked of a library of ``chunks`` passages.

    ``frequencies`` counts the passages with each hashed term; ``asking`` holds the factors of terms that belong to the way
    of asking and are rarer in the passages that answer ("elaborate", "specific").
    """
    found = terms(query)
    distinct = dict.fromkeys(found)
    names = frozenset(term for match in _NAME.findall(query) for term in terms(match))
    return Question(
        terms=tuple(found),
        weights={t: asking.get(t, 1.0) * _naming_weight(t, chunks, frequencies) for t in distinct},
        lexical=query_weights(found, chunks, frequencies, asking),
        names=names.intersection(distinct),
        numbers=frozenset(t for t in distinct if any(c.isdigit() for c in t)),
    )


def _naming_weight(term: str, chunks: int, frequencies: Mapping[int, int]) -> float:
    if term in _MODAL_TERMS:
        return 0.0
    found = min(frequencies.get(term_position(term), 0), chunks)
    return idf(found + _PRIOR_FREQUENCY, chunks + _PRIOR_CHUNKS)
