"""Findings as cards, and the page behind a quote (A4, A7)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from itertools import groupby

import streamlit as st

from policypal.domain.audits import AuditReport, Finding, FindingKind
from policypal.ui import state
from policypal.ui.chat import badges
from policypal.ui.documents import page_view
from policypal.ui.html import html
from policypal.ui.markup import text
from policypal.ui.places import Place


def show(report: AuditReport, findings: Sequence[Finding], gone: Collection[str]) -> None:
    """Grouped by target; the caller has sorted them by severity. ``gone`` are the ids of deleted documents."""
    for target, members in groupby(findings, key=lambda f: f.target_document):
        group = list(members)
        counts = badges.severity_counts(f.severity for f in group)
        st.html(
            f'<div class="pp-set">{text(target)}</div><div class="pp-muted">{text(badges.severity_words(counts))}</div>'
        )
        for finding in group:
            _card(report, finding, gone)


def _card(report: AuditReport, finding: Finding, gone: Collection[str]) -> None:
    html(card_html(report, finding))
    with st.container(horizontal=True, gap="xsmall"):
        page_button(
            f"target_{finding.id}", "Requirement", finding.target_document, gone, Place(
                finding.target_document_id, finding.target_page, finding.target_quote, finding.target_start, finding.target_end,
            ),
        )  # fmt: skip
        if finding.source_document_id and finding.source_page is not None:
            page_button(
                f"source_{finding.id}", "Source", report.source_title, gone, Place(
                    finding.source_document_id, finding.source_page, finding.source_quote, finding.source_start,
                    finding.source_end,
                ),
            )  # fmt: skip


def page_button(key: str, side: str, title: str, gone: Collection[str], place: Place) -> None:
    """Opens the page behind a quote; says so if the document is gone (D10)."""
    is_gone = place.document_id in gone
    st.button(
        f"{side}, page {place.page}{' (deleted)' if is_gone else ''}", key=key, icon=":material/find_in_page:",
        type="tertiary", disabled=is_gone, on_click=_open_page, args=(place, title),
        help=page_view.no_longer_there(title) if is_gone else None,
    )  # fmt: skip


def opened_page() -> tuple[str, Place] | None:
    """The document's title and the place that is open beside the report."""
    held = state.mapping(state.FINDING_PAGE)
    return (str(held.pop("title")), Place(**held)) if held else None


def _open_page(place: Place, title: str) -> None:
    st.session_state[state.FINDING_PAGE] = {**asdict(place), "title": title}


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
        f"<span>{text(finding.delta or finding.theme)}</span>{badges.badge('Gap' if is_gap else 'Conflict')}"
        f'<span class="pp-muted">{_theme(finding)}{finding.confidence:.0%} confident</span></div>'
        f'<div class="pp-sides"><div><div class="pp-side-title">{source_title}{_page(finding.source_page)}</div>{source}</div>'
        f'<div><div class="pp-side-title">Requirement{_page(finding.target_page)}</div>'
        f"{_quote(finding.target_quote, finding.target_verified)}</div></div>"
        f"<p><b>Consequence</b> {text(finding.consequence)}</p><p><b>Suggestion</b> {text(finding.suggestion)}</p>"
        f"{_note(finding)}</div>"
    )


def _theme(finding: Finding) -> str:
    """Beside a title of its own (the delta), the theme stands behind it."""
    return f"{text(finding.theme)} · " if finding.delta else ""


def _note(finding: Finding) -> str:
    """What the check of the finding's sentences found against them (C2)."""
    return f'<p class="pp-muted">{text(finding.support)}</p>' if finding.support else ""


def _quote(quote: str, verified: bool) -> str:
    shown = f"“{text(quote)}”" if verified else f'{text(quote)} <span class="pp-muted">(not verified)</span>'
    return f'<div class="pp-quote">{shown}</div>'


def _page(number: int | None) -> str:
    return f", page {number}" if number is not None else ""
