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
_TABLE_ROWS = 18
_STATUSES = {s.value: s.label for s in TriageStatus}
_FIELDS = {
    "status": "Status", "owner": "Owner", "due_on": "Due", "reason": "Reason", "expires_on": "Accepted until", "evidence": "Evidence",
    "severity": "Severity", "wording": "Wording",
}  # fmt: skip
"""What people call the fields of a decision."""


def show(
    app: Container, user: User, report: AuditReport, shown: Sequence[Finding], decided: Mapping[str, Triage], gone: Collection[str]
) -> None:  # fmt: skip
    """Three panes: a dense table of the findings; beside it the open one, what was decided about it, and both its pages; or one decision
    for all that are chosen."""
    left, right = st.columns([6, 7], gap="medium")
    with left:
        chosen = _table(report, shown, decided)
        st.caption(
            f"{len(shown)} of {counted(len(report.findings), 'finding')}. Tick several to decide about them together."
        )
    with right:
        _undo(app, user, report)
        if len(chosen) > 1:
            st.html(f'<h3 class="pp-group">{len(chosen)} findings chosen</h3>')
            _form(app, user, report, chosen, None)
        elif chosen:
            _turn(report, shown, chosen[0])
            findings.head(chosen[0])
            _form(app, user, report, chosen, decided[chosen[0].id])
            with errors.shown():
                findings.beside(app, user, report, chosen[0], gone)
            _history(app, user, chosen[0])


def _turn(report: AuditReport, shown: Sequence[Finding], finding: Finding) -> None:
    """To the finding before and after; j and k do the same, e goes to the decision."""
    place = next(n for n, f in enumerate(shown) if f.id == finding.id)
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="finding_turn"):
        for label, key, shortcut, row in (("Previous", "before", "k", place - 1), ("Next", "after", "j", place + 1)):
            st.button(
                label, key=f"finding_{key}", shortcut=shortcut, on_click=_open, args=(_table_key(report, shown), row),
                disabled=not 0 <= row < len(shown),
            )  # fmt: skip
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
        pd.DataFrame(rows).style.map(_tint, subset=["Severity"]), hide_index=True, placeholder="", on_select="rerun",
        selection_mode=["multi-row", "single-cell"], row_height=_ROW_HEIGHT, height=_ROW_HEIGHT * (min(len(rows), _TABLE_ROWS) + 1) + 2,
        column_config=_columns(), key=key, alt=f"{counted(len(rows), 'finding')}: severity, what differs, status, rule, owner, due",
    )  # fmt: skip
    opened = [row for row, _ in event.selection.cells] or [0]
    return [shown[n] for n in event.selection.rows or opened if n < len(shown)]


def _tint(severity: object) -> str:
    """The ground of a severity; its letters are dark in both themes."""
    return f"background-color: #{Severity(str(severity).split()[0]).tint}; color: #1A1A1A"


def _row(finding: Finding, decision: Triage, today: date) -> dict[str, Any]:
    return {
        "Severity": f"{finding.severity.value}{' (corrected)' if decision.severity else ''}",
        "Finding": " ".join(finding.title.split()),
        "Status": f"{decision.status.label}{' · overdue' if decision.is_overdue(today) else ''}",
        "Rule": finding.target_label or f"p. {finding.target_page}",
        "Owner": decision.owner,
        "Due": decision.due_on,
    }


def _columns() -> dict[str, Any]:
    column = st.column_config
    return {
        "Severity": column.TextColumn(width=75),
        "Finding": column.TextColumn(width=260),
        "Status": column.TextColumn(width=100),
        "Rule": column.TextColumn(width=75),
        "Owner": column.TextColumn(width=90),
        "Due": column.DateColumn(width=95, format="D MMM YYYY"),
    }


def _form(app: Container, user: User, report: AuditReport, chosen: Sequence[Finding], held: Triage | None) -> None:
    """The decision about one finding, or (``held`` None) one for several, where what stays empty stays as it is."""
    about = f"{chosen[0].id}_{crc32(repr(held).encode()):08x}" if held else f"several_{report.id}"
    key = f"decide_{about}"  # another decision, by Undo or by somebody else, makes other fields
    ids = [f.id for f in chosen]
    with st.container(key="decision"), st.form(f"triage_form_{about}", clear_on_submit=held is None, border=False):
        left, middle, right = st.columns(3, gap="small")
        left.selectbox(
            "Status", list(_STATUSES), index=list(_STATUSES).index(held.status) if held else None, placeholder="As it is",
            format_func=Labels(_STATUSES), key=f"{key}_status",
        )  # fmt: skip
        middle.text_input(
            "Owner", value=held.owner if held else "", max_chars=triage.MAX_OWNER, placeholder="Name or e-mail", key=f"{key}_owner"
        )  # fmt: skip
        right.date_input("Due", value=held.due_on if held else None, format="DD/MM/YYYY", key=f"{key}_due_on")
        with st.expander("Accepted risk, severity, evidence, wording", expanded=held is None):
            left, right = st.columns(2, gap="small")
            left.text_input(
                "Reason, for an accepted risk", value=held.reason if held else "", max_chars=triage.MAX_WORDS, key=f"{key}_reason"
            )  # fmt: skip
            right.date_input(
                "Accepted until", value=held.expires_on if held else None, format="DD/MM/YYYY", key=f"{key}_expires_on"
            )
            left.selectbox(
                "Severity", [s.value for s in Severity], placeholder="As found", key=f"{key}_severity",
                index=list(Severity).index(held.severity) if held and held.severity else None,
            )  # fmt: skip
            right.text_input(
                "Evidence", value=held.evidence if held else "", placeholder="Link or document", max_chars=triage.MAX_WORDS,
                key=f"{key}_evidence",
            )  # fmt: skip
            if held:
                _wording(chosen[0], held, f"{key}_wording")
        if held and chosen[0].proposal and not held.wording:
            st.checkbox(f"Accept “{plain(chosen[0].proposal)}”", key=f"{key}_takes")
        with st.container(horizontal=True, wrap=False, gap="small", vertical_alignment="center"):
            st.text_input(
                "Note", max_chars=triage.MAX_WORDS, placeholder="Note: what was decided, and why", label_visibility="collapsed",
                key=f"{key}_note",
            )  # fmt: skip
            st.form_submit_button(
                "Save" if held else f"Apply to {len(chosen)} findings", type="primary", icon=":material/check:",
                on_click=_save, args=(app, user, report.id, ids, key, chosen[0].proposal if held else "", held is None),
            )  # fmt: skip


def _wording(finding: Finding, held: Triage, key: str) -> None:
    """What the policy is to say."""
    what = "added to" if finding.kind is FindingKind.GAP else "put in place of the quotation in"
    st.text_area(
        "Accepted wording", value=held.wording, max_chars=triage.MAX_WORDS, height=80, placeholder=finding.proposal or finding.suggestion,
        help=f"It is {what} the policy as a tracked change, under “Policy with changes”.", key=key,
    )  # fmt: skip


def _save(
    app: Container, user: User, report_id: str, ids: list[str], key: str, proposal: str, is_several: bool
) -> None:
    """Before the page is drawn again, so that it shows what was decided. ``proposal``: the sentence that a tick accepts; of several findings
    what was left empty stays as it is."""
    said = {name: st.session_state.get(f"{key}_{name}") for name in (*_FIELDS, "takes", "note")}
    given: dict[str, Any] = {
        **{name: said[name] or "" for name in ("owner", "reason", "evidence")},
        **{name: said[name] for name in ("due_on", "expires_on")},
        "status": TriageStatus(said["status"]) if said["status"] else None,
        "severity": Severity(said["severity"]) if said["severity"] else None,
        "wording": said["wording"] or (proposal if said["takes"] else ""),
    }
    changes = {name: value for name, value in given.items() if value} if is_several else given
    with errors.toasted():
        before = triage.change(app, user, report_id, ids, TriageChange(**changes), note=said["note"] or "")  # type: ignore[typeddict-item]
        st.session_state[state.TRIAGE_UNDO] = {"report": report_id, "before": before}


def _undo(app: Container, user: User, report: AuditReport) -> None:
    """The latest decision, while this report is open, with a way back."""
    offered = state.mapping(state.TRIAGE_UNDO)
    if offered.get("report") != report.id:
        return
    before = offered["before"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="triage_undo_bar"):
        html(f'<span role="status">{counted(len(before), "finding")} updated.</span>', width="content")
        st.button(
            "Undo", key="triage_take_back", icon=":material/undo:", on_click=_take_back, args=(app, user, report.id, before)
        )  # fmt: skip
        st.button("Dismiss", key="triage_dismiss", type="tertiary", on_click=state.forget, args=(state.TRIAGE_UNDO,))


def _take_back(app: Container, user: User, report_id: str, before: Mapping[str, Triage]) -> None:
    with errors.toasted():
        triage.put_back(app, user, report_id, before)
        state.forget(state.TRIAGE_UNDO)


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
