"""Which findings of a report are shown; filters kept under a name (A7)."""

from collections.abc import Mapping, Sequence
from zlib import crc32

import streamlit as st

from policypal.application import audits, finding_filters
from policypal.application.container import Container
from policypal.domain.audits import AuditReport, Finding, Severity
from policypal.domain.triage import FindingFilter, Triage, TriageStatus
from policypal.domain.users import User
from policypal.ui import errors
from policypal.ui.labels import Labels
from policypal.ui.markup import plain


def shown(app: Container, user: User, report: AuditReport, decided: Mapping[str, Triage]) -> list[Finding]:
    """What the filters let pass: exactly what the files will hold (A8)."""
    severities = st.pills(
        "Severity", _severities(report), selection_mode="multi", key=_key("severity", report), label_visibility="collapsed"
    )  # fmt: skip
    statuses = _by_status(report, decided)
    targets = st.multiselect(
        "Against", list(report.targets_checked), format_func=plain, key=_key("target", report), placeholder="All regulations",
        label_visibility="collapsed", width=170,
    ) if len(report.targets_checked) > 1 else []  # fmt: skip
    words = st.text_input(
        "Search in findings", key=_key("find", report), icon=":material/search:", placeholder="Search in findings",
        label_visibility="collapsed", width=160,
    )  # fmt: skip
    wanted = FindingFilter(tuple(severities), tuple(statuses), tuple(targets), (words or "").strip())
    _saved(app, user, report, decided, wanted)
    fitting = audits.filter_findings(report, severities=severities, targets=targets, containing=wanted.words)
    return [f for f in fitting if not statuses or decided[f.id].status in statuses]


def _key(name: str, report: AuditReport) -> str:
    return f"{name}_{report.id}"


def _severities(report: AuditReport) -> list[Severity]:
    return [s for s in Severity if any(f.severity is s for f in report.findings)]


def _statuses(decided: Mapping[str, Triage]) -> list[TriageStatus]:
    return [s for s in TriageStatus if any(t.status is s for t in decided.values())]


def _by_status(report: AuditReport, decided: Mapping[str, Triage]) -> list[TriageStatus]:
    """The statuses that somebody wants to see; none for all."""
    present = _statuses(decided)
    if len(present) < 2:
        return []
    counts = {s: sum(t.status is s for t in decided.values()) for s in present}
    return st.pills(
        "Status", present, selection_mode="multi", key=_key("triage_status", report),
        format_func=Labels({s: f"{s.label} {counts[s]}" for s in present}), label_visibility="collapsed",
    )  # fmt: skip


def _saved(
    app: Container, user: User, report: AuditReport, decided: Mapping[str, Triage], wanted: FindingFilter
) -> None:
    """The kept filters: apply, rename, delete; and the way to keep the one in use."""
    with st.popover("Saved filters", icon=":material/bookmark:", key="saved_filters"):
        for name, kept in finding_filters.saved(app, user).items():
            key = f"filter_{crc32(name.encode()):08x}"
            with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key=key):
                st.text_input(
                    f"Name of the filter {name}", name, key=f"{key}_name", max_chars=finding_filters.MAX_NAME,
                    label_visibility="collapsed", on_change=_rename, args=(app, user, name, f"{key}_name"),
                )  # fmt: skip
                st.button("Apply", key=f"{key}_apply", on_click=_apply, args=(report, decided, kept))
                st.button(
                    "Delete", key=f"{key}_delete", type="tertiary", on_click=finding_filters.delete, args=(app, user, name)
                )  # fmt: skip
        with st.form("filter_new", border=False, clear_on_submit=True):
            name = st.text_input("Keep the filter in use as", max_chars=finding_filters.MAX_NAME, placeholder="Name")
            if st.form_submit_button("Save filter", type="primary"):
                with errors.shown():
                    finding_filters.save(app, user, name or "", wanted)
                    st.rerun()


def _rename(app: Container, user: User, name: str, key: str) -> None:
    with errors.toasted():
        finding_filters.rename(app, user, name, str(st.session_state[key]))


def _apply(report: AuditReport, decided: Mapping[str, Triage], kept: FindingFilter) -> None:
    """Set the filters of this report; what it has none of is said, because it would let everything pass."""
    severities, statuses = _severities(report), _statuses(decided)
    _set("severity", report, [s for s in kept.severities if s in severities])
    _set("target", report, [t for t in kept.targets if t in report.targets_checked])
    _set("triage_status", report, [s for s in kept.statuses if s in statuses] if len(statuses) > 1 else [])
    _set("find", report, kept.words)
    absent = [s.value for s in kept.severities if s not in severities]
    absent += [s.label for s in kept.statuses if s not in statuses]
    absent += [plain(t) for t in kept.targets if t not in report.targets_checked]
    if absent:
        st.toast(f"Not in this report, and therefore not filtered by: {', '.join(absent)}.", icon=":material/info:")


def _set(name: str, report: AuditReport, value: Sequence[object]) -> None:
    st.session_state[_key(name, report)] = value
