"""What of a source that is too large for one request is put beside which obligations: both ways round, so that no claim is lost (A0, A4)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from policypal.audit.lines import Batch, Line
from policypal.audit.pairs import Matrix, Pairs
from policypal.search.embeddings import Embedder

_NEAREST = 12
"""Sentences per obligation, before their neighbours."""


def narrowed(batches: Sequence[Batch], source: Sequence[Line], embedder: Embedder, characters: int) -> list[list[Line]]:
    """For each batch the source's sentences, in reading order and of so many characters at most: first those nearest to each of its
    obligations with what stands round them, then those that are nearest to one of its rules, the surest first."""
    rules = [line for batch in batches for line in batch.lines]
    owner = [n for n, batch in enumerate(batches) for _ in batch.lines]
    relation = Pairs([line.unit for line in rules], [line.unit for line in source], embedder).relation
    home = relation.argmax(axis=0)
    return [
        _within(_wanted(relation, home, rules, owner, n), source, characters) for n in range(len(batches))
    ]  # fmt: skip


def _wanted(
    relation: Matrix, home: NDArray[np.int64], rules: Sequence[Line], owner: Sequence[int], batch: int
) -> list[int]:
    """Places in the source, the most wanted first."""
    rows = [row for row, of in enumerate(owner) if of == batch]
    asked = [row for row in rows if rules[row].asked] or rows
    ranked = np.argsort(-relation[asked], axis=1, kind="stable")[:, :_NEAREST]
    nearest = [int(place) for place in ranked.T.ravel()]
    own = [place for place in range(relation.shape[1]) if owner[int(home[place])] == batch]
    own.sort(key=lambda place: -float(relation[home[place], place]))
    return list(dict.fromkeys(near for place in nearest for near in (place, place - 1, place + 1))) + own


def _within(wanted: Sequence[int], source: Sequence[Line], characters: int) -> list[Line]:
    kept = set[int]()
    for place in wanted:
        if not 0 <= place < len(source) or place in kept:
            continue
        characters -= len(source[place].unit.text) + len(source[place].id) + 4
        if characters < 0:
            break
        kept.add(place)
    return [source[place] for place in sorted(kept)]
