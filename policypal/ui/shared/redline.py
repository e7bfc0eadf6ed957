"""The redline of two versions: what was removed, added and moved, clause by clause (A3, D8)."""

from collections.abc import Collection, Sequence

from policypal.domain.changes import HEADING, Change, ChangeKind, ChangeList, ChangePart, place_of, shortened, summary
from policypal.domain.citations import Citation
from policypal.ui.chat.badges import badge
from policypal.ui.chat.citations import chip
from policypal.ui.markup import text

_CLASSES = {
    ChangeKind.CHANGED: "pp-blue", ChangeKind.ADDED: "pp-green", ChangeKind.REMOVED: "pp-red", ChangeKind.MOVED: "pp-gold",
}  # fmt: skip
_MARKS = {"number": "number or date", "modal": "modal verb", "negation": "negation"}


def without_list(markdown: str) -> str:
    """A comparison without its change list, which :func:`markup` draws: with what was left out and what was read, which stand below it."""
    before, _, listed = markdown.partition(f"\n\n{HEADING}")
    below = listed.split("\n\n")[2:]  # after the heading and the counts
    return "\n\n".join([before, *(below[1:] if below and below[0].startswith("- **") else below)])


def weightiest(listed: ChangeList, most: int) -> list[Change]:
    """The changes to read first: in duties and negations, then in figures, of clauses with a number of their own before others."""

    def weight(change: Change) -> tuple[bool, bool, bool]:
        marks = set(change.marks)
        return not (change.old_label or change.new_label), not marks & {"modal", "negation"}, "number" not in marks

    return sorted(listed.changes, key=weight)[:most]


def counted(listed: ChangeList) -> str:
    """How many clauses changed, and in what."""
    return summary(listed).partition(" Removed words")[0]


def item(change: Change) -> str:
    """One change without its sources, as safe HTML (X2)."""
    return _item(change, {})


def markup(
    message_id: str,
    listed: ChangeList,
    citations: Sequence[Citation],
    gone: Collection[str] = (),
    *,
    of: ChangeList | None = None,
) -> str:
    """The redline as safe HTML (X2); ``gone`` are the ids of deleted documents. It is counted ``of`` all changes where it
    lists some of them."""
    known = {c.id: chip(message_id, c, is_gone=c.document_id in gone) for c in citations}
    items = "".join(f"<li>{_item(change, known)}</li>" for change in listed.changes)
    shown = (
        f" {len(listed.changes)} of {len(of.changes)} are shown."
        if of and len(of.changes) > len(listed.changes)
        else ""
    )
    title = f"What changed from {listed.old_title} to {listed.new_title}"
    told = counted(of or listed) + shown
    legend = "Legend: <del>removed words</del>, <ins>added words</ins>; numbers, modal verbs and negations in bold."
    return (
        f'<section class="pp-answer pp-redline" aria-label="Redline"><h2>{text(title)}</h2>'
        f"<p>{text(told)}</p><p class='pp-muted'>{legend}</p><ol>{items}</ol></section>"
    )


def _item(change: Change, known: dict[int, str]) -> str:
    kind = "Changed and moved" if change.moved and change.kind is ChangeKind.CHANGED else change.kind.value.capitalize()
    words = "".join(_part(p, first=i == 0, last=i == len(change.parts) - 1) for i, p in enumerate(change.parts))
    more = f" <span class='pp-muted'>and {change.clauses - 1} more after it</span>" if change.clauses > 1 else ""
    chips = " ".join(known[i] for i in (change.old_citation, change.new_citation) if i in known)
    where = " · ".join(filter(None, [place_of(change), change.heading]))
    return f"{badge(kind, _CLASSES[change.kind])} <span class='pp-muted'>{text(where)}</span><div>{words}{more} {chips}</div>"


def _part(part: ChangePart, *, first: bool, last: bool) -> str:
    if part.op == "same":
        return text(shortened(part.text, first=first, last=last))
    tag, aloud = ("del", "removed") if part.op == "removed" else ("ins", "added")
    weighty = f' class="pp-weighty" title="{text(", ".join(_MARKS[m] for m in part.marks))}"' if part.marks else ""
    return f'<{tag}{weighty}><span class="pp-aloud"> {aloud}: </span>{text(part.text)}</{tag}>'
