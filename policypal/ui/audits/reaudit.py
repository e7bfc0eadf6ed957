"""Auditing again after a change, and what became of the findings (A9, D8)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from policypal.application import reaudits
from policypal.application.container import Container
from policypal.application.reaudits import Reaudit
from policypal.domain.audits import AuditReport, Finding
from policypal.domain.conversations import Action
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.ui.audits.findings import card_html
from policypal.ui.chat import composer
from policypal.ui.chat.composer import Part
from policypal.ui.html import html, tiles
from policypal.ui.markup import plain, text


def button(app: Container, user: User, report: AuditReport) -> None:
    """Audit the same again, with the latest versions of its documents."""
    same = reaudits.again(app, user, report)
    if st.button(
        "Audit again", key="audit_again", icon=":material/replay:", disabled=not same.is_possible, help=_told(same)
    ):
        _send(same)


def offer(app: Container, user: User, document: Document) -> None:
    """Beside a new version: audit again what was audited with an earlier one."""
    report = reaudits.resting_on_earlier(app, user, document.id)
    if report is None:
        return
    same = reaudits.again(app, user, report)
    told = plain(f"The audit “{report.title}” was made with an earlier version. {_told(same)}")
    if st.button(
        "Audit again", key="reaudit_offer", icon=":material/replay:", disabled=not same.is_possible, help=told
    ):
        _send(same)


def _told(same: Reaudit) -> str:
    if same.is_possible:
        missing = f" Not in the library any more: {', '.join(same.gone)}." if same.gone else ""
        return plain(f"Audits the same with the latest versions: {_names(same)}.{missing}")
    return "This audit cannot be repeated: its source or its targets are not in the library any more, or not read yet."


def _names(same: Reaudit) -> str:
    source = same.source.display_title if same.source else "the same text"
    return f"{source} against {', '.join(d.display_title for d in same.targets)}"


def _send(same: Reaudit) -> None:
    """The message "@Audit @source against @targets", or with the text in place of the source."""
    parts: list[Part] = [composer.action_tag(Action.AUDIT), composer.plain_words(" ")]
    if same.source is not None:
        parts += [composer.document_tag(same.source), composer.plain_words(" ")]
    parts.append(composer.plain_words("against "))
    for number, target in enumerate(same.targets):
        parts += [composer.plain_words(", ")] * (number > 0) + [composer.document_tag(target)]
    paragraphs = [[composer.plain_words(line)] for line in same.text.splitlines() if line.strip()]
    composer.send_in_new_chat(parts, *paragraphs)


def since_before(app: Container, user: User, before: AuditReport, report: AuditReport) -> None:
    """What opened, closed, changed and stayed since the audit before."""
    found = reaudits.changes(app, user, before, report)
    made = f"{before.created_at:%d %b %Y, %H:%M} UTC" if before.created_at else ""
    st.caption(plain(f"Compared with “{before.title}” of {made}."))
    counts = {
        "Opened": len(found.opened), "Closed": len(found.closed), "Changed": len(found.changed),
        "Unchanged": len(found.unchanged),
    }  # fmt: skip
    html(tiles(counts.items()))
    _group("Opened", report, found.opened)
    _group("Closed", before, found.closed)
    if found.changed:
        st.html('<h3 class="pp-group">Changed</h3>')
    for earlier, later in found.changed:
        st.html(f'<p class="pp-muted">{text(_difference(earlier, later))}</p>{card_html(report, later)}')
    if found.unchanged:
        with st.expander(f"{len(found.unchanged)} unchanged"):
            _group("", report, found.unchanged)


def _group(title: str, report: AuditReport, findings: Sequence[Finding]) -> None:
    if findings and title:
        st.html(f'<h3 class="pp-group">{title}</h3>')
    for finding in findings:
        st.html(f'<div class="pp-muted">{text(finding.target_document)}</div>{card_html(report, finding)}')


def _difference(earlier: Finding, later: Finding) -> str:
    """In words: what of a finding is not as it was."""
    told = []
    if earlier.severity is not later.severity:
        told.append(f"{earlier.severity.value} before, {later.severity.value} now")
    if earlier.source_quote != later.source_quote:
        told.append(f"the source said “{earlier.source_quote}”")
    if earlier.target_quote != later.target_quote:
        told.append(f"the requirement was “{earlier.target_quote}”")
    return f"{later.target_document}: {'; '.join(told)}"
