"""Statements of different sources on one subject that do not say the same (A3, W3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from policypal.answer.alignment import Aligner, Difference, Said, capitalised, difference
from policypal.answer.statements import Statement
from policypal.search.embeddings import Embedder

SURELY_SAME_SUBJECT = 0.5
_NEAR = 0.5
_TELLING = (Difference.VALUE, Difference.FORCE)
_DIVISION = re.compile(
    r"^(?:part|chapter|section|article|title|annex)\s+[\dIVXLC]+[\w.()]*\s*[:.–—-]?\s+(?=\w)", re.IGNORECASE
)
_MOST_SOURCES = 12
_MOST_STATEMENTS = 300
"""Per source; what was ranked first comes first."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """Two statements and what they have in common, as the field names it. ``weight`` is one of :class:`Difference`."""

    subject: str
    left: Statement
    right: Statement
    weight: int
    similarity: float


def divergences(
    statements: Sequence[Statement], embedder: Embedder, at_most: int, nearness: Mapping[int, float]
) -> list[Divergence]:
    """The surest differences in figures, then in force, each statement once; sources are told apart by their labels.
    ``nearness`` in [0, 1]: how near statements are to what is looked for, by their identity; the near ones come first."""
    sources: dict[str, list[Statement]] = {}
    for statement in statements:
        sources.setdefault(statement.evidence.document, []).append(statement)
    documents = [of_source[:_MOST_STATEMENTS] for of_source in sources.values()][:_MOST_SOURCES]
    if len(documents) < 2:
        return []
    aligner = Aligner(documents, embedder)

    def order(found: Divergence) -> tuple[bool, int, float]:
        near = max(nearness.get(id(s), 0.0) for s in (found.left, found.right))
        return near < _NEAR, found.weight, -(found.similarity + near)

    return list(_named(sorted(_found(documents, aligner), key=order), aligner))[:at_most]


def _found(documents: Sequence[Sequence[Statement]], aligner: Aligner) -> Iterator[Divergence]:
    for one, other in combinations(range(len(documents)), 2):
        for pair in aligner.pairs(one, other, SURELY_SAME_SUBJECT):
            left, right = documents[one][pair.left], documents[other][pair.right]
            weight = difference(left, right, pair.similarity)
            if weight in _TELLING and not _repeats(Said(left), Said(right)):
                yield Divergence("", left, right, weight, pair.similarity)


def _repeats(one: Said, other: Said) -> bool:
    """Whether all figures of the one stand in the other, which only adds to them."""
    ours, theirs = one.values(None), other.values(None)
    return ours != theirs and bool(ours and theirs) and (ours <= theirs or theirs <= ours)


def _named(found: Sequence[Divergence], aligner: Aligner) -> Iterator[Divergence]:
    used: set[int] = set()
    names: set[str] = set()
    for one in found:
        if not used & {id(one.left), id(one.right)}:
            used |= {id(one.left), id(one.right)}
            name = capitalised(_DIVISION.sub("", aligner.name([one.left, one.right], names)))
            names.add(name)
            yield Divergence(name, one.left, one.right, one.weight, one.similarity)
