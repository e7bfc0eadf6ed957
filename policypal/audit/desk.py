"""Everything one audit looks at, prepared once (A4)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from policypal.audit.matching import Matches, Matrix, Weights, concepts_in_context, match
from policypal.audit.pairs import Pair
from policypal.audit.reading import Statement
from policypal.search.embeddings import Embedder

Columns = NDArray[np.int_]


@dataclass(slots=True)
class Desk:
    """Everything one audit looks at, prepared once."""

    source: list[Statement]
    rules: list[Statement]
    source_concepts: list[frozenset[str]]
    rule_concepts: list[frozenset[str]]
    weights: Weights
    matches: Matches
    titles: dict[str, str]
    everywhere: frozenset[str]
    """The concepts of the whole source."""
    columns: dict[str, Columns] = field(default_factory=dict)
    """The rules of each target."""
    best_rule: dict[str, Matrix] = field(default_factory=dict)
    """For each target, the strongest relation of each claim."""
    best_claim: Matrix = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    """The strongest relation of each rule."""

    def __post_init__(self) -> None:
        documents = [r.document for r in self.rules]
        self.columns = {d: np.array([c for c, of in enumerate(documents) if of == d]) for d in dict.fromkeys(documents)}
        relation = self.matches.relation
        self.best_rule = {d: relation[:, columns].max(axis=1) for d, columns in self.columns.items()}
        self.best_claim = relation.max(axis=0)

    def pair(self, row: int, column: int) -> Pair:
        return Pair(
            self.source[row],
            self.rules[column],
            self.source_concepts[row],
            self.rule_concepts[column],
            float(self.matches.relation[row, column]),
            float(self.matches.of_source[row, column]),
            float(self.matches.of_rule[row, column]),
            self.weights,
            self._mutual(row, column),
        )

    def _mutual(self, row: int, column: int) -> bool:
        best = self.matches.relation[row, column]
        return bool(best >= self.best_rule[self.rules[column].document][row] and best >= self.best_claim[column])

    def title(self, rule: Statement) -> str:
        return self.titles.get(rule.document, "the target")


def prepare(
    statements: list[Statement],
    clauses: list[Statement],
    rules: list[Statement],
    titles: dict[str, str],
    embedder: Embedder,
) -> Desk:
    """Read, weigh and compare everything once."""
    source_concepts = concepts_in_context(statements)
    clause_concepts = concepts_in_context(clauses)
    of_clause = {id(c): found for c, found in zip(clauses, clause_concepts, strict=True)}
    rule_concepts = [of_clause[id(r)] for r in rules]
    weights = Weights(clause_concepts)
    matches = match(statements, source_concepts, rules, rule_concepts, weights, embedder)
    everywhere = frozenset().union(*source_concepts)
    return Desk(statements, rules, source_concepts, rule_concepts, weights, matches, titles, everywhere)
