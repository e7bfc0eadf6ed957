"""Working through the findings: choose rows, decide, assign, note, take back (A7)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any
from zlib import crc32

import pandas as pd
import streamlit as st

from policypal.application import triage
from policypal.application.container import Container
from policypal.domain.audits import AuditReport, Finding, FindingKind, Severity
from policypal.domain.text import counted
from policypal.domain.triage import Triage, TriageChange, TriageEvent, TriageStatus
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.audits import findings
from policypal.ui.html import html
from policypal.ui.labels import Labels
from policypal.ui.markup import plain, text

_ROW_HEIGHT = 36
_TABLE_ROWS = 9
_STATUSES = {s.value: s.label for s in TriageStatus}
_FIELDS = {
    "status": "Status", "owner": "Owner", "due_on": "Due", "reason": "Reason", "expires_on": "Accepted until", "evidence": "Evidence",
    "severity": "Severity", "wording": "Wording",
}  # fmt: skip
"""What people call the fields of a decision."""


@st.fragment
def show(
    app: Container, user: User, report: AuditReport, shown: Sequence[Finding], decided: Mapping[str, Triage], gone: Collection[str]
) -> None:  # fmt: skip
    """A dense table of the findings; under it the open one with both its pages and its decision, or one decision for all that are
    chosen."""
    chosen = _table(report, shown, decided)
    _undo(app, user, report)
    if len(chosen) > 1:
        st.html(f'<h3 class="pp-group">{len(chosen)} findings chosen</h3>')
        _form(app, user, report, chosen, None)
    elif chosen:
        _turn(report, shown, chosen[0])
        with errors.shown():
            findings.beside(app, user, report, chosen[0], gone)
        _form(app, user, report, chosen, decided[chosen[0].id])
        _history(app, user, chosen[0])


def _turn(report: AuditReport, shown: Sequence[Finding], finding: Finding) -> None:
    """To the finding before and after; j and k do the same, e goes to the decision."""
    place = next(n for n, f in enumerate(shown) if f.id == finding.id)
    key = _table_key(report, shown)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="finding_turn"):
        st.button(
            "Previous", key="finding_before", shortcut="k", on_click=_open, args=(key, place - 1), disabled=place == 0
        )
        st.button(
            "Next",
            key="finding_after",
            shortcut="j",
            on_click=_open,
            args=(key, place + 1),
            disabled=place + 1 == len(shown),
        )
        html(f'<span class="pp-muted">Finding {place + 1} of {len(shown)}</span>', width="content")


def _open(table: str, row: int) -> None:
    st.session_state[table] = _opened(row)


def _opened(row: int) -> dict[str, Any]:
    """The state of a table in which a row's finding is open and none is checked."""
    return {"selection": {"rows": [], "columns": [], "cells": [(row, "Finding")]}}


def _table_key(report: AuditReport, shown: Sequence[Finding]) -> str:
    return f"triage_{report.id}_{crc32(repr([f.id for f in shown]).encode()):08x}"


def _table(report: AuditReport, shown: Sequence[Finding], decided: Mapping[str, Triage]) -> list[Finding]:
    """The findings as rows; those that are checked, else the one whose cell was clicked last."""
    if not shown:
        return []
    today = date.today()
    rows = [_row(f, decided[f.id], today) for f in shown]
    key = _table_key(report, shown)
    st.session_state.setdefault(key, _opened(0))
    event: Any = st.dataframe(
        pd.DataFrame(rows), hide_index=True, placeholder="", on_select="rerun", selection_mode=["multi-row", "single-cell"], row_height=_ROW_HEIGHT,
        height=_ROW_HEIGHT * (min(len(rows), _TABLE_ROWS) + 1) + 2, column_config=_columns(),
        key=key, alt=f"{counted(len(rows), 'finding')}: severity, what differs, rule, status, owner, due",
    )  # fmt: skip
    opened = [row for row, _ in event.selection.cells] or [0]
    return [shown[n] for n in event.selection.rows or opened if n < len(shown)]


def _row(finding: Finding, decision: Triage, today: date) -> dict[str, Any]:
    return {
        "Severity": f"{finding.severity.value}{' (corrected)' if decision.severity else ''}",
        "Finding": " ".join(finding.title.split()),
        "Rule": finding.target_label or f"p. {finding.target_page}",
        "Status": f"{decision.status.label}{' · overdue' if decision.is_overdue(today) else ''}",
        "Owner": decision.owner,
        "Due": decision.due_on,
    }


def _columns() -> dict[str, Any]:
    column = st.column_config
    return {
        "Severity": column.TextColumn(width=90),
        "Finding": column.TextColumn(width=370),
        "Rule": column.TextColumn(width=70),
        "Status": column.TextColumn(width=115),
        "Owner": column.TextColumn(width=90),
        "Due": column.DateColumn(width=95, format="D MMM YYYY"),
    }


def _form(app: Container, user: User, report: AuditReport, chosen: Sequence[Finding], held: Triage | None) -> None:
    """The decision about one finding, or (``held`` None) one for several, where what stays empty stays as it is."""
    key = chosen[0].id if held else f"several_{report.id}"
    with st.container(key="decision"), st.form(f"triage_form_{key}", clear_on_submit=held is None):
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
        wording = _wording(chosen[0], held) if held else ""
        note = st.text_input("Note", max_chars=triage.MAX_WORDS, placeholder="What was decided, and why")
        given = {
            "status": TriageStatus(status) if status else None, "owner": owner, "due_on": due, "reason": reason,
            "expires_on": expires, "evidence": evidence, "severity": Severity(severity) if severity else None, "wording": wording,
        }  # fmt: skip
        changes = given if held else {name: value for name, value in given.items() if value}
        label = "Save" if held else f"Apply to {len(chosen)} findings"
        if st.form_submit_button(label, type="primary", icon=":material/check:"):
            _save(app, user, report, [f.id for f in chosen], changes, note or "")


def _wording(finding: Finding, held: Triage) -> str:
    """What the policy is to say; a sentence that only takes the rule's figure is offered."""
    what = "added to" if finding.kind is FindingKind.GAP else "put in place of the quotation in"
    offered = finding.proposal or finding.suggestion
    words = st.text_area(
        "Accepted wording", value=held.wording, max_chars=triage.MAX_WORDS, height=80, placeholder=offered,
        help=f"It is {what} the policy as a tracked change, under “Policy with changes”.",
    )  # fmt: skip
    takes = not held.wording and bool(finding.proposal) and st.checkbox(f"Accept “{plain(finding.proposal)}”")
    return words or (finding.proposal if takes else "")


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
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="triage_undo_bar"):
        html(f'<span role="status">{counted(len(before), "finding")} updated.</span>', width="content")
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
    return f'<p><span class="pp-muted">{clock.told(event.changed_at)} · {text(event.changed_by)}</span><br>{told}{note}</p>'
