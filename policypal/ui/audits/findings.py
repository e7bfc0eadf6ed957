"""A finding with both pages at its quotations, or as a card; and the page behind a quote (A4, A7)."""

from collections.abc import Collection
from dataclasses import asdict

import streamlit as st

from policypal.application.container import Container
from policypal.domain.audits import AuditReport, Finding, FindingKind
from policypal.domain.users import User
from policypal.ui import state
from policypal.ui.chat import badges
from policypal.ui.documents import page_view
from policypal.ui.html import html
from policypal.ui.markup import text
from policypal.ui.places import Place

_NOTHING_NEAR = "<p>No passage comes near it.</p>"


def head(finding: Finding) -> None:
    """Severity, title, kind."""
    html(_head(finding))


def beside(app: Container, user: User, report: AuditReport, finding: Finding, gone: Collection[str]) -> None:
    """Both quotations: the policy at the left, the rule at the right, each at its quotation, then what follows from it (A7)."""
    with st.container(key="finding_sides"):
        left, right = st.columns(2, gap="medium")
    with left:
        _side(
            app, user, _source_title(finding), report.source_title, gone, "left", finding.source_quote, finding.source_verified, Place(
                finding.source_document_id, finding.source_page, finding.source_quote, finding.source_start, finding.source_end,
            ) if finding.source_document_id and finding.source_page is not None else None,
        )  # fmt: skip
    with right:
        number = f" {finding.target_label}" if finding.target_label else ""
        _side(
            app, user, f"Rule{number}", finding.target_document, gone, "right", finding.target_quote, finding.target_verified, Place(
                finding.target_document_id, finding.target_page, finding.target_quote, finding.target_start, finding.target_end,
            ),
        )  # fmt: skip
    html(f'<div class="pp-answer">{_consequence(finding)}</div>')


def _side(
    app: Container, user: User, side: str, title: str, gone: Collection[str], where: str, quote: str, verified: bool, place: Place | None
) -> None:  # fmt: skip
    page = f", page {place.page}" if place else ""
    html(
        f'<div class="pp-side-title">{text(side)} · {text(title)}{page}</div>{_quote(quote, verified) if quote else _NOTHING_NEAR}'
    )
    if place is None:
        return
    if place.document_id in gone:
        st.caption(page_view.no_longer_there(title))
        return
    page_view.show(app, user, place, key=f"page_view_{where}", around=True)


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


def card_html(finding: Finding) -> str:
    """Both quotes side by side, then what it means and what to do."""
    source = _quote(finding.source_quote, finding.source_verified) if finding.source_quote else _NOTHING_NEAR
    return (
        f'<div class="pp-card">{_head(finding)}'
        f'<div class="pp-sides"><div><div class="pp-side-title">{_source_title(finding)}{_page(finding.source_page)}</div>{source}</div>'
        f'<div><div class="pp-side-title">Rule{_page(finding.target_page)}</div>'
        f"{_quote(finding.target_quote, finding.target_verified)}</div></div>"
        f"{_consequence(finding)}</div>"
    )


def _head(finding: Finding) -> str:
    kind = "Gap" if finding.kind is FindingKind.GAP else "Conflict"
    return (
        f'<div class="pp-finding-head">{badges.severity(finding.severity)}<span>{text(finding.title)}</span>{badges.badge(kind)}'
        f'<span class="pp-muted">{_theme(finding)}{_sure(finding)}</span></div>'
    )


def _sure(finding: Finding) -> str:
    return "raised by an analyst" if finding.is_raised else f"{finding.confidence:.0%} confident"


def _source_title(finding: Finding) -> str:
    return (
        f"No passage found in the {finding.side.lower()}; nearest one"
        if finding.kind is FindingKind.GAP
        else finding.side
    )


def _consequence(finding: Finding) -> str:
    told = f"<p><b>Consequence</b> {text(finding.consequence)}</p><p><b>Suggestion</b> {text(finding.suggestion)}</p>"
    return f"{told}{_note(finding)}"


def _theme(finding: Finding) -> str:
    """Beside a title of its own (the delta), the theme stands behind it."""
    return f"{text(finding.theme)} · " if finding.title != finding.theme else ""


def _note(finding: Finding) -> str:
    """What the check of the finding's sentences found against them (C2)."""
    return f'<p class="pp-muted">{text(finding.support)}</p>' if finding.support else ""


def _quote(quote: str, verified: bool) -> str:
    shown = f"“{text(quote)}”" if verified else f'{text(quote)} <span class="pp-muted">(not verified)</span>'
    return f'<div class="pp-quote">{shown}</div>'


def _page(number: int | None) -> str:
    return f", page {number}" if number is not None else ""
