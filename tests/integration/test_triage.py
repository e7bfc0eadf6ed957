"""Working through findings: decide, take back, keep through a re-audit, leave with it (A7, A8, A9)."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import date, timedelta

import pytest
from openpyxl import load_workbook

from policypal.application import audit_files, audits, finding_filters, reaudits, triage, versions
from policypal.application.container import Container
from policypal.domain.audits import PASTED_TEXT, AuditReport, Severity
from policypal.domain.documents import Document, DocumentType
from policypal.domain.triage import UNTOUCHED, FindingFilter, Triage, TriageChange, TriageStatus
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from tests.integration.test_reaudits import audited
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE, add_text

CLAIM = "Records are kept for five years."


@pytest.fixture
def policy(app: Container, user: User) -> Document:
    return add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)


@pytest.fixture
def rule(app: Container, user: User) -> Document:
    return add_text(app, user, "Records Rule", RECORDS_RULE, version="2023")


@pytest.fixture
def report(app: Container, user: User, policy: Document, rule: Document) -> AuditReport:
    return audited(app, user, policy, rule, CLAIM)


def test_a7_a_decision_is_kept_with_who_changed_what_and_can_be_taken_back(
    app: Container, user: User, report: AuditReport
) -> None:
    (finding,) = report.findings
    assert triage.load(app, user, report) == {finding.id: UNTOUCHED}
    due = date(2030, 1, 31)
    changes = TriageChange(status=TriageStatus.IN_PROGRESS, owner="  Ada ", due_on=due)
    before = triage.change(app, user, report.id, [finding.id], changes, note="asked the archive")
    assert triage.load(app, user, report)[finding.id] == Triage(TriageStatus.IN_PROGRESS, "Ada", due)

    (event,) = triage.history(app, user, finding.id)
    assert (event.changed_by, event.note) == (user.email, "asked the archive")
    assert event.changes == {"status": ("open", "in_progress"), "owner": ("", "Ada"), "due_on": ("", "2030-01-31")}

    triage.put_back(app, user, report.id, before)
    assert triage.load(app, user, report)[finding.id] == UNTOUCHED
    assert [e.note for e in triage.history(app, user, finding.id)] == ["Undone", "asked the archive"]


def test_a7_an_accepted_risk_has_a_reason_and_runs_out(app: Container, user: User, report: AuditReport) -> None:
    (finding,) = report.findings
    accepted = TriageChange(status=TriageStatus.ACCEPTED_RISK, expires_on=date.today() - timedelta(days=1))
    with pytest.raises(InvalidInput, match="why the risk"):
        triage.change(app, user, report.id, [finding.id], accepted)
    assert triage.load(app, user, report)[finding.id] == UNTOUCHED
    triage.change(app, user, report.id, [finding.id], TriageChange(**accepted, reason="Legacy archive"))
    (waiting,) = triage.waiting(app, user, reaudits.latest_ids(app, user))
    assert waiting.triage.is_overdue(date.today()), "an accepted risk that has run out has to be looked at again"
    triage.change(app, user, report.id, [finding.id], TriageChange(status=TriageStatus.RESOLVED))
    held = triage.load(app, user, report)[finding.id]
    assert (held.reason, held.expires_on) == ("", None)
    assert triage.waiting(app, user, reaudits.latest_ids(app, user)) == []


@pytest.mark.parametrize(
    "changes",
    [{"owner": "x" * 201}, {"reason": "x" * 2_001}, {"evidence": "x" * 2_001}, {}, {"status": TriageStatus.OPEN}],
)
def test_a7_what_does_not_fit_or_changes_nothing_is_refused(
    app: Container, user: User, report: AuditReport, changes: TriageChange
) -> None:
    with pytest.raises(InvalidInput):
        triage.change(app, user, report.id, [report.findings[0].id], changes)
    assert triage.history(app, user, report.findings[0].id) == []


def test_a7_a_finding_or_report_that_is_gone_is_said(app: Container, user: User, report: AuditReport) -> None:
    with pytest.raises(NotFound):
        triage.change(app, user, report.id, ["no such finding"], TriageChange(owner="Ada"))
    audits.delete(app, user, report.id)
    with pytest.raises(NotFound):
        triage.change(app, user, report.id, [report.findings[0].id], TriageChange(owner="Ada"))
    assert triage.history(app, user, report.findings[0].id) == []


def test_a9_decisions_follow_a_finding_into_the_audit_of_a_new_edition(
    app: Container, user: User, report: AuditReport, policy: Document, rule: Document
) -> None:
    decided = TriageChange(status=TriageStatus.FALSE_POSITIVE, owner="Ada", severity=Severity.LOW)
    triage.change(app, user, report.id, [report.findings[0].id], decided)
    new = add_text(app, user, "Keeping Rule", RECORDS_RULE.replace("seven", "nine"), version="2025")
    versions.link_versions(app, user, new.id, rule.id)
    again = audited(app, user, policy, new, CLAIM)
    assert triage.carry_over(app, user, again) == 1
    held = triage.load(app, user, again)[again.findings[0].id]
    assert held == Triage(TriageStatus.FALSE_POSITIVE, "Ada", severity=Severity.LOW)
    assert triage.corrected(again, {again.findings[0].id: held}).findings[0].severity is Severity.LOW
    assert "Carried over from An audit" in triage.history(app, user, again.findings[0].id)[0].note
    assert reaudits.latest_ids(app, user) == {again.id}, "what was audited twice counts once"


def test_a9_what_was_resolved_and_is_found_again_is_open_again(
    app: Container, user: User, report: AuditReport, policy: Document, rule: Document
) -> None:
    triage.change(
        app, user, report.id, [report.findings[0].id], TriageChange(status=TriageStatus.RESOLVED, owner="Ada")
    )
    again = audited(app, user, policy, rule, CLAIM)
    triage.carry_over(app, user, again)
    assert triage.load(app, user, again)[again.findings[0].id] == replace(UNTOUCHED, owner="Ada")


def test_a8_the_files_hold_the_decisions(app: Container, user: User, report: AuditReport) -> None:
    (finding,) = report.findings
    triage.change(app, user, report.id, [finding.id], TriageChange(owner="=Ada", severity=Severity.CRITICAL))
    decided = triage.load(app, user, report)
    shown = triage.corrected(report, decided)
    (row,) = csv.DictReader(
        io.StringIO(audit_files.export(app, user, shown, "csv", shown.findings, decided).decode("utf-8-sig"))
    )
    assert (row["Status"], row["Owner"], row["Severity"]) == ("Open", "'=Ada", "Critical")
    book = load_workbook(io.BytesIO(audit_files.export(app, user, shown, "xlsx", shown.findings, decided)))
    assert next(iter(book["Register"].iter_rows(min_row=2, values_only=True)))[0] == "Records Rule (2023)", (
        "the register of what was audited against"
    )
    sheet = book["Findings"]
    assert sheet.auto_filter.ref and sheet.freeze_panes == "D2"
    assert sheet.cell(2, [c.value for c in sheet[1]].index("Severity") + 1).fill.fgColor.rgb == "00F4B6B6"


def test_a5_two_pasted_texts_are_two_audits(app: Container, user: User, rule: Document) -> None:
    made = [
        audited(app, user, None, rule, claim, title=PASTED_TEXT)
        for claim in (CLAIM, "Records are kept for two years.", CLAIM)
    ]
    assert reaudits.latest_ids(app, user) == {made[1].id, made[2].id}


def test_a7_a_filter_is_kept_under_a_name_replaced_renamed_and_deleted(app: Container, user: User) -> None:
    grave = FindingFilter((Severity.CRITICAL, Severity.HIGH), (TriageStatus.OPEN,), ("Records Rule",), "records")
    finding_filters.save(app, user, "  my   open ones ", FindingFilter(words="x"))
    finding_filters.save(app, user, "my open ones", grave)
    finding_filters.save(app, user, "Another", FindingFilter(words="incident"))
    assert list(finding_filters.saved(app, user).items()) == [
        ("Another", FindingFilter(words="incident")),
        ("my open ones", grave),
    ]
    with pytest.raises(InvalidInput):
        finding_filters.rename(app, user, "Another", "my open ones")
    finding_filters.rename(app, user, "Another", "Incidents")
    with pytest.raises(NotFound):
        finding_filters.rename(app, user, "Another", "Yet another")
    finding_filters.delete(app, user, "my open ones")
    finding_filters.delete(app, user, "my open ones")
    assert list(finding_filters.saved(app, user)) == ["Incidents"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [(" ", FindingFilter(words="x")), ("n" * 61, FindingFilter(words="x")), ("All", FindingFilter())],
)
def test_a7_a_filter_without_a_name_or_that_filters_nothing_is_refused(
    app: Container, user: User, name: str, wanted: FindingFilter
) -> None:
    with pytest.raises(InvalidInput):
        finding_filters.save(app, user, name, wanted)
    assert not finding_filters.saved(app, user)


def test_a7_what_a_kept_filter_says_and_nobody_knows_any_more_is_left_out() -> None:
    assert FindingFilter.of({"severities": ["Low", "Dreadful"], "statuses": ["gone"]}) == FindingFilter((Severity.LOW,))
