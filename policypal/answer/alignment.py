"""Which clauses of different documents speak of the same thing, and whether they say the same (A3, W3)."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from policypal.answer.questions import is_generic
from policypal.domain.provisions import Kind
from policypal.search.embeddings import Embedder
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import terms
from policypal.text.clauses import topic_of
from policypal.text.quantities import QuantityKind, find_quantities, number_value

LEXICAL_SHARE = 0.6
"""Weight of shared terms against the embedding's cosine: wording decides what rules of regulators have in common."""
SAME_SUBJECT = 0.45
NO_COUNTERPART = 0.4
NEARLY_IDENTICAL = 0.8

_POSITION_BONUS = 0.03
_HEADING_WEIGHT = 0.4
_INTRODUCTION_WEIGHT = 0.6
_BLOCK = 512
_BUCKETS = 4096
_MOST_HEADING_WORDS = 12
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|without|except|unless|cannot|prohibited|forbidden)\b", re.IGNORECASE
)
_NORMS = (Kind.OBLIGATION, Kind.PROHIBITION, Kind.RECOMMENDATION, Kind.PERMISSION)
_CANONICAL = {term: min(term, *others) for term, others in SYNONYMS.items()}
"""One stem for all that mean the same, so that "notify" and "report" count as shared."""

_NEVER_NAMES = frozenset(
    terms(
        "must shall should may will within without during before after under upon every each other than least most more less later longer"
        " once twice times again minute hour day week month year"
    )
)
"""What any two rules share without having a subject in common."""

Matrix = NDArray[np.float32]


class Aligned(Protocol):
    """What can be aligned: a clause with the introduction and the heading it stands under, and what it does."""

    @property
    def text(self) -> str: ...
    @property
    def full_text(self) -> str: ...
    @property
    def heading(self) -> str: ...
    @property
    def kind(self) -> Kind: ...


class Difference(int):
    """How two clauses on one subject differ, the weightiest first."""

    VALUE, MENTION, FORCE, NONE = range(4)


class Said:
    """What a clause itself says apart from its subject: quantities, what it does, negations. The line that introduces a list is a
    clause of its own, so that its differences are not repeated with every item."""

    def __init__(self, clause: Aligned) -> None:
        self.text = clause.text
        self.norm = clause.kind if clause.kind in _NORMS else None

    @cached_property
    def counted(self) -> frozenset[str]:
        """The nouns of plain numbers: "kilometres"."""
        return frozenset(unit for kind, _, unit in self.values(None) if kind is QuantityKind.NUMBER and unit)

    def values(self, counted: Collection[str] | None) -> set[tuple[QuantityKind, float, str]]:
        """The measured quantities, and the plain numbers of the ``counted`` nouns, or of all where that is None."""
        return {
            (q.kind, round(q.value, 4), q.unit if q.kind in (QuantityKind.MONEY, QuantityKind.NUMBER) else "")
            for q in find_quantities(self.text)
            if q.kind is not QuantityKind.NUMBER or (q.value > 1 and (counted is None or q.unit in counted))
        }

    @cached_property
    def negations(self) -> frozenset[str]:
        return frozenset(w.lower() for w in _NEGATION.findall(self.text))


def difference(left: Aligned, right: Aligned, similarity: float) -> int:
    """The weightiest of the :class:`Difference` constants that applies. Loosely similar clauses are only compared by measured
    quantities, numbers of the same noun, and what they do; other numbers and negations need nearly identical wording to mean
    anything."""
    one, other = Said(left), Said(right)
    if one.text == other.text:
        return Difference.NONE
    close = similarity >= NEARLY_IDENTICAL
    counted = None if close else one.counted & other.counted
    ours, theirs = one.values(counted), other.values(counted)
    if ours != theirs:
        kinds = {k for k, *_ in ours} & {k for k, *_ in theirs}
        return Difference.VALUE if kinds else Difference.MENTION
    if one.norm and other.norm and one.norm is not other.norm:
        return Difference.FORCE
    return Difference.FORCE if close and one.negations != other.negations else Difference.NONE


@dataclass(frozen=True, slots=True)
class Pair:
    """Clauses by position within their documents."""

    left: int
    right: int
    similarity: float


class Aligner:
    """Compares the clauses of several documents. Similarity mixes shared terms, numbers left out, and cosine."""

    def __init__(self, documents: Sequence[Sequence[Aligned]], embedder: Embedder) -> None:
        self._documents = documents
        flat = [c for document in documents for c in document]
        lexical, self._idf = _term_vectors(flat)
        vectors = embedder.embed([c.full_text for c in flat])
        ends = np.cumsum([len(d) for d in documents])
        starts = [end - len(d) for end, d in zip(ends, documents, strict=True)]
        self._parts = [(lexical[a:b], vectors[a:b]) for a, b in zip(starts, ends, strict=True)]
        self._best = [np.zeros(len(d), dtype=np.float32) for d in documents]
        self._mutual: dict[tuple[int, int], list[Pair]] = {}
        for left, right in combinations(range(len(documents)), 2):
            self._mutual[left, right] = self._paired(left, right)

    def pairs(self, left: int, right: int, at_least: float = SAME_SUBJECT) -> list[Pair]:
        """Clauses that are each other's best counterpart, in reading order of ``left``, which stands before ``right``. Of equally
        similar ones, those at the same place in their documents belong together."""
        return [pair for pair in self._mutual[left, right] if pair.similarity >= at_least]

    def best_counterparts(self, document: int) -> Matrix:
        """For each clause of a document, its highest similarity in [0, 1] to any clause of the others."""
        return self._best[document]

    def name(self, clauses: Sequence[Aligned], taken: Collection[str] = ()) -> str:
        """A short name for what clauses have in common: what the first one's heading is about or, where there is none or it is
        ``taken``, the most telling words they share, as the first one writes them."""
        heading = topic_of(clauses[0].heading)
        heading = heading if 0 < len(heading.split()) <= _MOST_HEADING_WORDS else ""
        if heading and heading not in taken:
            return heading
        shared = capitalised(self._shared(clauses)) or " ".join(clauses[0].text.split()[:3])
        return f"{heading}: {shared}" if heading else shared

    def _shared(self, clauses: Sequence[Aligned], most: int = 3) -> str:
        held = set.intersection(*(set(_weighted_terms(c)) for c in clauses))
        words = {
            word: self._idf.get(_CANONICAL.get(shared[0], shared[0]), 0.0)
            for word in dict.fromkeys(re.findall(r"[^\W\d_][\w’'-]{2,}", clauses[0].text))
            if (shared := [t for t in terms(word) if t not in _NEVER_NAMES and not is_generic(t)])
            and _CANONICAL.get(shared[0], shared[0]) in held
        }
        telling = set(sorted(words, key=lambda word: -words[word])[:most])
        return " ".join(word for word in words if word in telling)

    def _paired(self, left: int, right: int) -> list[Pair]:
        """The mutual best of two documents, a block of rows at a time."""
        rows, columns = len(self._documents[left]), len(self._documents[right])
        if not rows or not columns:
            return []
        ours = np.linspace(0, 1, rows, dtype=np.float32)
        theirs = np.linspace(0, 1, columns, dtype=np.float32)
        best, similar = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.float32)
        back, highest = np.zeros(columns, dtype=np.int64), np.full(columns, -1, dtype=np.float32)
        for start in range(0, rows, _BLOCK):
            stop = min(start + _BLOCK, rows)
            found = self._similarity(left, right, start, stop)
            self._best[left][start:stop] = np.maximum(self._best[left][start:stop], found.max(axis=1))
            self._best[right] = np.maximum(self._best[right], found.max(axis=0))
            placed = found + _POSITION_BONUS * (1 - np.abs(ours[start:stop, None] - theirs[None, :]))
            best[start:stop] = placed.argmax(axis=1)
            similar[start:stop] = found[np.arange(stop - start), best[start:stop]]
            higher = placed.max(axis=0) > highest
            back[higher] = start + placed.argmax(axis=0)[higher]
            highest = np.maximum(highest, placed.max(axis=0))
        return [Pair(i, int(j), float(similar[i])) for i, j in enumerate(best) if int(back[j]) == i]

    def _similarity(self, left: int, right: int, start: int, stop: int) -> Matrix:
        (terms_left, vectors_left), (terms_right, vectors_right) = self._parts[left], self._parts[right]
        cosine = np.clip(vectors_left[start:stop] @ vectors_right.T, 0.0, 1.0)
        lexical = terms_left[start:stop] @ terms_right.T
        return np.asarray(LEXICAL_SHARE * lexical + (1 - LEXICAL_SHARE) * cosine, dtype=np.float32)


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _term_vectors(clauses: Sequence[Aligned]) -> tuple[Matrix, dict[str, float]]:
    """Unit tf-idf vectors over the terms at least two clauses share; a term of one clause matches nothing, but counts in its
    length."""
    weighted = [_weighted_terms(c) for c in clauses]
    frequency = Counter(term for held in weighted for term in held)
    idf = {t: float(np.log(1 + len(clauses) / n)) for t, n in frequency.items()}
    columns = {term: i % _BUCKETS for i, term in enumerate(t for t, n in frequency.items() if n > 1)}
    vectors = np.zeros((len(clauses), max(min(len(columns), _BUCKETS), 1)), dtype=np.float32)
    for row, held in enumerate(weighted):
        length = sum((w * idf[t]) ** 2 for t, w in held.items()) ** 0.5 or 1.0
        for term, weight in held.items():
            if term in columns:
                vectors[row, columns[term]] += weight * idf[term] / length
    return vectors, idf


def _weighted_terms(clause: Aligned) -> dict[str, float]:
    introduction = clause.full_text.removesuffix(clause.text)
    held: dict[str, float] = {}
    for said, weight in ((clause.heading, _HEADING_WEIGHT), (introduction, _INTRODUCTION_WEIGHT), (clause.text, 1.0)):
        for term in terms(said):
            if number_value(term) is None and not term[0].isdigit():
                shared = _CANONICAL.get(term, term)
                held[shared] = max(held.get(shared, 0.0), weight)
    return held
