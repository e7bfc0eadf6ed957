"""What models were used for how much: this month, by day and model, and as a file (M7, U9)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import streamlit as st

from policypal.application import usage
from policypal.application.container import Container
from policypal.domain.usage import UsageDay, UsageTotal
from policypal.domain.users import User
from policypal.ui.html import html
from policypal.ui.markup import text
from policypal.ui.settings.budget import dollars
from policypal.ui.shared import sections

CHART_DAYS = 30
_NOTHING = (
    "No paid model calls so far; the extractive engine costs nothing. With a model key, every call shows up here with its "
    "tokens and its cost, by day and model: answers, retries, embeddings of documents and questions."
)


def show(app: Container, user: User) -> None:
    days = usage.by_day(app, user)
    if not days:
        sections.head("Usage", _NOTHING)
        return
    sections.head("Usage of this month", "Every call counts: answers, retries, embeddings of documents and questions.")
    html(_tiles(usage.this_month(app, user)))
    _chart(days)
    with st.expander("By day and model, the last 90 days", icon=":material/table_rows:"):
        html(_table(days))
    st.download_button(
        "Download usage as CSV", data=lambda: usage.export_csv(app, user), file_name="policypal-usage.csv",
        mime="text/csv", icon=":material/download:", on_click="ignore", key="usage_csv",
    )  # fmt: skip
    st.caption(
        f"Costs follow the providers' published prices as of {usage.PRICES_AS_OF:%d %B %Y}; your invoice decides."
    )


def _tiles(month: UsageTotal) -> str:
    tiles = (
        (dollars(month.cost_usd), "spent"), (f"{month.calls:,}", "calls"),
        (f"{month.input_tokens:,}", "tokens in"), (f"{month.output_tokens:,}", "tokens out"),
    )  # fmt: skip
    return '<div class="pp-tiles">' + "".join(
        f'<div class="pp-tile"><b>{value}</b><span>{label}</span></div>' for value, label in tiles
    ) + "</div>"  # fmt: skip


def _chart(days: Sequence[UsageDay]) -> None:
    """Dollars a day by model; tokens where no price is known, as of models of one's own."""
    has_cost = any(d.cost_usd for d in days)
    unit = "US dollars" if has_cost else "Tokens"
    last = _last_days()
    frame = pd.DataFrame(
        [
            (f"{d.day:%d %b}", d.model, float(d.cost_usd) if has_cost else d.input_tokens + d.output_tokens)
            for d in days
            if d.day >= last[0]
        ],
        columns=["Day", "Model", unit],
    )
    st.html(f'<div class="pp-group">{unit} by day, the last {CHART_DAYS} days (UTC)</div>')
    st.vega_lite_chart(frame, _spec(unit, [f"{day:%d %b}" for day in last]), height=260)


def _spec(unit: str, days: Sequence[str]) -> dict[str, object]:
    """Stacked bars with a place for every day, and a legend that fits a phone."""
    return {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {
                "field": "Day", "type": "ordinal", "scale": {"domain": list(days)},
                "axis": {"title": None, "labelOverlap": "greedy", "labelAngle": 0},
            },
            "y": {"field": unit, "type": "quantitative", "aggregate": "sum", "axis": {"title": None, "tickCount": 4}},
            "color": {"field": "Model", "type": "nominal", "legend": {"orient": "bottom", "columns": 2, "title": None}},
        },
    }  # fmt: skip


def _last_days() -> list[date]:
    today = datetime.now(UTC).date()
    return [today - timedelta(days=back) for back in reversed(range(CHART_DAYS))]


def _table(days: Sequence[UsageDay]) -> str:
    head = "".join(f'<th class="pp-number">{h}</th>' for h in ("Calls", "Tokens in", "Tokens out", "Cost"))
    return (
        '<div class="pp-scroll"><table class="pp-table"><thead><tr><th>Day</th><th>Model</th>'
        f"{head}</tr></thead><tbody>{''.join(map(_row, days))}</tbody></table></div>"
    )


def _row(d: UsageDay) -> str:
    cost = f"${d.cost_usd:.4f}" if d.cost_usd or d.is_priced else "price unknown"
    numbers = (f"{d.calls:,}", f"{d.input_tokens:,}", f"{d.output_tokens:,}", cost)
    cells = "".join(f'<td class="pp-number">{value}</td>' for value in numbers)
    return f"<tr><td>{d.day:%d %b %Y}</td><td>{text(d.model)}</td>{cells}</tr>"
