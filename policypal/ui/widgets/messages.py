"""The messages of a conversation (U2)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from policypal.application import audits
from policypal.application.conversations import History
from policypal.domain.audits import AuditReport
from policypal.domain.conversations import Message, TraceEntry
from policypal.ui import errors, state
from policypal.ui.markup import text
from policypal.ui.widgets import badges, citations, conversation_menu, run_log, sources

_AVATARS = {"user": ":material/person:", "assistant": ":material/policy:"}


def show(told: History, upto: int) -> None:
    """The first ``upto`` messages, oldest first."""
    for position, message in enumerate(told.messages[:upto]):
        if message.role == "user":
            _user(message)
        elif message.role == "assistant":
            _assistant(message, _trace(told, position))
        elif message.role == "pal_assist":
            _note(message)
        else:
            errors.show(str(message.payload.get("title") or "The run failed"), message.content)


def _user(message: Message) -> None:
    with st.chat_message("user", avatar=_AVATARS["user"]):
        st.html(f'<div class="pp-answer" style="white-space:pre-wrap">{text(message.content)}</div>')


def _note(message: Message) -> None:
    """PalAssist's question and its answer, small (U2)."""
    asked = message.payload.get("question", {}).get("message", "")
    st.html(f'<div class="pp-note">🤖 {text(asked)} → {text(message.content or "documents tagged")}</div>')


def _assistant(message: Message, trace: Sequence[TraceEntry]) -> None:
    told = message.payload
    with st.chat_message("assistant", avatar=_AVATARS["assistant"]):
        for notice in told.get("notices", []):
            st.html(f'<div class="pp-notice">{text(notice)}</div>')
        report = AuditReport(**told["report"]) if told.get("report") else None
        if report is not None:
            st.html(badges.severity_bar(badges.severity_counts(f.severity for f in report.findings)))
        cited = sources.citations_of(message)
        citations.show_answer(message.id, message.content, cited, is_audit=report is not None)
        if report is not None:
            _report_links(message, report)
        st.html(_facts(message))
        run_log.show(trace)


def _report_links(message: Message, report: AuditReport) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            "pages/audit_reports.py", label="Open the audit report", icon=":material/fact_check:",
            query_params={state.PARAM_REPORT: report.id}, width="content",
        )  # fmt: skip
        findings = audits.filter_findings(report)
        st.download_button(
            f"Findings as CSV ({len(findings)})", data=audits.export_csv(report, findings), mime="text/csv",
            file_name=f"{conversation_menu.file_name(report.title)}.csv", key=f"csv_{message.id}",
            icon=":material/download:", on_click="ignore", type="tertiary",
        )  # fmt: skip


def _facts(message: Message) -> str:
    """Badge, cost and engine in one line."""
    told = message.payload
    parts = []
    if not told.get("cancelled") and (told.get("citations") or told.get("documents")):
        parts.append(badges.confidence(str(told.get("retrieval_confidence", "low"))))
    parts.append(
        f'<span class="pp-muted">{badges.cost(int(told.get("tokens_used", 0)), float(told.get("cost_usd", 0)))}</span>'
    )
    parts.append(f'<span class="pp-muted">{text(badges.engine(str(told.get("engine", ""))))}</span>')
    return f'<div class="pp-meta">{"".join(parts)}</div>'


def _trace(told: History, position: int) -> list[TraceEntry]:
    """The steps of every run since the user's message: answering a question begins a new run of the same turn."""
    runs: list[str] = []
    for message in reversed(told.messages[: position + 1]):
        if message.run_id and message.run_id not in runs:
            runs.insert(0, message.run_id)
        if message.role == "user":
            break
    return [entry for run in runs for entry in told.traces.get(run, [])]
