"""What no engine judged: each statement of the source beside the rules nearest to it, decided pair by pair (A4, A7)."""

from collections.abc import Collection, Sequence
from functools import partial

import streamlit as st

from policypal.application import audits, pair_decisions
from policypal.application.container import Container
from policypal.domain.audits import AuditReport, PairOutcome, ReviewPair, Severity, by_claim
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import clock, errors, labels, state
from policypal.ui.audits import findings
from policypal.ui.html import html
from policypal.ui.markup import text
from policypal.ui.places import Place

_PAGE_SIZE = 10
_OPEN, _DECIDED = "To decide", "Decided"


@st.fragment
@errors.shown()
def show(app: Container, user: User, told: AuditReport, gone: Collection[str]) -> None:
    """The whole tab. ``gone`` are the ids of deleted documents. A fragment: a decision draws the pairs again, and the page only where it made a
    finding or took one back."""
    report = audits.get_report(app, user, told.id)
    if {f.id for f in report.findings} != {f.id for f in told.findings}:
        st.rerun()
    if not report.review:
        st.caption("Nothing is left to review: every statement was judged, or nothing could be compared.")
        return
    left, right = st.columns([2, 3], vertical_alignment="center")
    which = left.pills("Pairs", [_OPEN, _DECIDED], key=f"review_which_{report.id}", label_visibility="collapsed")
    wanted = right.text_input(
        "Search in statements and rules", key=f"review_find_{report.id}", icon=":material/search:",
        placeholder="Search in statements and rules", label_visibility="collapsed",
    )  # fmt: skip
    pairs = audits.filter_review(report, containing=wanted or "")
    claims = [c for c in by_claim(pairs) if which is None or any((p.decision is None) == (which == _OPEN) for p in c)]
    pairs = [pair for claim in claims for pair in claim]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(
            f"{len(claims):,} statements beside the rules nearest to them, which no engine judged. "
            f"{len(report.review) - report.undecided:,} of {counted(len(report.review), 'pair')} decided.",
            width="content",
        )
        st.download_button(
            "CSV", data=partial(audits.export_review_csv, report, pairs), mime="text/csv",
            file_name=f"To-review_{audits.file_name(report)}.csv", icon=":material/download:", on_click="ignore",
            key="download_review", type="tertiary", help="The statements shown with their rules, as CSV",
        )  # fmt: skip
    numbered = list(enumerate(claims))
    for number, listed in labels.page_of(numbered, _PAGE_SIZE, key=f"review_{report.id}"):
        _card(app, user, report, number, listed, gone)


def _card(
    app: Container, user: User, report: AuditReport, number: int, pairs: Sequence[ReviewPair], gone: Collection[str]
) -> None:
    """The statement, and a line per rule with what can be decided about the pair."""
    claim, is_one = pairs[0], len(report.targets_checked) == 1
    with st.container(border=True, gap="xxsmall", key=f"claim_{number}"):
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key=f"pair_{number}_0"):
            html(f'<div class="pp-said">“{text(claim.source_quote)}”</div>')
            if claim.source_document_id and claim.source_page is not None:
                findings.page_button(
                    f"source_review_{number}", "Policy", report.source_title, gone,
                    Place(claim.source_document_id, claim.source_page, claim.source_quote, claim.source_start, claim.source_end),
                )  # fmt: skip
        for place, pair in enumerate(pairs, 1):
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key=f"pair_{number}_{place}"):
                html(rule_html(place, pair, is_one=is_one))
                findings.page_button(
                    f"target_review_{number}_{place}", f"Rule {place}", pair.target_document, gone,
                    Place(pair.target_document_id, pair.target_page, pair.target_quote, pair.target_start, pair.target_end),
                )  # fmt: skip
                _decision(app, user, report, pair, f"{number}_{place}")
            if st.session_state.get(state.PAIR_RAISED) == [report.id, number, place]:
                _raising(app, user, report, pair, f"{number}_{place}")


def _decision(app: Container, user: User, report: AuditReport, pair: ReviewPair, place: str) -> None:
    """What was decided about a pair with a way back, else the ways to decide."""
    decide = partial(_decide, app, user, report.id, pair.key)
    if pair.decision is None:
        st.button("No conflict", key=f"no_conflict_{place}", icon=":material/check:", type="tertiary", on_click=decide, args=(PairOutcome.NO_CONFLICT,))  # fmt: skip
        st.button("Raise as finding", key=f"raise_{place}", icon=":material/flag:", type="tertiary", on_click=_open, args=(report.id, place))  # fmt: skip
        return
    told = "".join(
        f"{text(d.words)} · {text(d.decided_by)} · {clock.told(d.decided_at)}<br>" for d in reversed(pair.decisions)
    )
    html(f'<details class="pp-log"><summary>{text(pair.decision.words)}</summary><span class="pp-muted">{told}</span></details>', width="content")  # fmt: skip
    st.button("Undo", key=f"undo_pair_{place}", icon=":material/undo:", type="tertiary", on_click=decide, args=(PairOutcome.OPEN,))  # fmt: skip


def _open(report_id: str, place: str) -> None:
    st.session_state[state.PAIR_RAISED] = [report_id, *map(int, place.split("_"))]


def _raising(app: Container, user: User, report: AuditReport, pair: ReviewPair, place: str) -> None:
    """The form of the finding that a pair is raised as."""
    key = f"raising_{place}"
    with st.form(key, border=True):
        left, right = st.columns([1, 3], gap="small")
        left.selectbox("Severity", [s.value for s in Severity], index=1, key=f"{key}_severity")
        right.text_input(
            "What conflicts, in a line", max_chars=pair_decisions.MAX_DELTA, key=f"{key}_delta", placeholder="Policy: five years → Rule: seven years"
        )  # fmt: skip
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button("Raise", type="primary", icon=":material/flag:", on_click=_raise, args=(app, user, report.id, pair.key, key))  # fmt: skip
            st.form_submit_button("Cancel", on_click=state.forget, args=(state.PAIR_RAISED,))


def _raise(app: Container, user: User, report_id: str, pair: str, key: str) -> None:
    severity, delta = Severity(st.session_state[f"{key}_severity"]), st.session_state[f"{key}_delta"] or ""
    with errors.toasted():
        pair_decisions.decide(app, user, report_id, pair, PairOutcome.RAISED, severity=severity, delta=delta)
        state.forget(state.PAIR_RAISED)


def _decide(app: Container, user: User, report_id: str, pair: str, outcome: PairOutcome) -> None:
    with errors.toasted():
        pair_decisions.decide(app, user, report_id, pair, outcome)


def rule_html(number: int, pair: ReviewPair, *, is_one: bool = False) -> str:
    """One line that a click shows whole; at once where there is a reason to tell. Its document is named unless ``is_one`` is all there is."""
    named = "" if is_one else pair.target_document
    label = "" if pair.target_quote.startswith(pair.target_label) else pair.target_label
    introduction = (
        f'<span class="pp-muted">{text(pair.target_introduction)}</span> ' if pair.target_introduction else ""
    )
    reason = f'<div class="pp-muted">{text(pair.reason)}</div>' if pair.reason else ""
    return (
        f'<details class="pp-pair"{" open" if reason else ""}><summary>{number}. <b>{text(f"{named} {label}".strip())}</b> '
        f"{introduction}“{text(pair.target_quote)}”</summary>{reason}</details>"
    )
