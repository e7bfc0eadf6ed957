"""Auditing again after a change, and what became of the findings (A9, D8)."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby

import pandas as pd
import streamlit as st

from policypal.application import impact, reaudits, triage
from policypal.application.auditing import NewAudit
from policypal.application.container import Container
from policypal.application.impact import Impact, Touched
from policypal.application.reaudits import Reaudit
from policypal.domain.audits import AuditReport, Finding
from policypal.domain.documents import Document
from policypal.domain.text import counted, enumerated
from policypal.domain.triage import TriageStatus
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.audits import new_audit
from policypal.ui.chat import badges
from policypal.ui.html import html, tiles
from policypal.ui.markup import plain, text
from policypal.ui.shared import redline

_FEW_CHANGES, _IMPACT_HEIGHT = 4, 420


def button(app: Container, user: User, report: AuditReport, *, key: str = "audit_again") -> None:
    """Audit the same again, with the latest versions of its documents."""
    same = reaudits.again(app, user, report)
    if st.button("Audit again", key=key, icon=":material/replay:", disabled=not same.is_possible, help=_told(same)):
        _send(app, user, report, same)


def impact_of(app: Container, user: User, document: Document) -> None:
    """Beside a new version: which audits, obligations and clauses it touches. It is looked for when it is opened."""
    if not reaudits.resting_on_earlier(app, user, document.id):
        return
    panel = st.expander(
        "Audits that rest on an earlier version",
        icon=":material/sync_problem:",
        key=f"impact_{document.id}",
        on_change="rerun",
    )
    if panel.open:
        with panel, errors.shown():
            for found in impact.of_version(app, user, document):
                _impact(app, user, found)


def _impact(app: Container, user: User, found: Impact) -> None:
    judged = [(change, list(members)) for change, members in groupby(found.touched, key=lambda t: t.change)]
    told = [counted(len(judged), "clause it judged has", "clauses it judged have") + " changed"]
    told += [f"{counted(len(found.added), 'new obligation')} nobody has audited"] if found.added else []
    with st.container(horizontal=True, vertical_alignment="center", key=f"impact_of_{found.report.id}"):
        html(f"<b>{text(found.report.title)}</b><br>{text(enumerated(told))}")
        button(app, user, found.report, key=f"again_{found.report.id}")
    items = [
        *(f"<li>{redline.item(change)}{''.join(map(_held, members))}</li>" for change, members in judged),
        *(f"<li>{redline.item(t.change)}</li>" for t in found.added),
    ]
    if items:
        with st.container(height=_IMPACT_HEIGHT if len(items) > _FEW_CHANGES else "content", border=False):
            html(f'<div class="pp-answer pp-redline"><ol>{"".join(items)}</ol></div>')


def _held(touched: Touched) -> str:
    """What an audit held the clause against, and how it judged the two."""
    if not touched.other:
        return f'<p class="pp-small pp-muted">{text(touched.standing)}: nothing stood beside it.</p>'
    page = f", page {touched.other_page}" if touched.other_page else ""
    return f'<p class="pp-small pp-muted">{badges.badge(touched.standing)} beside “{text(touched.other)}”{page}</p>'


def _told(same: Reaudit) -> str:
    if same.is_possible:
        missing = f" Not in the library any more: {', '.join(same.gone)}." if same.gone else ""
        return plain(f"Audits the same with the latest versions: {_names(same)}.{missing}")
    return "This audit cannot be repeated: its source or its targets are not in the library any more, or not read yet."


def _names(same: Reaudit) -> str:
    source = same.source.display_title if same.source else "the same text"
    return f"{source} against {', '.join(d.display_title for d in same.targets)}"


def _send(app: Container, user: User, report: AuditReport, same: Reaudit) -> None:
    source = same.source.id if same.source else None
    wanted = NewAudit(source, tuple(d.id for d in same.targets), same.text, report.focus)
    new_audit.begin(app, user, replace(wanted, key=state.once(state.COMPOSER_NONCE, report.id)))


def since_before(app: Container, user: User, before: AuditReport, report: AuditReport) -> None:
    """What opened, closed, changed and stayed since the audit before."""
    found = reaudits.changes(app, user, before, report)
    made = clock.told(before.created_at) if before.created_at else ""
    st.caption(plain(f"Compared with “{before.title}” of {made}."))
    groups = {"Opened": found.opened, "Closed": found.closed, "Changed": found.changed, "Unchanged": found.unchanged}
    html(tiles((name, len(members)) for name, members in groups.items()))
    _versions(app, user, report)
    rows = [
        *(_row("Opened", f) for f in found.opened), *(_row("Closed", f) for f in found.closed),
        *(_row("Changed", later, _difference(earlier, later)) for earlier, later in found.changed),
        *(_row("Unchanged", f) for f in found.unchanged),
    ]  # fmt: skip
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, height=min(36 * (len(rows) + 1) + 2, 500), row_height=36)


def _versions(app: Container, user: User, report: AuditReport) -> None:
    """A chart of every version of this audit, the latest first: its findings by severity, and how work on them stands."""
    versions = reaudits.versions_of(app, user, report)
    statuses = triage.statuses(app, user, [v.id for v in versions])
    most = max(sum(v.counts.values()) for v in versions)
    differ = len({v.title for v in versions}) > 1
    lines = "".join(
        f'<div class="pp-meta"><b>{clock.told(v.created_at)}</b><span>{text(badges.severity_words(v.counts))}</span>'
        f'<span class="pp-muted">{text(_standing(statuses[v.id]))}</span>'
        f'<span class="pp-muted">{text(v.title) if differ else ""}</span></div>{badges.severity_bar(v.counts, most)}'
        for v in versions
    )
    html(f'<h3 class="pp-group">Versions of this audit</h3>{lines}')


def _standing(counts: Mapping[TriageStatus, int]) -> str:
    return ", ".join(f"{n} {status.label.lower()}" for status, n in counts.items() if n)


def _row(change: str, finding: Finding, difference: str = "") -> dict[str, str]:
    return {
        "Change": change, "Severity": finding.severity.value, "Finding": finding.title, "Rule": finding.target_label,
        "Against": finding.target_document, "What changed": difference,
    }  # fmt: skip


def _difference(earlier: Finding, later: Finding) -> str:
    """In words: what of a finding is not as it was."""
    told = []
    if earlier.severity is not later.severity:
        told.append(f"{earlier.severity.value} before, {later.severity.value} now")
    if earlier.source_quote != later.source_quote:
        told.append(f"it said “{earlier.source_quote}”")
    if earlier.target_quote != later.target_quote:
        told.append(f"the rule was “{earlier.target_quote}”")
    return "; ".join(told)
