"""What changed between two versions of a document, clause by clause (A3, D8)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict


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
