"""Stored audits: the list, or one report (A5, A7)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from policypal.application import audits, reaudits, triage
from policypal.application.container import Container
from policypal.domain.audits import OverallStatus, ReportOverview, Severity
from policypal.domain.text import counted
from policypal.domain.triage import TriageStatus
from policypal.domain.users import User
from policypal.ui import clock, deps, errors, labels, state
from policypal.ui.audits import new_audit, report
from policypal.ui.chat import badges
from policypal.ui.html import html
from policypal.ui.markup import text

_PAGE_SIZE = 25


def show(user: User) -> None:
    """The list, or one report when the address names it."""
    app = deps.container()
    if opened := st.query_params.get(state.PARAM_REPORT):
        report.show(app, user, opened)
        return
    st.html("<h1>Audit reports</h1>")
    with errors.shown():
        reports = audits.list_overviews(app, user)
        new_audit.show(app, user, is_first=not reports)
        if not reports:
            _empty()
            return
        latest = reaudits.latest_ids(app, user)
        _overview(reports, latest)
        with errors.shown():
            _waiting(app, user, latest)
        fitting = _filtered(reports)
        earlier = sum(r.id not in latest for r in fitting)
        if earlier and not st.toggle(f"Show {counted(earlier, 'earlier version')}", key="report_earlier"):
            fitting = [r for r in fitting if r.id in latest]
        page = labels.page_of(fitting, _PAGE_SIZE, key="report_page")
        standing = triage.statuses(app, user, [r.id for r in page])
        for one in page:
            with errors.shown():  # one that cannot be drawn takes no other off the list (U2e)
                _row(one, standing.get(one.id, {}), is_latest=one.id in latest)


def _empty() -> None:
    st.html(
        '<div class="pp-hero"><p>No audits yet. Choose above what to audit against what, or write in the chat, for example, '
        "<b>Audit the policy against the rulebook</b>. Every audit is kept here with its findings, the quotations of both "
        "sides and the exact documents it was made from.</p></div>"
    )


def _overview(reports: Sequence[ReportOverview], latest: Collection[str]) -> None:
    """The findings of the latest version of each audit: what was audited twice counts once (A5)."""
    counts = {s: sum(r.counts[s] for r in reports if r.id in latest) for s in Severity}
    html(f'<div class="pp-meta"><b>{text(badges.severity_words(counts))}</b></div>{badges.severity_bar(counts)}')


def _waiting(app: Container, user: User, latest: Collection[str]) -> None:
    """What somebody still has to work on, over all audits."""
    found = triage.waiting(app, user, latest)
    overdue = sum(w.triage.is_overdue(date.today()) for w in found)
    told = counted(len(found), "open finding") + (f", {overdue} overdue" if overdue else "")
    if found:
        with st.expander(told, icon=":material/checklist:"):
            rows = [
                {
                    "Severity": w.finding.severity.value, "Finding": w.finding.title, "Audit": w.report_title,
                    "Status": w.triage.status.label, "Owner": w.triage.owner, "Due": w.triage.due_on,
                    "Report": f"?{urlencode({state.PARAM_REPORT: w.report_id})}",
                }
                for w in found
            ]  # fmt: skip
            st.dataframe(
                pd.DataFrame(rows), hide_index=True, placeholder="", height=min(36 * (len(rows) + 1) + 2, 400),
                column_config={"Report": st.column_config.LinkColumn(display_text="Open", width=70), "Due": st.column_config.DateColumn()},
            )  # fmt: skip


def _filtered(reports: Sequence[ReportOverview]) -> list[ReportOverview]:
    wanted = st.text_input(
        "Search reports", key="report_search", placeholder="Search reports", label_visibility="collapsed",
        icon=":material/search:",
    )  # fmt: skip
    statuses = st.pills(
        "Status", [s.value for s in OverallStatus], selection_mode="multi", key="report_status",
        label_visibility="collapsed",
    )  # fmt: skip
    needle = (wanted or "").casefold()
    return [r for r in reports if needle in r.title.casefold() and (not statuses or r.overall_status.value in statuses)]


def _row(one: ReportOverview, standing: Mapping[TriageStatus, int], *, is_latest: bool) -> None:
    undone = [f"{n} {s.label.lower()}" for s, n in standing.items() if n and not s.is_closed]
    older = "" if is_latest else badges.badge("Earlier version")
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"auditrow_{one.id}"):
        st.html(
            f'<div class="pp-doc-title">{text(one.title)}</div><div class="pp-meta">{badges.verdict(one.overall_status, one.headline)}'
            f"{older}{badges.limited_to(one.focus)}<span>{text(badges.severity_words(one.counts))}</span>"
            f'<span class="pp-muted">{text(", ".join(undone))}</span><span class="pp-muted">{clock.told(one.created_at)}</span></div>'
            f"{badges.severity_bar(one.counts)}",
            width="stretch",
        )
        st.button("Open", key=f"report_{one.id}", on_click=_open, args=(one.id,))


def _open(report_id: str) -> None:
    state.forget(state.FINDING_PAGE, state.COVERAGE_ROW, state.TRIAGE_UNDO)
    st.query_params[state.PARAM_REPORT] = report_id
