"""One audit report: status, findings, coverage, and what it was made from (A4–A8)."""

from collections.abc import Collection, Mapping
from functools import partial

import streamlit as st

from policypal.application import audit_files, audits, reading, reaudits
from policypal.application import triage as decisions
from policypal.application.container import Container
from policypal.domain.audits import AuditReport, Finding, Severity
from policypal.domain.extents import read_in_full, read_in_part
from policypal.domain.text import counted
from policypal.domain.triage import Triage, TriageStatus
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.audits import coverage, filters, findings, reaudit, review, triage
from policypal.ui.chat import badges, run_log
from policypal.ui.documents import page_view
from policypal.ui.html import html
from policypal.ui.markup import text

_FORMATS = {
    "csv": ("CSV", "text/csv"),
    "xlsx": ("Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "docx": ("Word", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
}
"""By extension: what a button calls it, and its kind."""


def show(app: Container, user: User, report_id: str) -> None:
    st.button("All reports", icon=":material/arrow_back:", type="tertiary", on_click=close, key="back_to_reports")
    with errors.shown(), st.container(key="workspace"):  # as wide as the window
        as_found = audits.get_report(app, user, report_id)
        decided = decisions.load(app, user, as_found)
        report = decisions.corrected(as_found, decided)
        gone = _missing(app, user, report)
        _head(app, user, report, decided)
        before = reaudits.report_before(app, user, report)
        names = ["Findings", "To review", "Coverage", "Inputs", *["Changes"] * bool(before)]
        found, unjudged, covered, inputs, *changed = st.tabs(names)
        # each by itself: what cannot be drawn of one takes nothing from the others (U2e)
        if before is not None:
            with changed[0], errors.shown():
                reaudit.since_before(app, user, before, report)
        with found, errors.shown():
            _standing(app, user, as_found, gone, _counts(report, decided))
            _contradicted(report)
        with unjudged, errors.shown():
            review.show(app, user, report, gone)
        with covered, errors.shown():
            coverage.show(report, gone)
        with inputs, errors.shown():
            _inputs(report)
        with inputs:
            _delete(app, user, report)
        _page_panel(app, user)


def close() -> None:
    state.forget(state.FINDING_PAGE, state.COVERAGE_ROW, state.TRIAGE_UNDO, state.PAIR_RAISED)
    st.query_params.clear()


def _head(app: Container, user: User, report: AuditReport, decided: dict[str, Triage]) -> None:
    """What was audited, the verdict, and in small what it rests on: the findings begin as high up as they can."""
    counts = _counts(report, decided)
    made = clock.told(report.created_at) if report.created_at else ""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="report_head"):
        html(
            f'<h1 class="pp-title" title="{text(report.title)}">{text(report.title)}</h1>'
            f'<div class="pp-meta">{badges.verdict(report.overall_status, report.headline)}{badges.limited_to(report.focus)}'
            f"<span>{text(badges.severity_words(counts))}</span>"
            f'<span class="pp-muted">{made}</span><span class="pp-muted">{text(badges.engine(report.engine))}</span></div>',
            width="stretch",
        )
        reaudit.button(app, user, report)
    html(f"{badges.severity_bar(counts)}{_reading(report)}")


def _counts(report: AuditReport, decided: Mapping[str, Triage]) -> dict[Severity, int]:
    """What counts by severity: false positives do not."""
    standing = (f for f in report.findings if decided[f.id].status is not TriageStatus.FALSE_POSITIVE)
    return badges.severity_counts(f.severity for f in standing)


def _reading(report: AuditReport) -> str:
    """The verdict's reason and the summary with what they rest on: first where that is not everything (A0)."""
    part, full = text(read_in_part(report.reading)), text(read_in_full(report.reading))
    first = f'<p class="pp-small pp-orange"><strong>{part}</strong></p>' if part else ""
    because = f'<p class="pp-small"><b>Why</b> {text(report.verdict_reason)}.</p>' if report.verdict_reason else ""
    pages = f"{sum(e.pages_read for e in report.reading):,} of {sum(e.pages for e in report.reading):,} pages read · "
    rests = f'<p class="pp-small">{text(report.summary)} <span class="pp-muted">{full}</span></p>'
    told = f"{pages if report.reading else ''}What this rests on"
    return f'{first}{because}<details class="pp-log"><summary>{told}</summary>{rests}</details>'


def _contradicted(report: AuditReport) -> None:
    if report.contradicted:
        st.html('<h3 class="pp-group">Contradicted by their own quotations</h3>')
        st.caption("These findings count for nothing: the figures they quote do not conflict.")
        html("".join(map(findings.card_html, report.contradicted)))


@st.fragment
@errors.shown()
def _standing(
    app: Container, user: User, found: AuditReport, gone: Collection[str], told: Mapping[Severity, int]
) -> None:
    """A fragment: a filter, another finding or a decision draws the table and what is open beside it, and nothing else of the page,
    unless the counts at its head (``told``) are not right any more."""
    decided = decisions.load(app, user, found)
    report = decisions.corrected(found, decided)
    if _counts(report, decided) != told:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="finding_filters"):
        shown = filters.shown(app, user, report, decided) if report.findings else []
        with st.popover("Export", icon=":material/download:", key="report_export"):
            _downloads(app, user, report, shown, decided, gone)
    if not report.findings:
        st.info(
            "No findings. The verdict above says what was judged, “To review” what was not.", icon=":material/info:"
        )
        return
    triage.show(app, user, report, shown, decided, gone)


def _downloads(
    app: Container, user: User, report: AuditReport, shown: list[Finding], decided: dict[str, Triage], gone: Collection[str]
) -> None:  # fmt: skip
    """The findings that are shown, in each format; the report's facts and its coverage with them where the format has room."""
    for extension, (label, kind) in _FORMATS.items():
        st.download_button(
            label, data=partial(audit_files.export, app, user, report, extension, shown, decided), mime=kind,
            file_name=f"{audits.file_name(report)}.{extension}", icon=":material/download:", on_click="ignore",
            key=f"download_{extension}", type="tertiary",
            help=f"{len(shown)} findings as {label}" + (", with the coverage" if report.coverage and extension != "csv" else ""),
        )  # fmt: skip
    edits = audit_files.accepted(report, decided)
    if edits and report.source_document_id and report.source_document_id not in gone:
        st.download_button(
            "Policy with changes", data=lambda: audit_files.policy_with_changes(app, user, report, decided)[0], mime=_FORMATS["docx"][1],
            file_name=f"Changes_{audits.file_name(report)}.docx", icon=":material/rate_review:", on_click="ignore",
            key="download_changes", type="tertiary",
            help=f"{counted(len(edits), 'accepted wording')} as tracked changes, which Word accepts and rejects one by one",
        )  # fmt: skip
    st.download_button(
        "Audit pack", data=partial(audit_files.audit_pack, app, user, report, decided), mime="application/zip",
        file_name=f"{audits.file_name(report)}.zip", icon=":material/folder_zip:", on_click="ignore", key="download_pack",
        type="tertiary", help="Everything in one ZIP: report, findings, coverage, registers, and a manifest with SHA-256",
    )  # fmt: skip


def _missing(app: Container, user: User, report: AuditReport) -> set[str]:
    """The documents that the report cites and the library does not hold any more (D10)."""
    cited = [(f.target_document_id, f.source_document_id) for f in (*report.findings, *report.contradicted)]
    cited += [(pair.target_document_id, pair.source_document_id) for pair in report.review]
    cited += [(r.target_document_id, report.source_document_id) for r in report.coverage or ()]
    return reading.missing(app, user, {i for ids in cited for i in ids if i})


def _inputs(report: AuditReport) -> None:
    """The exact bytes and the engine the report rests on (A5)."""
    files = "".join(
        f"<tr><td>{text(d.title)}</td><td><code>{text(d.sha256)}</code></td></tr>" for d in report.documents
    )
    facts = {
        "Audited": report.source_title,
        "Limited to": report.focus or "everything",
        "Engine": badges.engine(report.engine),
        "Models": ", ".join(report.models) or "none",
        "Prompt version": report.prompt_version,
        "Cost": f"${report.cost_usd:.4f}",
        "Time": run_log.seconds(report.seconds),
        "Themes": ", ".join(report.themes_analyzed) or "none",
    }
    rows = "".join(f'<tr><th scope="row">{text(k)}</th><td>{text(v)}</td></tr>' for k, v in facts.items())
    st.html(
        '<div class="pp-answer"><div class="pp-scroll"><table class="pp-table"><thead><tr><th>Document</th><th>SHA-256</th></tr></thead>'
        f'<tbody>{files}</tbody></table></div><table class="pp-table"><tbody>{rows}</tbody></table></div>'
    )
    if report.not_assessed:
        missing = "".join(f"<li>{text(n)}</li>" for n in report.not_assessed)
        st.html(f'<div class="pp-answer"><h3>Not assessed</h3><ul>{missing}</ul></div>')
    if report.source_text:
        with st.expander("The text that was audited"):
            st.html(f'<div class="pp-page-text">{text(report.source_text)}</div>')


def _delete(app: Container, user: User, report: AuditReport) -> None:
    with st.popover("Delete report", icon=":material/delete:"):
        st.markdown("Deletes this report and its findings. The conversation it came from stays.")
        if st.button("Delete for good", key="delete_report", type="primary"):
            with errors.shown():
                audits.delete(app, user, report.id)
                close()
                state.notify("Audit report deleted.")
                st.rerun()


def _page_panel(app: Container, user: User) -> None:
    """The page behind a quote, at the right, with the passage highlighted."""
    opened = findings.opened_page()
    if opened is None:
        return
    title, place = opened
    with st.container(key="sources_panel"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            st.html(f'<h2 class="pp-panel-title">{text(title)}, page {place.page}</h2>', width="stretch")
            st.button(
                "Close", key="close_page", icon=":material/close:", type="tertiary", on_click=state.forget,
                args=(state.FINDING_PAGE,),
            )  # fmt: skip
        st.html(f'<div class="pp-quote">“{text(place.quote)}”</div>')
        page_view.show(app, user, place)
