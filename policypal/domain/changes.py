"""What changed between two versions of a document, clause by clause (A3, D8)."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

HEADING = "### What changed"
"""Begins the last part of a comparison of two versions; the interface shows its own redline instead."""
MOST_CHANGES = 300
_SHOWN_CONTEXT = 140


class ChangeKind(StrEnum):
    """What happened to a clause. A moved clause says the same at another place; a renumbered one did not change."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"


class ChangePart(BaseModel):
    """A run of words that both versions have, or only the old one (removed) or the new one (added). ``marks`` say what
    makes it weighty: "number", "modal", "negation"."""

    model_config = ConfigDict(frozen=True)

    op: Literal["same", "removed", "added"]
    text: str
    marks: tuple[str, ...] = ()


class Change(BaseModel):
    """One changed clause. ``parts`` in reading order are its redline; labels are the clause's own number, as printed.
    ``old_citation``/``new_citation`` number the answer's citations. ``clauses`` counts those that moved together."""

    model_config = ConfigDict(frozen=True)

    kind: ChangeKind
    heading: str = ""
    old_label: str = ""
    new_label: str = ""
    old_page: int | None = None
    new_page: int | None = None
    moved: bool = False
    clauses: int = 1
    parts: tuple[ChangePart, ...]
    marks: tuple[str, ...] = ()
    old_citation: int | None = None
    new_citation: int | None = None


class ChangeList(BaseModel):
    """All changes between two versions in reading order of the new one; ``unchanged`` counts the sentences that are the
    same."""

    model_config = ConfigDict(frozen=True)

    old_title: str
    new_title: str
    changes: tuple[Change, ...]
    unchanged: int


_VERBS = {ChangeKind.CHANGED: "changed", ChangeKind.ADDED: "added", ChangeKind.REMOVED: "removed", ChangeKind.MOVED: "moved"}  # fmt: skip
_MARKS = {"number": "numbers or dates", "modal": "modal verbs", "negation": "negations"}


def summary(listed: ChangeList) -> str:
    """How many clauses changed and in what, in two sentences."""
    kinds = [c.kind for c in listed.changes]
    counts = [f"{kinds.count(kind)} {verb}" for kind, verb in _VERBS.items() if kind in kinds]
    marked = [
        f"{n} in {name}" for mark, name in _MARKS.items() if (n := sum(mark in c.marks for c in _changed(listed)))
    ]
    weight = f" Of the changed ones, {_listed(marked)}." if marked else ""
    more = f" The first {MOST_CHANGES} changes are listed." if len(kinds) == MOST_CHANGES else ""
    same = f"{listed.unchanged} sentences are the same, apart from numbering, case and punctuation."
    return (
        f"Sentences: {_listed(counts)}.{weight} {same}{more} Removed words are ~~struck through~~, new ones **bold**."
    )


def _changed(listed: ChangeList) -> Iterable[Change]:
    return (c for c in listed.changes if c.kind is ChangeKind.CHANGED)


def _listed(items: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""


def place_of(change: Change) -> str:
    """Where a clause stands, or where it stood and stands now: "4.3, page 4 → 5.3, page 6"."""
    old, new = _place(change.old_label, change.old_page), _place(change.new_label, change.new_page)
    return old or new if old == new or not old or not new else f"{old} → {new}"


def _place(label: str, page: int | None) -> str:
    number = label if any(c.isalnum() for c in label) else ""
    return ", ".join(filter(None, [number, f"page {page}" if page else ""]))


def shortened(text: str, *, first: bool, last: bool) -> str:
    """A stretch both versions share: its end where it comes first, its beginning where it comes last, else both."""
    if len(text) <= 2 * _SHOWN_CONTEXT or (first and last):
        return text
    head, tail = text[:_SHOWN_CONTEXT].rsplit(" ", 1)[0], text[-_SHOWN_CONTEXT:].split(" ", 1)[-1]
    return f"… {tail}" if first else f"{head} …" if last else f"{head} … {tail}"
