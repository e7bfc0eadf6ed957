"""Working through the findings: choose rows, decide, assign, note, take back (A7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

import pandas as pd
import streamlit as st

from policypal.application import triage
from policypal.application.container import Container
from policypal.domain.audits import AuditReport, Finding, Severity
from policypal.domain.triage import Triage, TriageChange, TriageEvent, TriageStatus
from policypal.domain.users import User
from policypal.ui import errors, labels, state
from policypal.ui.audits import findings
from policypal.ui.html import html
from policypal.ui.labels import Labels
from policypal.ui.markup import text

_PAGE_SIZE = 40
_ROW_HEIGHT = 36
_TABLE_ROWS = 9
_STATUSES = {s.value: s.label for s in TriageStatus}
_FIELDS = {
    "status": "Status", "owner": "Owner", "due_on": "Due", "reason": "Reason", "expires_on": "Accepted until", "evidence": "Evidence",
    "severity": "Severity",
}  # fmt: skip
"""What people call the fields of a decision."""


@st.fragment
def show(
    app: Container, user: User, report: AuditReport, shown: Sequence[Finding], decided: Mapping[str, Triage], gone: Collection[str]
) -> None:  # fmt: skip
    """A dense table of the findings; under it the chosen one with its decision, or one decision for all that are chosen. Without a
    choice all findings stand below as cards."""
    chosen = _table(report, shown, decided)
    _undo(app, user, report)
    if not chosen:
        st.caption("Choose a row to decide about a finding, or several to decide about them at once.")
        findings.show(report, labels.page_of(shown, _PAGE_SIZE, key=f"findings_{report.id}"), gone)
        return
    if len(chosen) == 1:
        findings.show(report, chosen, gone)
        _form(app, user, report, chosen, decided[chosen[0].id])
        _history(app, user, chosen[0])
    else:
        st.html(f'<h3 class="pp-group">{len(chosen)} findings chosen</h3>')
        _form(app, user, report, chosen, None)


def filter_by_status(report: AuditReport, decided: Mapping[str, Triage]) -> list[TriageStatus]:
    """The statuses that somebody wants to see; none for all."""
    present = [s for s in TriageStatus if any(t.status is s for t in decided.values())]
    if len(present) < 2:
        return []
    counts = {s: sum(t.status is s for t in decided.values()) for s in present}
    return st.pills(
        "Status", present, selection_mode="multi", key=f"triage_status_{report.id}",
        format_func=Labels({s: f"{s.label} {counts[s]}" for s in present}),
    )  # fmt: skip


def _table(report: AuditReport, shown: Sequence[Finding], decided: Mapping[str, Triage]) -> list[Finding]:
    """The findings as rows; those that are chosen."""
    if not shown:
        return []
    today = date.today()
    rows = [_row(f, decided[f.id], today) for f in shown]
    event: Any = st.dataframe(
        pd.DataFrame(rows), hide_index=True, on_select="rerun", selection_mode="multi-row", row_height=_ROW_HEIGHT,
        height=_ROW_HEIGHT * (min(len(rows), _TABLE_ROWS) + 1) + 2, column_config=_columns(),
        key=f"triage_{report.id}_{hash(tuple(f.id for f in shown))}",
    )  # fmt: skip
    return [shown[n] for n in event.selection.rows if n < len(shown)]


def _row(finding: Finding, decision: Triage, today: date) -> dict[str, Any]:
    return {
        "Severity": f"{finding.severity.value}{' (corrected)' if decision.severity else ''}",
        "Finding": " ".join(finding.theme.split()),
        "Requirement": " ".join(finding.target_quote.split()),
        "Status": f"{decision.status.label}{' · overdue' if decision.is_overdue(today) else ''}",
        "Owner": decision.owner,
        "Due": decision.due_on,
    }


def _columns() -> dict[str, Any]:
    column = st.column_config
    return {
        "Severity": column.TextColumn(width=90),
        "Finding": column.TextColumn(width=160),
        "Requirement": column.TextColumn(width=240),
        "Status": column.TextColumn(width=115),
        "Owner": column.TextColumn(width=90),
        "Due": column.DateColumn(width=95, format="D MMM YYYY"),
    }


def _form(app: Container, user: User, report: AuditReport, chosen: Sequence[Finding], held: Triage | None) -> None:
    """The decision about one finding, or (``held`` None) one for several, where what stays empty stays as it is."""
    key = chosen[0].id if held else f"several_{report.id}"
    with st.form(f"triage_form_{key}", clear_on_submit=held is None):
        changes: dict[str, Any] = {}
        left, middle, right = st.columns(3)
        status = left.selectbox(
            "Status", list(_STATUSES), index=list(_STATUSES).index(held.status) if held else None, placeholder="As it is",
            format_func=Labels(_STATUSES),
        )  # fmt: skip
        owner = middle.text_input(
            "Owner", value=held.owner if held else "", max_chars=triage.MAX_OWNER, placeholder="Name or e-mail"
        )
        due = right.date_input("Due", value=held.due_on if held else None, format="DD/MM/YYYY")
        reason = left.text_input(
            "Reason, for an accepted risk", value=held.reason if held else "", max_chars=triage.MAX_WORDS
        )
        expires = middle.date_input("Accepted until", value=held.expires_on if held else None, format="DD/MM/YYYY")
        severity = right.selectbox(
            "Severity", [s.value for s in Severity], placeholder="As found",
            index=list(Severity).index(held.severity) if held and held.severity else None,
        )  # fmt: skip
        evidence = left.text_input(
            "Evidence", value=held.evidence if held else "", placeholder="Link or document", max_chars=triage.MAX_WORDS
        )
        note = st.text_input("Note", max_chars=triage.MAX_WORDS, placeholder="What was decided, and why")
        given = {
            "status": TriageStatus(status) if status else None, "owner": owner, "due_on": due, "reason": reason,
            "expires_on": expires, "evidence": evidence, "severity": Severity(severity) if severity else None,
        }  # fmt: skip
        changes = given if held else {name: value for name, value in given.items() if value}
        label = "Save" if held else f"Apply to {len(chosen)} findings"
        if st.form_submit_button(label, type="primary", icon=":material/check:"):
            _save(app, user, report, [f.id for f in chosen], changes, note or "")


def _save(app: Container, user: User, report: AuditReport, ids: list[str], changes: dict[str, Any], note: str) -> None:
    with errors.shown():
        before = triage.change(app, user, report.id, ids, TriageChange(**changes), note=note)  # type: ignore[typeddict-item]
        st.session_state[state.TRIAGE_UNDO] = {"report": report.id, "before": before}
        st.rerun()


def _undo(app: Container, user: User, report: AuditReport) -> None:
    """The latest decision, while this report is open, with a way back."""
    offered = state.mapping(state.TRIAGE_UNDO)
    if offered.get("report") != report.id:
        return
    before = offered["before"]
    count = len(before)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="triage_undo_bar"):
        html(f'<span role="status">{"Finding" if count == 1 else f"{count} findings"} updated.</span>', width="content")
        if st.button("Undo", key="triage_take_back", icon=":material/undo:"):
            with errors.shown():
                triage.put_back(app, user, report.id, before)
                state.forget(state.TRIAGE_UNDO)
                st.rerun()
        st.button("Dismiss", key="triage_dismiss", type="tertiary", on_click=state.forget, args=(state.TRIAGE_UNDO,))


def _history(app: Container, user: User, finding: Finding) -> None:
    events = triage.history(app, user, finding.id)
    if events:
        with st.expander(f"History ({len(events)})", icon=":material/history:"):
            html("".join(_event(e) for e in events))


def _event(event: TriageEvent) -> str:
    told = "; ".join(
        f"{_FIELDS.get(name, name)}: {text(_STATUSES.get(was, was) or 'none')} → {text(_STATUSES.get(now, now) or 'none')}"
        for name, (was, now) in event.changes.items()
    )
    note = f" “{text(event.note)}”" if event.note else ""
    return f'<p><span class="pp-muted">{event.changed_at:%d %b %Y, %H:%M} UTC · {text(event.changed_by)}</span><br>{told}{note}</p>'
