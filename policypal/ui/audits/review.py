"""What nobody judged: each statement of the source beside the rules nearest to it (A4)."""

from collections.abc import Collection, Sequence
from functools import partial

import streamlit as st

from policypal.application import audits
from policypal.domain.audits import AuditReport, ReviewPair, by_claim
from policypal.ui import labels
from policypal.ui.audits import findings
from policypal.ui.html import html
from policypal.ui.markup import text
from policypal.ui.places import Place

_PAGE_SIZE = 20


def show(report: AuditReport, gone: Collection[str]) -> None:
    """The whole tab. ``gone`` are the ids of deleted documents."""
    if not report.review:
        st.caption("Nothing is left to review: every statement was judged, or nothing could be compared.")
        return
    wanted = st.text_input("Search in statements and rules", key=f"review_find_{report.id}", icon=":material/search:")
    pairs = audits.filter_review(report, containing=wanted or "")
    claims = by_claim(pairs)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(
            f"{len(claims):,} statements beside the rules nearest to them; nobody judged these.", width="content"
        )
        st.download_button(
            "CSV", data=partial(audits.export_review_csv, report, pairs), mime="text/csv",
            file_name=f"To-review_{audits.file_name(report)}.csv", icon=":material/download:", on_click="ignore",
            key="download_review", type="tertiary", help="The statements shown with their rules, as CSV",
        )  # fmt: skip
    numbered = list(enumerate(claims))
    for number, listed in labels.page_of(numbered, _PAGE_SIZE, key=f"review_{report.id}"):
        _card(report, number, listed, gone)


def _card(report: AuditReport, number: int, pairs: Sequence[ReviewPair], gone: Collection[str]) -> None:
    html(card_html(pairs, is_one=len(report.targets_checked) == 1))
    claim = pairs[0]
    with st.container(horizontal=True, gap="xsmall"):
        if claim.source_document_id and claim.source_page is not None:
            findings.page_button(
                f"source_review_{number}", "Policy", report.source_title, gone,
                Place(claim.source_document_id, claim.source_page, claim.source_quote, claim.source_start, claim.source_end),
            )  # fmt: skip
        for place, pair in enumerate(pairs, 1):
            findings.page_button(
                f"target_review_{number}_{place}", f"Rule {place}", pair.target_document, gone,
                Place(pair.target_document_id, pair.target_page, pair.target_quote, pair.target_start, pair.target_end),
            )  # fmt: skip


def card_html(pairs: Sequence[ReviewPair], *, is_one: bool = False) -> str:
    """The statement on the left, its rules on the right, the nearest first; their document is named unless ``is_one`` is all there is."""
    claim = pairs[0]
    page = f", page {claim.source_page}" if claim.source_page is not None else ""
    rules = "".join(f"<div>{_where(n, p, is_one)}</div>{_rule(p)}" for n, p in enumerate(pairs, 1))
    return (
        f'<div class="pp-card"><div class="pp-sides"><div><div class="pp-side-title">Statement{page}</div>'
        f'<div class="pp-quote">“{text(claim.source_quote)}”</div></div>'
        f'<div><div class="pp-side-title">Nearest rules</div>{rules}</div></div></div>'
    )


def _where(number: int, pair: ReviewPair, is_one: bool) -> str:
    title = "" if is_one else f"{text(pair.target_document)} "
    return f"{number}. <b>{title}{text(pair.target_label)}</b>{', ' if title or pair.target_label else ''}page {pair.target_page}"


def _rule(pair: ReviewPair) -> str:
    introduction = (
        f'<span class="pp-muted">{text(pair.target_introduction)}</span> ' if pair.target_introduction else ""
    )
    reason = f'<div class="pp-muted">{text(pair.reason)}</div>' if pair.reason else ""
    return f'<div class="pp-quote">{introduction}“{text(pair.target_quote)}”</div>{reason}'
