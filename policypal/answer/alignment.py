"""Which statements of different documents speak of the same thing, and whether they say the same (A3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from policypal.answer.questions import is_generic
from policypal.answer.statements import LABEL, Statement
from policypal.search.embeddings import Embedder, Vectors
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import STOP_WORDS, terms
from policypal.text.obligations import Modality, modality_of
from policypal.text.quantities import Quantity, QuantityKind, find_quantities, number_value

LEXICAL_SHARE = 0.6
"""Weight of shared terms against the embedding's cosine: wording decides what rules of regulators have in common."""
SAME_SUBJECT = 0.45
NO_COUNTERPART = 0.4
NEARLY_IDENTICAL = 0.8

_POSITION_BONUS = 0.03
_HEADING_WEIGHT = 0.4
_INTRO_WEIGHT = 0.6
_PHRASE_WORDS = 3
_CONNECTING_WORDS = """
    once twice every longer hold keep times
    within without not made over under any all each other may pursuant further whether later least accordance
    referred paragraph article point case lead act shall must should no where only also well both more less than
    upon having being between through during after before until since following relevant appropriate necessary
    account taken
"""
_NEVER_NAMES = STOP_WORDS | frozenset(_CONNECTING_WORDS.split())
_TIME_UNITS = frozenset({"minut", "hour", "day", "week", "month", "year"})
_INSIDE_NAMES = frozenset({"of", "and", "for", "to", "the"})
_HEADING_WORDS = range(1, 13)
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|without|except|unless|cannot|prohibited|forbidden)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")

_CANONICAL = {term: min(term, *others) for term, others in SYNONYMS.items()}
"""One stem for all that mean the same, so that "notify" and "report" count as shared."""

Matrix = NDArray[np.float32]


class Difference(int):
    """How two statements on one subject differ, the weightiest first."""

    VALUE, MENTION, FORCE, NONE = range(4)


class Reading:
    """What a statement itself says apart from its subject: quantities, modality, negation. The line that introduces a
    list is a statement of its own, so that its differences are not repeated with every item."""

    def __init__(self, statement: Statement) -> None:
        self.text = statement.text

    @cached_property
    def quantities(self) -> list[Quantity]:
        return [q for q in find_quantities(self.text) if q.kind is not QuantityKind.NUMBER or q.value > 1]

    @property
    def counted(self) -> frozenset[str]:
        """The nouns of plain numbers: "kilometres"."""
        return frozenset(q.unit for q in self.quantities if q.kind is QuantityKind.NUMBER and q.unit)

    def values(self, counted: Collection[str] | None) -> set[tuple[QuantityKind, float, str]]:
        """The measured quantities, and the plain numbers of the ``counted`` nouns, or of all where that is None."""
        return {
            (q.kind, round(q.value, 4), q.unit if q.kind in (QuantityKind.MONEY, QuantityKind.NUMBER) else "")
            for q in self.quantities
            if q.kind is not QuantityKind.NUMBER or counted is None or q.unit in counted
        }

    @cached_property
    def modality(self) -> Modality | None:
        return modality_of(self.text)

    @cached_property
    def negations(self) -> frozenset[str]:
        return frozenset(w.lower() for w in _NEGATION.findall(self.text))


def difference(left: Reading, right: Reading, similarity: float) -> int:
    """The weightiest of the :class:`Difference` constants that applies. Loosely similar statements are only compared by
    measured quantities, numbers of the same noun, and modality; other numbers and negations need nearly identical wording
    to mean anything."""
    if left.text == right.text:
        return Difference.NONE
    close = similarity >= NEARLY_IDENTICAL
    counted = None if close else left.counted & right.counted
    ours, theirs = left.values(counted), right.values(counted)
    if ours != theirs:
        kinds = {k for k, *_ in ours} & {k for k, *_ in theirs}
        return Difference.VALUE if kinds else Difference.MENTION
    both_bind = left.modality is not None and right.modality is not None
    if both_bind and left.modality is not right.modality:
        return Difference.FORCE
    return Difference.FORCE if close and left.negations != right.negations else Difference.NONE


@dataclass(frozen=True, slots=True)
class Pair:
    """Statements by position within their documents."""

    left: int
    right: int
    similarity: float


class Aligner:
    """Compares the statements of several documents. Similarity mixes shared terms, numbers left out, and cosine."""

    def __init__(self, documents: Sequence[Sequence[Statement]], embedder: Embedder) -> None:
        self._documents = documents
        flat = [s for document in documents for s in document]
        vectors = embedder.embed([s.full_text for s in flat])
        lexical, self._idf = _term_vectors(flat)
        self._lexical = _split(lexical, documents)
        self._vectors = _split(vectors, documents)
        self._similar: dict[tuple[int, int], Matrix] = {}

    def similarity(self, left: int, right: int) -> Matrix:
        """Similarities in [0, 1] between all statements of two documents, shape (left, right)."""
        if (right, left) in self._similar:
            return np.asarray(self._similar[right, left].T, dtype=np.float32)
        if (left, right) not in self._similar:
            self._similar[left, right] = self._computed(left, right)
        return self._similar[left, right]

    def _computed(self, left: int, right: int) -> Matrix:
        lexical = self._lexical[left] @ self._lexical[right].T
        cosine = np.clip(self._vectors[left] @ self._vectors[right].T, 0.0, 1.0)
        return np.asarray(LEXICAL_SHARE * lexical + (1 - LEXICAL_SHARE) * cosine, dtype=np.float32)

    def pairs(self, left: int, right: int, at_least: float = SAME_SUBJECT) -> list[Pair]:
        """Statements that are each other's best counterpart, in reading order of ``left``. Of equally similar ones,
        those at the same place in their documents belong together."""
        similar = self.similarity(left, right)
        if not similar.size:
            return []
        placed = similar + _POSITION_BONUS * _closeness(*similar.shape)
        best, back = placed.argmax(axis=1), placed.argmax(axis=0)
        return [
            Pair(i, int(j), float(similar[i, j]))
            for i, j in enumerate(best)
            if int(back[j]) == i and similar[i, j] >= at_least
        ]

    def best_counterparts(self, document: int) -> Matrix:
        """For each statement of a document, its highest similarity to any statement of the others."""
        others = [self.similarity(document, o) for o in range(len(self._documents)) if o != document]
        size = len(self._documents[document])
        best = np.max([o.max(axis=1) if o.size else np.zeros(size) for o in others], axis=0)
        return np.asarray(best, dtype=np.float32)

    def name(self, statements: Sequence[Statement], taken: Collection[str] = ()) -> str:
        """A short name for what the statements have in common: the section's heading or, where there is none or it is
        ``taken``, the most telling words they share, as the first one writes them."""
        phrase = capitalised(self._common_phrase(statements))
        heading = _telling_heading(statements[0])
        if not heading or not phrase:
            return heading or phrase or " ".join(statements[0].text.split()[:_PHRASE_WORDS])
        return heading if heading not in taken else f"{heading}: {phrase}"

    def _common_phrase(self, statements: Sequence[Statement]) -> str:
        first, *rest = statements
        shared = [_phrases(s) for s in rest]
        best, best_weight = "", 0.0
        for phrase, words in _phrases(first).items():
            if all(phrase in other for other in shared) and (weight := self._telling(phrase)) > best_weight:
                best, best_weight = words, weight
        return best

    def _telling(self, phrase: tuple[str, ...]) -> float:
        """Rare words tell more; word sequences that recur are names rather than accidents."""
        recurring = min((self._sequences[pair] for pair in pairwise(phrase)), default=1)
        return sum(self._idf.get(stem, 0.0) for stem in phrase) * float(np.log1p(recurring))

    @cached_property
    def _sequences(self) -> Counter[tuple[str, str]]:
        return Counter(pair for d in self._documents for s in d for pair in pairwise(s.terms))


def _telling_heading(statement: Statement) -> str:
    words = LABEL.sub("", statement.heading).split()
    if len(words) not in _HEADING_WORDS or not any(_content_stem(w.strip(",.:;()")) for w in words):
        return ""
    return capitalised(" ".join(words).rstrip(".:"))


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _term_vectors(statements: Sequence[Statement]) -> tuple[Matrix, dict[str, float]]:
    """Unit tf-idf vectors over the terms at least two statements share; a term of one statement matches nothing, but
    counts in its length."""
    weighted = [_weighted_terms(s) for s in statements]
    frequency = Counter(term for held in weighted for term in held)
    idf = {t: float(np.log(1 + len(statements) / n)) for t, n in frequency.items()}
    columns = {term: i for i, term in enumerate(t for t, n in frequency.items() if n > 1)}
    vectors = np.zeros((len(statements), max(len(columns), 1)), dtype=np.float32)
    for row, held in enumerate(weighted):
        length = sum((w * idf[t]) ** 2 for t, w in held.items()) ** 0.5 or 1.0
        for term, weight in held.items():
            if term in columns:
                vectors[row, columns[term]] = weight * idf[term] / length
    return vectors, idf


def _weighted_terms(statement: Statement) -> dict[str, float]:
    held: dict[str, float] = {}
    heading = terms(statement.heading) if statement.heading else []
    for found, weight in ((heading, _HEADING_WEIGHT), (statement.intro_terms, _INTRO_WEIGHT), (statement.terms, 1.0)):
        for term in found:
            if number_value(term) is None and not term[0].isdigit():
                shared = _CANONICAL.get(term, term)
                held[shared] = max(held.get(shared, 0.0), weight)
    return held


def _split(rows: Vectors | Matrix, documents: Sequence[Sequence[Statement]]) -> list[Matrix]:
    ends = np.cumsum([len(d) for d in documents])
    return [rows[end - len(d) : end] for end, d in zip(ends, documents, strict=True)]


def _closeness(rows: int, columns: int) -> Matrix:
    """1 where two statements stand at the same relative place, 0 at opposite ends."""
    ours = np.linspace(0, 1, rows, dtype=np.float32)[:, None]
    theirs = np.linspace(0, 1, columns, dtype=np.float32)[None, :]
    return np.asarray(1 - np.abs(ours - theirs), dtype=np.float32)


def _phrases(statement: Statement) -> dict[tuple[str, ...], str]:
    """Runs of one to four content words, by their stems, with the words as written."""
    text = statement.text
    words = [(m.start(), m.end(), m.group()) for m in _WORD.finditer(text)]
    found: dict[tuple[str, ...], str] = {}
    for start in range(len(words)):
        for stems, span in _runs(words, start, text):
            found.setdefault(stems, text[slice(*span)])
    return found


def _runs(
    words: Sequence[tuple[int, int, str]], start: int, text: str
) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    stems: list[str] = []
    for begin, end, word in words[start:]:
        if stems and re.search(r"[.,;:()\[\]“”]", text[words[start][0] : begin]):
            return
        stem = _content_stem(word)
        if not stem:
            if not stems or word.lower() not in _INSIDE_NAMES:
                return
            continue
        stems.append(stem)
        yield tuple(stems), (words[start][0], end)
        if len(stems) == _PHRASE_WORDS:
            return


def _content_stem(word: str) -> str:
    if word.lower() in _NEVER_NAMES or word[:1].isdigit() or number_value(word) is not None or len(word) < 3:
        return ""
    stem = "".join(terms(word)[:1])
    return "" if is_generic(stem) or stem in _TIME_UNITS else stem
