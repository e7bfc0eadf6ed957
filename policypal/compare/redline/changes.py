"""The list of changes between two versions of a document (A3, D8)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from policypal.compare.redline.matching import Match, match_clauses
from policypal.compare.redline.wording import changed_marks, redline, whole
from policypal.domain.changes import Change, ChangeKind
from policypal.text.clauses import Clause, Place

VERSIONS_SHARE = 0.4
"""Share of the shorter document's sentences found, nearly word for word, in the other one, from which both are versions
of one document although nothing else says so."""
LINKED_VERSIONS_SHARE = 0.1
"""The same for documents whose titles, or the library, say that they are versions; with less in common, a list of changes
would hold nothing but removed and added text."""
_NEARLY_THE_SAME = 0.6
_TELLING = 6


@dataclass(frozen=True, slots=True)
class FoundChange:
    """A change, and where its words stand in the old and in the new version."""

    change: Change
    old: tuple[Place, ...] = ()
    new: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two versions clause by clause. ``unchanged`` sentences are the same; ``shared`` is the share, in [0, 1], of the shorter
    version's sentences that the other has nearly word for word."""

    changes: tuple[FoundChange, ...]
    unchanged: int
    shared: float


def align(old: Sequence[Clause], new: Sequence[Clause]) -> Alignment:
    """What changed from the old version to the new one, in reading order of the new one; removed clauses stand where they
    stood between their neighbours."""
    matches = match_clauses(old, new)
    close = sum(len(m.new) for m in matches if m.likeness >= _NEARLY_THE_SAME)
    unchanged = [m for m in matches if m.likeness == 1.0 and not m.moved]
    changes = [*_changed(matches, old, new), *_moved(matches, old, new), *_added(matches, new), *_removed(matches, old)]
    return Alignment(
        tuple(found for _, found in sorted(changes, key=lambda c: c[0])),
        sum(len(m.new) for m in unchanged),
        close / max(min(len(old), len(new)), 1),
    )


def shared_sentences(old: Sequence[Clause], new: Sequence[Clause]) -> float:
    """The share, in [0, 1], of the shorter document's sentences that the other has word for word: a cheap first look."""
    left, right = ({c.words for c in clauses if len(c.words) >= _TELLING} for clauses in (old, new))
    return len(left & right) / max(min(len(left), len(right)), 1)


_Position = tuple[float, int]
"""Where a change is listed: a place in the new version, and a tie-break."""
_Placed = tuple[_Position, FoundChange]


def _changed(matches: Iterable[Match], old: Sequence[Clause], new: Sequence[Clause]) -> Iterator[_Placed]:
    for match in matches:
        before, after = _together(old, match.old), _together(new, match.new)
        if match.likeness == 1.0 or before.text == after.text:
            continue
        parts = redline(before.text, after.text)
        change = Change(
            kind=ChangeKind.CHANGED, heading=after.heading, old_label=before.label, new_label=after.label,
            old_page=before.page, new_page=after.page, moved=match.moved, parts=parts, marks=changed_marks(before.text, after.text),
        )  # fmt: skip
        yield (match.new[0], 1), FoundChange(change, before.places, after.places)


def _moved(matches: Sequence[Match], old: Sequence[Clause], new: Sequence[Clause]) -> Iterator[_Placed]:
    """Clauses that moved together are one change."""
    run: list[Match] = []
    for match in [m for m in matches if m.moved and m.likeness == 1.0]:
        if run and (match.old[0], match.new[0]) != (run[-1].old[-1] + 1, run[-1].new[-1] + 1):
            yield _moved_run(run, old, new)
            run = []
        run.append(match)
    if run:
        yield _moved_run(run, old, new)


def _moved_run(run: Sequence[Match], old: Sequence[Clause], new: Sequence[Clause]) -> _Placed:
    before, after = old[run[0].old[0]], new[run[0].new[0]]
    change = Change(
        kind=ChangeKind.MOVED, heading=after.heading, old_label=before.label, new_label=after.label, old_page=before.page,
        new_page=after.page, moved=True, clauses=len(run), parts=whole(after.text, "same"),
    )  # fmt: skip
    return (run[0].new[0], 2), FoundChange(change, before.places, after.places)


def _added(matches: Iterable[Match], new: Sequence[Clause]) -> Iterator[_Placed]:
    known = {i for m in matches for i in m.new}
    for position, clause in enumerate(new):
        if position not in known:
            parts = whole(clause.text, "added")
            change = Change(
                kind=ChangeKind.ADDED, heading=clause.heading, new_label=clause.label, new_page=clause.page,
                parts=parts, marks=parts[0].marks,
            )  # fmt: skip
            yield (position, 1), FoundChange(change, (), clause.places)


def _removed(matches: Iterable[Match], old: Sequence[Clause]) -> Iterator[_Placed]:
    place = {i: m.new[0] for m in matches if not m.moved for i in m.old}
    known = {i for m in matches for i in m.old}
    after = -1.0
    for position, clause in enumerate(old):
        after = place.get(position, after)
        if position not in known:
            parts = whole(clause.text, "removed")
            change = Change(
                kind=ChangeKind.REMOVED, heading=clause.heading, old_label=clause.label, old_page=clause.page,
                parts=parts, marks=parts[0].marks,
            )  # fmt: skip
            yield (after + 0.5, position), FoundChange(change, clause.places, ())


def _together(clauses: Sequence[Clause], positions: Iterable[int]) -> Clause:
    return reduce(Clause.followed_by, [clauses[i] for i in positions])
