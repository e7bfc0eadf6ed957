"""Coverage of the obligations of an audit's targets: the denominator, a heat-map, and both quotes of each row (A6)."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import Any
from zlib import crc32

import pandas as pd
import streamlit as st

from policypal.application import audits
from policypal.domain.audits import AuditReport, CoverageRow, CoverageStatus, ReadingExtent
from policypal.domain.text import counted
from policypal.ui import state
from policypal.ui.audits import findings
from policypal.ui.chat import badges
from policypal.ui.html import html
from policypal.ui.markup import text
from policypal.ui.places import Place
from policypal.ui.shared import clicks

_ROW_HEIGHT, _TABLE_ROWS = 36, 12
_CLICKS = "coverage"


def show(report: AuditReport, gone: Collection[str]) -> None:
    """The whole tab; says why there is none for a text. ``gone`` are the ids of deleted documents."""
    if report.coverage is None:
        st.caption("A coverage table is made when a company policy is audited; this audit was of a text.")
        return
    _denominator(report)
    if not report.coverage:
        return
    rows = list(enumerate(report.coverage))
    html(_tiles(report.coverage) + _heat_map(rows))
    _take_click(report)
    _details(report, rows, gone)


def _denominator(report: AuditReport) -> None:
    """What the shares are shares of: obligations found, pages read, pages unread."""
    lines = [
        f"<div><b>{text(e.title)}</b>: {counted(e.obligations, 'obligation')} found on {e.pages_read} of "
        f"{counted(e.pages, 'page')}; {_unread(e)}</div>"
        for e in report.extents
    ]  # fmt: skip
    if not lines:
        lines = [f"<div>{counted(len(report.coverage or ()), 'obligation')} found in the passages that were read</div>"]
    if report.covered is not None and report.judged < report.obligations:
        lines.append(
            f"<div>The verdict counts {report.judged:,} of {report.obligations:,} as judged and {report.covered:,} as covered: "
            "what is partial or in doubt is for a reader to decide.</div>"
        )
    st.html(f'<div class="pp-plain">{"".join(lines)}</div>')


def _unread(extent: ReadingExtent) -> str:
    if not extent.is_whole:
        read = f"{extent.passages_read:,} of {counted(extent.passages, 'passage')} read"
        return f'<span class="pp-orange">{read}</span>'
    if not extent.pages_unread:
        return "every page was read"
    return f'<span class="pp-orange">{counted(extent.pages_unread, "page")} unread</span> (without text)'


def _tiles(rows: Sequence[CoverageRow]) -> str:
    """One tile per status with its share of all obligations."""
    return '<div class="pp-tiles">' + "".join(
        f'<div class="pp-tile"><b class="{badges.COVERAGE_CLASS[s] if n else ""}">{n}</b>'
        f"<span>{s.value} · {n / len(rows):.0%}</span></div>"
        for s in CoverageStatus for n in [sum(r.status is s for r in rows)]
    ) + "</div>"  # fmt: skip


_Rows = Sequence[tuple[int, CoverageRow]]


def _heat_map(rows: _Rows) -> str:
    """One cell per obligation in reading order, under its document and heading. A cell opens its row."""
    documents = "".join(
        f'<tr><th colspan="2" class="pp-heat-title">{text(title)}</th></tr>{_headings(list(members))}'
        for title, members in groupby(rows, key=lambda r: r[1].target_document)
    )
    keys = "".join(f"<span>{_mark(s)} {s.value}</span>" for s in CoverageStatus)
    return (
        f'<div class="pp-heat-keys pp-muted">{keys}</div><div class="pp-heat">'
        f'<table aria-label="Coverage by heading"><tbody>{documents}</tbody></table></div>'
    )


def _headings(rows: _Rows) -> str:
    return "".join(
        f'<tr><th scope="row" title="{text(heading)}">{text(heading or "Without heading")}</th>'
        f"<td>{''.join(_cell(n, r) for n, r in members)}</td></tr>"
        for heading, members in ((h, list(m)) for h, m in groupby(rows, key=lambda r: r[1].heading))
    )


def _cell(number: int, row: CoverageRow) -> str:
    label = f"{row.status.value}, page {row.page}: {' '.join(row.obligation.split())[:160]}"
    return (
        f'<span class="pp-cell pp-cell-{row.status.value.lower()}" role="button" tabindex="0" title="{text(label)}" '
        f'aria-label="{text(label)}" data-pp-open="{_CLICKS}:{number}">{_SIGNS[row.status]}</span>'
    )


_SIGNS = {
    CoverageStatus.COVERED: "✓",
    CoverageStatus.PARTIAL: "~",
    CoverageStatus.CONFLICT: "✕",
    CoverageStatus.GAP: "–",
    CoverageStatus.NOT_APPLICABLE: "∘",
    CoverageStatus.NOT_JUDGED: "?",
}
"""Told apart without colours."""


def _mark(status: CoverageStatus) -> str:
    return f'<span class="pp-cell pp-cell-{status.value.lower()}" aria-hidden="true">{_SIGNS[status]}</span>'


def _take_click(report: AuditReport) -> None:
    clicked = clicks.clicked()
    if clicked is not None and clicked[0] == _CLICKS and clicked[1] < len(report.coverage or ()):
        st.session_state[state.COVERAGE_ROW] = clicked[1]


def _details(report: AuditReport, rows: _Rows, gone: Collection[str]) -> None:
    """A dense table of what the filters let pass, and below it the row that was chosen there or in the heat-map, with both quotes."""
    shown = _filtered(report, rows)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(f"{len(shown)} of {counted(len(rows), 'obligation')}", width="content")
        st.download_button(
            "CSV", data=partial(audits.export_coverage_csv, [r for _, r in shown]), mime="text/csv",
            file_name=f"Coverage_{audits.file_name(report)}.csv", icon=":material/download:", on_click="ignore",
            key="download_coverage", type="tertiary", help="The obligations shown, as CSV",
        )  # fmt: skip
    clicked = st.session_state.get(state.COVERAGE_ROW)
    opened = rows[clicked] if isinstance(clicked, int) and clicked < len(rows) else None
    chosen = opened or next(iter(shown), None)
    if shown:
        key = f"coverage_{report.id}_{clicked}_{crc32(repr([n for n, _ in shown]).encode()):08x}"
        event: Any = st.dataframe(
            pd.DataFrame([_cells(r) for _, r in shown]), key=key, hide_index=True, on_select="rerun", selection_mode="single-row",
            row_height=_ROW_HEIGHT, height=_ROW_HEIGHT * (min(len(shown), _TABLE_ROWS) + 1) + 2, column_config=_columns(),
            alt=f"{counted(len(shown), 'obligation')}: status, obligation, page, passage of the policy, why",
        )  # fmt: skip
        chosen = next((shown[n] for n in event.selection.rows), chosen)
    if chosen is not None:
        _card(report, *chosen, gone, reveal=chosen is opened)


def _cells(row: CoverageRow) -> dict[str, object]:
    return {
        "Status": f"{_SIGNS[row.status]} {row.status.value}", "Obligation": " ".join(row.obligation.split()), "Page": row.page,
        "Policy": " ".join(row.policy_quote.split()), "Why": row.reason,
    }  # fmt: skip


def _columns() -> dict[str, Any]:
    column = st.column_config
    widths = {"Status": 110, "Obligation": 380, "Policy": 300, "Why": 260}
    return {"Page": column.NumberColumn(width=55), **{name: column.TextColumn(width=w) for name, w in widths.items()}}


def _filtered(report: AuditReport, rows: _Rows) -> _Rows:
    left, right = st.columns([3, 2], vertical_alignment="center")
    present = [s.value for s in CoverageStatus if any(r.status is s for _, r in rows)]
    statuses = left.pills(
        "Status", present, selection_mode="multi", key=f"coverage_status_{report.id}", label_visibility="collapsed"
    )
    wanted = right.text_input(
        "Search in obligations", key=f"coverage_find_{report.id}", icon=":material/search:",
        placeholder="Search in obligations", label_visibility="collapsed",
    )  # fmt: skip
    fitting = {id(r) for r in audits.filter_coverage(report, statuses=statuses, containing=wanted or "")}
    return [(n, r) for n, r in rows if id(r) in fitting]


def _card(report: AuditReport, number: int, row: CoverageRow, gone: Collection[str], *, reveal: bool) -> None:
    """What was clicked in the heat-map comes into view: the table stands between the two."""
    mark = f' data-pp-reveal="coverage:{number}"' if reveal else ""
    html(f"<div{mark}>{card_html(row)}</div>")
    with st.container(horizontal=True, gap="xsmall"):
        findings.page_button(
            f"target_coverage_{number}", "Obligation", row.target_document, gone,
            Place(row.target_document_id, row.page, row.obligation, row.start, row.end),
        )  # fmt: skip
        if row.policy_quote and row.policy_page is not None and report.source_document_id:
            findings.page_button(
                f"source_coverage_{number}", "Policy", report.source_title, gone,
                Place(report.source_document_id, row.policy_page, row.policy_quote),
            )  # fmt: skip


def card_html(row: CoverageRow) -> str:
    """Both quotes side by side, what the obligation consists of, and why the status."""
    policy_title = (
        "Nearest passage of the policy; it does not meet it" if row.status is CoverageStatus.GAP else "Policy"
    )
    page = f", page {row.policy_page}" if row.policy_page is not None else ""
    policy = (
        f'<div class="pp-quote">“{text(row.policy_quote)}”</div>'
        if row.policy_quote
        else "<p>No passage comes near it.</p>"
    )
    return (
        f'<div class="pp-card"><div class="pp-row-head">{badges.coverage(row.status)}'
        f"<span>{text(row.heading or row.target_document)}</span></div>"
        f'<div class="pp-sides"><div><div class="pp-side-title">Obligation, page {row.page}</div>'
        f'<div class="pp-quote">“{text(row.obligation)}”</div>{_parts(_parts_of(row))}</div>'
        f'<div><div class="pp-side-title">{policy_title}{page}</div>{policy}</div></div><p><b>Why</b> {text(row.reason)}</p></div>'
    )


def _parts_of(row: CoverageRow) -> Iterable[tuple[str, str]]:
    return (
        ("Bound", row.bound_party), ("Deadline", row.deadline), ("Threshold", row.threshold),
        ("Condition", row.condition), ("Exception", row.exception),
    )  # fmt: skip


def _parts(parts: Iterable[tuple[str, str]]) -> str:
    told = [f"<span><b>{name}</b> {text(value)}</span>" for name, value in parts if value]
    return f'<div class="pp-meta">{"".join(told)}</div>' if told else ""
