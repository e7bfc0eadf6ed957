"""A change list in words: its summary, and its Markdown for answers and exports (A3, U2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from policypal.domain.changes import Change, ChangeKind, ChangeList, ChangePart
from policypal.domain.citations import Citation, unmarked

HEADING = "### What changed"
"""Begins the last part of a comparison of two versions; the interface shows its own redline instead."""
MOST_CHANGES = 300
_SHOWN_CONTEXT = 140
_MARKUP = re.compile(r"([\\`*_~\[\]<>|#])")
_VERBS = {ChangeKind.CHANGED: "changed", ChangeKind.ADDED: "added", ChangeKind.REMOVED: "removed", ChangeKind.MOVED: "moved"}  # fmt: skip
_MARKS = {"number": "numbers or dates", "modal": "modal verbs", "negation": "negations"}


def markdown(listed: ChangeList, citations: Iterable[Citation], topic: str = "") -> str:
    """The change list as Markdown: removed words struck through, new ones bold (U2). ``citations`` are the answer's."""
    about = f" on “{topic}”" if topic else ""
    head = f"{HEADING} from {_plain(listed.old_title)} to {_plain(listed.new_title)}{about}"
    if not listed.changes:
        return f"{head}\n\nNo sentence differs{about}, apart from numbering, case and punctuation."
    markers = {c.id: c.marker for c in citations}
    lines = [_line(change, markers) for change in listed.changes]
    return f"{head}\n\n{summary(listed)}\n\n" + "\n".join(lines)


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


def _line(change: Change, markers: dict[int, str]) -> str:
    title = (
        f"{change.kind.value.capitalize()}{' and moved' if change.moved and change.kind is ChangeKind.CHANGED else ''}"
    )
    cited = [markers[i] for i in (change.old_citation, change.new_citation) if i in markers]
    more = f" (and {change.clauses - 1} more after it)" if change.clauses > 1 else ""
    return f"- **{title}** {_where(change)}: {redlined(change.parts)}{more} {' '.join(cited)}".rstrip()


def _where(change: Change) -> str:
    return f"({_plain(place_of(change))})"


def place_of(change: Change) -> str:
    """Where a clause stands, or where it stood and stands now: "4.3, page 4 → 5.3, page 6"."""
    old, new = _place(change.old_label, change.old_page), _place(change.new_label, change.new_page)
    return old or new if old == new or not old or not new else f"{old} → {new}"


def _place(label: str, page: int | None) -> str:
    number = label if any(c.isalnum() for c in label) else ""
    return ", ".join(filter(None, [number, f"page {page}" if page else ""]))


def redlined(parts: Sequence[ChangePart]) -> str:
    """Both versions of a clause in one line; long stretches they share are shortened."""
    shown = [_part(part, first=i == 0, last=i == len(parts) - 1) for i, part in enumerate(parts)]
    between = ["" if parts[i].op != "removed" or parts[i + 1].op == "same" else " " for i in range(len(parts) - 1)]
    return "".join(f"{part}{space}" for part, space in zip(shown, [*between, ""], strict=True)).replace("  ", " ")


def _part(part: ChangePart, *, first: bool, last: bool) -> str:
    if part.op == "same":
        return _plain(shortened(part.text, first=first, last=last))
    inner = part.text.strip()
    sign = "~~" if part.op == "removed" else "**"
    return part.text.replace(inner, f"{sign}{_plain(inner)}{sign}", 1) if inner else part.text


def shortened(text: str, *, first: bool, last: bool) -> str:
    """A stretch both versions share: its end where it comes first, its beginning where it comes last, else both."""
    if len(text) <= 2 * _SHOWN_CONTEXT or (first and last):
        return text
    head, tail = text[:_SHOWN_CONTEXT].rsplit(" ", 1)[0], text[-_SHOWN_CONTEXT:].split(" ", 1)[-1]
    return f"… {tail}" if first else f"{head} …" if last else f"{head} … {tail}"


def _plain(text: str) -> str:
    """Text of a document as text: none of it is Markdown."""
    return _MARKUP.sub(r"\\\1", unmarked(text))
