"""How much two clauses are about the same thing: shared concepts weighted by rarity, and cosine (A4)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policypal.audit.reading import Statement
from policypal.gate.vocabulary import GENERIC, concepts
from policypal.search.embeddings import Embedder, Vectors, cosine
from policypal.text.quantities import without_quantities

Matrix = NDArray[np.float32]

_GENERIC_WEIGHT = 0.15
_COSINE_SHARE = 0.3


class Weights:
    """How much each concept says: its rarity among the targets' clauses, less for generic words."""

    def __init__(self, clauses: Sequence[frozenset[str]]) -> None:
        self._clauses = len(clauses)
        self._frequency: Counter[str] = Counter()
        for clause in clauses:
            self._frequency.update(clause)

    def of(self, concept: str) -> float:
        rarity = 1 + math.log((self._clauses + 1) / (self._frequency[concept] + 1))
        return rarity * (_GENERIC_WEIGHT if concept in GENERIC else 1.0)

    def total(self, wanted: frozenset[str] | set[str]) -> float:
        return sum(self.of(c) for c in wanted)

    def share(self, part: frozenset[str] | set[str], whole: frozenset[str] | set[str]) -> float:
        """The weight of ``part ∩ whole`` relative to ``whole``, in [0, 1]; 0 for an empty whole."""
        total = self.total(whole)
        return self.total(part & whole) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Matches:
    """Rows are source statements, columns are rules; all in [0, 1]. ``relation`` is the overall strength,
    ``of_source``/``of_rule`` the weighted share of either side's concepts found in the other."""

    relation: Matrix
    of_source: Matrix
    of_rule: Matrix
    cosine: Matrix


def subject_concepts(statement: Statement) -> frozenset[str]:
    """The concepts of a clause, its list's introduction included, its quantities left out."""
    text = without_quantities(statement.text, statement.quantities)
    stem = statement.full[: len(statement.full) - len(statement.text)]
    return frozenset(concepts(f"{stem} {text}"))


_PRONOUN = re.compile(r"^\W*(?:it|they|this|these|he|she|both|the same)\b", re.I)


def concepts_in_context(statements: Sequence[Statement]) -> list[frozenset[str]]:
    """The concepts of each statement. One that begins with a pronoun ("It meets twice a year") speaks of the subject of the
    statement before it."""
    found = [subject_concepts(s) for s in statements]
    for i in range(1, len(statements)):
        before, now = statements[i - 1], statements[i]
        if _PRONOUN.match(now.text) and before.document == now.document:
            found[i] = found[i] | _subject(before, found[i - 1])
    return found


def _subject(statement: Statement, known: frozenset[str]) -> frozenset[str]:
    """What a statement is about: the concepts before its first verb, or what its own pronoun stands for."""
    words = statement.text.split()
    end = next((i for i, w in enumerate(words[:12]) if i and _FINITE_VERB.match(w)), min(4, len(words)))
    return frozenset(concepts(" ".join(words[:end]))) & known - GENERIC


_FINITE_VERB = re.compile(r"^(?:is|are|was|were|has|have|must|shall|should|may|can|will|do|does|cannot)$", re.I)


def match(
    source: Sequence[Statement],
    source_concepts: Sequence[frozenset[str]],
    rules: Sequence[Statement],
    rule_concepts: Sequence[frozenset[str]],
    weights: Weights,
    embedder: Embedder,
) -> Matches:
    """Compare every source statement with every rule at once."""
    vocabulary = {c: i for i, c in enumerate(sorted(set().union(*source_concepts, *rule_concepts)))}
    weight = np.array([weights.of(c) for c in vocabulary], dtype=np.float32)
    a, b = _incidence(source_concepts, vocabulary), _incidence(rule_concepts, vocabulary)
    shared = (a * weight) @ b.T
    of_source = shared / np.maximum(a @ weight, 1e-6)[:, None]
    of_rule = shared / np.maximum(b @ weight, 1e-6)[None, :]
    similarity = _centred_cosine(embedder.embed([s.full for s in source]), embedder.embed([r.full for r in rules]))
    lexical = 0.55 * np.maximum(of_source, of_rule) + 0.45 * np.minimum(of_source, of_rule)
    relation = (1 - _COSINE_SHARE) * lexical + _COSINE_SHARE * similarity
    return Matches(relation.astype(np.float32), of_source, of_rule, similarity)


def _centred_cosine(a: Vectors, b: Vectors) -> Matrix:
    """Cosine after removing what each side's clauses have in common (the subject and tone of the whole document),
    which tells nothing about two of them."""
    return np.clip(cosine(_centred(a), _centred(b)), 0, 1)


def _centred(vectors: Vectors) -> Vectors:
    """Unit vectors without their mean; the mean of few clauses is not trusted."""
    return _unit(vectors - vectors.mean(axis=0) * (len(vectors) / (len(vectors) + _TRUSTED_MEAN)))


_TRUSTED_MEAN = 20


def _unit(vectors: Vectors) -> Vectors:
    norms = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return np.asarray(vectors / norms, dtype=np.float32)


def _incidence(clauses: Sequence[frozenset[str]], vocabulary: dict[str, int]) -> Matrix:
    matrix = np.zeros((len(clauses), len(vocabulary)), dtype=np.float32)
    for row, clause in enumerate(clauses):
        matrix[row, [vocabulary[c] for c in clause]] = 1
    return matrix
