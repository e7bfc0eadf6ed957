"""Which clause of the new version was which clause of the old one, wherever it stands now and whatever its number (A3).

Identical clauses first, in order and then anywhere; of the rest those whose words are most alike. A clause that was cut in
two, or two that were joined, are one match. What stands off the longest common order has moved.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from policypal.search.terms import STOP_WORDS
from policypal.text.clauses import Clause, bare_heading

ALIKE = 0.5
"""Likeness in [0, 1] from which two clauses are versions of one another; where both stand between the same neighbours,
:data:`ALIKE_IN_PLACE` will do."""
ALIKE_IN_PLACE = 0.42
_ALIKE_IF_SHORT = 0.7
_FEW_WORDS = 5
_CANDIDATES = 5
_SAME_HEADING = 0.04
_IN_PLACE = 0.06
_BETTER_TOGETHER = 0.06
_BUCKETS = 4096


@dataclass(frozen=True, slots=True)
class Match:
    """Clauses by position: usually one and one, several where a clause was cut or joined. ``likeness`` is 1 where the
    words are the same."""

    old: tuple[int, ...]
    new: tuple[int, ...]
    likeness: float
    moved: bool = False


def match_clauses(old: Sequence[Clause], new: Sequence[Clause]) -> list[Match]:
    """The clauses that correspond, in reading order of ``new``; those in no match were removed or added."""
    pairs = _identical(old, new)
    pairs |= _alike(old, new, pairs)
    joined = _joined(old, new, pairs)
    return _ordered(joined, new)


def _identical(old: Sequence[Clause], new: Sequence[Clause]) -> dict[int, int]:
    """New position → old position of clauses with the same words."""
    left, right = [c.words for c in old], [c.words for c in new]
    found: dict[int, int] = {}
    for block in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
        found.update({block.b + i: block.a + i for i in range(block.size)})
    free: dict[tuple[str, ...], list[int]] = defaultdict(list)
    taken = set(found.values())
    for position, words in enumerate(left):
        if position not in taken:
            free[words].append(position)
    for position, words in enumerate(right):
        if position not in found and len(words) >= _FEW_WORDS and free.get(words):
            found[position] = free[words].pop(0)
    return found


def _alike(old: Sequence[Clause], new: Sequence[Clause], known: dict[int, int]) -> dict[int, int]:
    lefts = sorted(set(range(len(old))) - set(known.values()))
    rights = [i for i in range(len(new)) if i not in known]
    if not lefts or not rights:
        return {}
    cosine = _cosine([old[i] for i in lefts], [new[i] for i in rights])
    gaps = _Gaps(known)
    in_gap: dict[int, list[int]] = defaultdict(list)
    for row, left in enumerate(lefts):
        in_gap[gaps.of_old(left)].append(row)
    scored: list[tuple[float, int, int]] = []
    for column, right in enumerate(rights):
        near = set(in_gap[gaps.of_new(right)])
        best = set(np.argsort(-cosine[:, column])[:_CANDIDATES].tolist())
        for row in best | (near if len(near) <= _CANDIDATES else set()):
            left = lefts[row]
            alike = _likeness(old[left], new[right], float(cosine[row, column]))
            if alike >= _needed(old[left], new[right], gaps.same(left, right)):
                bonus = _IN_PLACE * gaps.same(left, right)
                bonus += _SAME_HEADING * (bare_heading(old[left].heading) == bare_heading(new[right].heading))
                scored.append((alike + bonus, left, right))
    return _best_first(scored)


def _best_first(scored: Iterable[tuple[float, int, int]]) -> dict[int, int]:
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, left, right in sorted(scored, key=lambda s: (-s[0], s[2], s[1])):
        if right not in found and left not in taken:
            found[right] = left
            taken.add(left)
    return found


def _needed(old: Clause, new: Clause, in_place: bool) -> float:
    if in_place:
        return ALIKE_IN_PLACE
    return _ALIKE_IF_SHORT if min(len(old.words), len(new.words)) < _FEW_WORDS else ALIKE


def _likeness(old: Clause, new: Clause, cosine: float) -> float:
    """Half what words they share, weighted by rarity, half in what order."""
    return 0.5 * cosine + 0.5 * float(Indel.normalized_similarity(old.words, new.words))


def _cosine(left: Sequence[Clause], right: Sequence[Clause]) -> NDArray[np.float32]:
    """Cosines of tf-idf vectors over hashed words, shape (left, right)."""
    counted = [Counter(w for w in c.words if w not in STOP_WORDS or w == "not") for c in (*left, *right)]
    frequency = Counter(w for held in counted for w in held)
    vectors = np.zeros((len(counted), _BUCKETS), dtype=np.float32)
    places = {word: index % _BUCKETS for index, word in enumerate(frequency)}
    for row, held in enumerate(counted):
        for word, times in held.items():
            vectors[row, places[word]] += times * np.log(1 + len(counted) / frequency[word])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return np.asarray(vectors[: len(left)] @ vectors[len(left) :].T, dtype=np.float32)


class _Gaps:
    """Whether two unmatched clauses stand between the same matched neighbours."""

    def __init__(self, known: dict[int, int]) -> None:
        in_order = _increasing([(new, old) for new, old in sorted(known.items())])
        self._old = [old for _, old in in_order]
        self._new = [new for new, _ in in_order]

    def of_old(self, position: int) -> int:
        """The number of matched clauses before an unmatched one of the old version."""
        return bisect_left(self._old, position)

    def of_new(self, position: int) -> int:
        return bisect_left(self._new, position)

    def same(self, old: int, new: int) -> bool:
        return self.of_old(old) == self.of_new(new)


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, sorted by their first numbers, in which the second numbers rise, too."""
    tails: list[int] = []
    places: list[int] = []
    before: list[int] = [-1] * len(pairs)
    for index, (_, value) in enumerate(pairs):
        at = bisect_left(tails, value)
        before[index] = places[at - 1] if at else -1
        tails[at : at + 1] = [value]
        places[at : at + 1] = [index]
    found: list[tuple[int, int]] = []
    index = places[-1] if places else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


def _joined(old: Sequence[Clause], new: Sequence[Clause], pairs: dict[int, int]) -> list[Match]:
    """The pairs as matches, with the unmatched neighbours that belong to them because a clause was cut or two were joined."""
    matches = {
        right: Match((left,), (right,), _same_order(old, new, (left,), (right,))) for right, left in pairs.items()
    }
    of_old = {left: right for right, left in pairs.items()}
    for right in (i for i in range(len(new)) if i not in pairs):
        for at in (right - 1, right + 1):
            if wider := _wider(matches.get(at), old, new, new_too=(right,)):
                matches[at] = wider
                break
    for left in (i for i in range(len(old)) if i not in of_old):
        for at in (left - 1, left + 1):
            if wider := _wider(matches.get(of_old.get(at, -1)), old, new, old_too=(left,)):
                matches[of_old[at]] = wider
                break
    return list(matches.values())


def _wider(
    match: Match | None,
    old: Sequence[Clause],
    new: Sequence[Clause],
    *,
    old_too: tuple[int, ...] = (),
    new_too: tuple[int, ...] = (),
) -> Match | None:
    """The match with a clause more on one side, if both sides are clearly more alike with it."""
    if match is None or match.likeness == 1.0:
        return None
    lefts, rights = tuple(sorted((*match.old, *old_too))), tuple(sorted((*match.new, *new_too)))
    alike = _same_order(old, new, lefts, rights)
    return Match(lefts, rights, alike) if alike >= match.likeness + _BETTER_TOGETHER else None


def _same_order(old: Sequence[Clause], new: Sequence[Clause], lefts: Iterable[int], rights: Iterable[int]) -> float:
    left = [w for i in lefts for w in old[i].words]
    right = [w for i in rights for w in new[i].words]
    return float(Indel.normalized_similarity(left, right))


def _ordered(matches: Iterable[Match], new: Sequence[Clause]) -> list[Match]:
    """In reading order of the new version, with those marked that stand off the longest common order."""
    ordered = sorted(matches, key=lambda m: m.new)
    in_place = set(_increasing([(m.new[0], m.old[0]) for m in ordered]))
    return [m if (m.new[0], m.old[0]) in in_place or not _can_move(m, new) else replace(m, moved=True) for m in ordered]


def _can_move(match: Match, new: Sequence[Clause]) -> bool:
    """A short line such as "Yes." stands anywhere; that it stands elsewhere means nothing."""
    return sum(len(new[i].words) for i in match.new) >= _FEW_WORDS
