"""The collapsed log of a run below its answer: every step with its time (U4, M5)."""

from collections.abc import Sequence
from typing import Any

from policypal.domain.conversations import TraceEntry
from policypal.ui.html import html
from policypal.ui.markup import text

_KINDS = {"node": "Step", "task": "Task", "search": "Search", "interrupt": "Question", "error": "Error", "page": "Page"}


def show(entries: Sequence[TraceEntry], made_by: str = "") -> None:
    """Nothing if the run left no trace. ``made_by`` is the engine and what it cost. HTML and no expander: a conversation has
    one below every answer, and each element of a page is drawn again with it."""
    if not entries:
        return
    total = sum(e.seconds for e in entries if e.kind in ("node", "interrupt", "error"))
    html(
        f'<details class="pp-log"><summary>How this was done · {seconds(total)}</summary>{table(entries)}'
        f'<div class="pp-muted">{text(made_by)}</div></details>'
    )


def table(entries: Sequence[TraceEntry]) -> str:
    """A row per step, in their order."""
    rows = "".join(_row(e) for e in entries)
    return (
        '<div class="pp-scroll"><table class="pp-table"><thead><tr><th>Kind</th><th>Name</th>'
        f'<th class="pp-number">Time</th><th>Result</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def seconds(value: float) -> str:
    """ "12 ms", "1.4 s"."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def _row(entry: TraceEntry) -> str:
    kind = _KINDS.get(entry.kind, entry.kind)
    name = entry.name.replace("_", " ")
    return (
        f"<tr><td>{text(kind)}</td><td>{text(name)}</td><td class='pp-number'>{seconds(entry.seconds)}</td>"
        f"<td>{text(_told(entry.detail))}</td></tr>"
    )


def _told(detail: dict[str, Any]) -> str:
    parts = []
    for key, value in detail.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if shown and shown != "0":
            parts.append(f"{key.replace('_', ' ')}: {shown[:160]}")
    return " · ".join(parts)
