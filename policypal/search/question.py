"""A query as the ranking sees it: its terms, and how much each of them says about the passage that answers it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from policypal.search.bm25 import idf, query_weights
from policypal.search.kinds import Kind, kind_asked_for
from policypal.search.lists import category_of
from policypal.search.synonyms import SYNONYMS, nearest, stand_ins
from policypal.search.terms import term_position, terms

_MODAL_TERMS = frozenset(
    terms("must shall should may might need many much long often soon within there any do does please")
)
"""Words that ask rather than name; whether a passage contains them says nothing about its subject."""

_PRIOR_CHUNKS = 300
_PRIOR_FREQUENCY = 3
"""In a library of a few chunks every absent word would look rare and decisive; these pseudo-counts even that out."""

_SYNONYM_SHARE = 0.25
"""What a synonym weighs in the first pass beside the word that was asked for."""

_NAME = re.compile(r"(?<=[a-z0-9,;)] )[A-Z][\w'’]*(?: [A-Z][\w'’]*)*")


@dataclass(frozen=True)
class Question:
    """``terms`` in the query's order, with repetitions; ``weights`` holds each distinct term's idf times its share of the
    question's meaning, ``lexical`` the query side of BM25 by hashed position (:mod:`.bm25`). ``names`` are terms written
    with a capital inside a sentence (defined terms, authorities), ``numbers`` those with a digit (limits, rule numbers).
    ``kind`` is what an answer has to hold, if the question says so."""

    terms: tuple[str, ...]
    weights: Mapping[str, float]
    lexical: Mapping[int, float]
    names: frozenset[str]
    numbers: frozenset[str]
    kind: Kind | None = None
    category: str = ""
    """The stem of what it asks the kinds of ("ground"), which a list need not repeat."""
    variants: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each term, the stems that may stand for it in a passage."""

    @cached_property
    def counts(self) -> Counter[str]:
        """How often the question says each term."""
        return Counter(self.terms)


def looked_up(query: str) -> list[int]:
    """The hashed positions whose frequencies :func:`weigh` asks for: of the query's terms and of their synonyms."""
    found = dict.fromkeys(terms(query))
    return _positions([*found, *(v for t in found for v in SYNONYMS.get(t, ()))])


def looked_up_instead(query: str, frequencies: Mapping[int, int]) -> list[int]:
    """The positions it asks for besides: of the words nearest to terms that, by their ``frequencies``, no passage has."""
    return _positions(near for t in terms(query) if not frequencies.get(term_position(t)) for near in nearest(t))


def _positions(stems: Iterable[str]) -> list[int]:
    return sorted(set(map(term_position, stems)))


def weigh(query: str, chunks: int, frequencies: Mapping[int, int], asking: Mapping[str, float]) -> Question:
    """The question in ``query``, asked of a library of ``chunks`` passages.

    ``frequencies`` counts the passages with each hashed term; ``asking`` holds the factors of terms that belong to the way
    of asking and are rarer in the passages that answer ("elaborate", "specific"). Synonyms are looked for from the start; the words
    nearest to a term only in passages that were found, and from the start where the library does not have the term at all.
    """
    found = terms(query)
    distinct = dict.fromkeys(found)
    names = frozenset(term for match in _NAME.findall(query) for term in terms(match))
    synonyms = {t: SYNONYMS.get(t, frozenset()) - distinct.keys() for t in distinct}
    variants = synonyms | {t: stand_ins(t) - distinct.keys() for t in distinct if t not in _MODAL_TERMS}
    unknown = {t for t in distinct if not frequencies.get(term_position(t))}
    at_first = {t: variants[t] if t in unknown else synonyms[t] for t in distinct}
    lexical = query_weights(found, chunks, frequencies, asking)
    for position, weight in _of_variants(at_first, lexical, chunks, frequencies).items():
        lexical.setdefault(position, weight)
    return Question(
        terms=tuple(found),
        weights={t: asking.get(t, 1.0) * _naming_weight(t, chunks, frequencies) for t in distinct},
        lexical=lexical,
        names=names.intersection(distinct),
        numbers=frozenset(t for t in distinct if any(c.isdigit() for c in t)),
        kind=kind_asked_for(query),
        category=category_of(query.lower()),
        variants=variants,
    )


def _of_variants(
    variants: Mapping[str, frozenset[str]], lexical: Mapping[int, float], chunks: int, frequencies: Mapping[int, int]
) -> dict[int, float]:
    """The query side of BM25 for synonyms: a share of what the term itself weighs, and of no more than their own rarity."""
    weights: dict[int, float] = {}
    for term, others in variants.items():
        own = lexical[term_position(term)]
        for position in map(term_position, sorted(others)):
            if count := min(frequencies.get(position, 0), chunks):
                share = _SYNONYM_SHARE * min(own, idf(count, chunks))
                weights[position] = max(weights.get(position, 0.0), share)
    return weights


def _naming_weight(term: str, chunks: int, frequencies: Mapping[int, int]) -> float:
    if term in _MODAL_TERMS:
        return 0.0
    found = min(frequencies.get(term_position(term), 0), chunks)
    return idf(found + _PRIOR_FREQUENCY, chunks + _PRIOR_CHUNKS)
