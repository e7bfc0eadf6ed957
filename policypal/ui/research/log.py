"""The run log of a research: what it cost in sum, then every step (M5, W7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from policypal.domain.conversations import TraceEntry
from policypal.ui import state
from policypal.ui.chat import badges, run_log
from policypal.ui.html import html, tiles

_ERRORS_ONLY, _EVERYTHING = "Errors", "Everything"


def show(thread_id: str, entries: Sequence[TraceEntry]) -> None:
    """Says so if there is nothing yet."""
    if not entries:
        st.caption("Nothing was done yet.")
        return
    html(_tiles(entries))
    failed = [e for e in entries if e.is_failure]
    shown: Sequence[TraceEntry] = entries
    if failed:
        chosen = st.segmented_control(
            "Entries", [_EVERYTHING, _ERRORS_ONLY], default=_EVERYTHING, required=True,
            key=state.own(state.RESEARCH_LOG, thread_id), label_visibility="collapsed",
        )  # fmt: skip
        shown = failed if chosen == _ERRORS_ONLY else entries
    html(run_log.table(shown))


def _tiles(entries: Sequence[TraceEntry]) -> str:
    calls = [e for e in entries if e.kind == "task"]
    took = sum(e.seconds for e in entries if e.kind in ("node", "interrupt", "error"))
    values = {
        "Time at work": run_log.seconds(took),
        "Model tasks": str(len(calls)),
        "Tokens · cost": _cost(entries),
        "From the cache": str(sum(e.is_cached for e in entries)),
        "Errors": str(sum(e.is_failure for e in entries)),
    }
    return tiles(values.items(), "pp-tiles-wide")


def _cost(entries: Iterable[TraceEntry]) -> str:
    tokens = dollars = 0.0
    for entry in entries:
        tokens += _number(entry.detail.get("tokens"))
        dollars += _number(entry.detail.get("cost_usd"))
    return badges.cost(int(tokens), dollars).removeprefix("🪙 ").replace(" tokens", "")


def _number(value: Any) -> float:
    try:
        return float(value or 0)
    except (TypeError, ValueError):
        return 0.0
