"""A change list in words: its summary, and its Markdown for answers and exports (A3, U2)."""

import re
from collections.abc import Iterable, Sequence

from policypal.domain.changes import HEADING, Change, ChangeKind, ChangeList, ChangePart, place_of, shortened, summary
from policypal.domain.citations import Citation, unmarked

_MARKUP = re.compile(r"([\\`*_~\[\]<>|#])")


def markdown(listed: ChangeList, citations: Iterable[Citation], topic: str = "") -> str:
    """The change list as Markdown: removed words struck through, new ones bold (U2). ``citations`` are the answer's."""
    about = f" on “{topic}”" if topic else ""
    head = f"{HEADING} from {_plain(listed.old_title)} to {_plain(listed.new_title)}{about}"
    if not listed.changes:
        return f"{head}\n\nNo sentence differs{about}, apart from numbering, case and punctuation."
    markers = {c.id: c.marker for c in citations}
    lines = [_line(change, markers) for change in listed.changes]
    return f"{head}\n\n{summary(listed)}\n\n" + "\n".join(lines)


def _line(change: Change, markers: dict[int, str]) -> str:
    title = (
        f"{change.kind.value.capitalize()}{' and moved' if change.moved and change.kind is ChangeKind.CHANGED else ''}"
    )
    cited = [markers[i] for i in (change.old_citation, change.new_citation) if i in markers]
    more = f" (and {change.clauses - 1} more after it)" if change.clauses > 1 else ""
    return f"- **{title}** {_where(change)}: {redlined(change.parts)}{more} {' '.join(cited)}".rstrip()


def _where(change: Change) -> str:
    return f"({_plain(place_of(change))})"


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


def _plain(text: str) -> str:
    """Text of a document as text: none of it is Markdown."""
    return _MARKUP.sub(r"\\\1", unmarked(text))
