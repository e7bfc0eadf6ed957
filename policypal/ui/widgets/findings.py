"""Findings as cards, and the page behind a quote (A4, A7)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from policypal.domain.audits import AuditReport, Finding, FindingKind
from policypal.ui import state
from policypal.ui.markup import text
from policypal.ui.widgets import badges


def show(report: AuditReport, findings: Sequence[Finding]) -> None:
    """Grouped by target; the caller has sorted them by severity."""
    for target, members in groupby(findings, key=lambda f: f.target_document):
        group = list(members)
        counts = badges.severity_counts(f.severity for f in group)
        st.html(
            f'<div class="pp-set">{text(target)}</div><div class="pp-muted">{text(badges.severity_words(counts))}</div>'
        )
        for finding in group:
            _card(report, finding)


def _card(report: AuditReport, finding: Finding) -> None:
    st.html(card_html(report, finding))
    with st.container(horizontal=True, gap="xsmall"):
        page_button(
            finding.id, "target", finding.target_document_id, finding.target_page, finding.target_quote,
            f"Requirement, page {finding.target_page}", finding.target_document,
        )  # fmt: skip
        if finding.source_document_id and finding.source_page is not None:
            page_button(
                finding.id, "source", finding.source_document_id, finding.source_page, finding.source_quote,
                f"Source, page {finding.source_page}", report.source_title,
            )  # fmt: skip


def page_button(finding_id: str, side: str, document_id: str, page: int, quote: str, label: str, title: str) -> None:
    st.button(
        label, key=f"{side}_{finding_id}", icon=":material/find_in_page:", type="tertiary", on_click=_open_page,
        args=(document_id, page, quote, f"{title}, page {page}"),
    )  # fmt: skip


def _open_page(document_id: str, page: int, quote: str, label: str) -> None:
    st.session_state[state.FINDING_PAGE] = {"document_id": document_id, "page": page, "quote": quote, "label": label}


def card_html(report: AuditReport, finding: Finding) -> str:
    """Both quotes side by side, then what it means and what to do."""
    is_gap = finding.kind is FindingKind.GAP
    source_title = "Missing in the source; nearest passage" if is_gap else "Source"
    source = (
        _quote(finding.source_quote, finding.source_verified)
        if finding.source_quote
        else "<p>No passage comes near it.</p>"
    )
    return (
        f'<div class="pp-card"><div class="pp-finding-head">{badges.severity(finding.severity)}'
        f"<span>{text(finding.theme)}</span>{badges.badge('Gap' if is_gap else 'Conflict')}"
        f'<span class="pp-muted">{finding.confidence:.0%} confident</span></div>'
        f'<div class="pp-sides"><div><div class="pp-side-title">{source_title}{_page(finding.source_page)}</div>{source}</div>'
        f'<div><div class="pp-side-title">Requirement{_page(finding.target_page)}</div>'
        f"{_quote(finding.target_quote, finding.target_verified)}</div></div>"
        f"<p><b>Consequence</b> {text(finding.consequence)}</p><p><b>Suggestion</b> {text(finding.suggestion)}</p></div>"
    )


def _quote(quote: str, verified: bool) -> str:
    shown = f"“{text(quote)}”" if verified else f'{text(quote)} <span class="pp-muted">(not verified)</span>'
    return f'<div class="pp-quote">{shown}</div>'


def _page(number: int | None) -> str:
    return f", page {number}" if number is not None else ""
