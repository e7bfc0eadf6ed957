"""Deciding about the pairs to review: kept by the words of both sides, in history, exports and a re-audit (A7, A8, A9)."""

from __future__ import annotations

import csv
import io

import pytest

from policypal.application import ask, audit_files, auditing, audits, pair_decisions, triage
from policypal.application.auditing import NewAudit
from policypal.application.container import Container
from policypal.domain.audits import AuditReport, OverallStatus, PairOutcome, ReviewPair, Severity
from policypal.domain.documents import Document, DocumentType
from policypal.domain.triage import TriageChange, TriageStatus
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from policypal.export.reports import review_csv
from tests.support.documents import RECORDS_RULE, add_text
from tests.support.timeouts import LONGEST_WAIT_SECONDS

POLICY = "Records are put on the shelf by whoever comes first.\n\nVisitors sign the book at the gate.\n"
DELTA = "Policy: anybody → Rule: the archivist"


def audited(app: Container, user: User, policy: Document, rule: Document) -> AuditReport:
    thread = ask.new_thread_id()
    auditing.start(app, user, thread, NewAudit(policy.id, (rule.id,)))
    assert list(ask.events(app, user, thread, timeout_seconds=LONGEST_WAIT_SECONDS))
    return audits.list_reports(app, user)[0]


@pytest.fixture
def rule(app: Container, user: User) -> Document:
    return add_text(app, user, "Records Rule", RECORDS_RULE, version="2023")


@pytest.fixture
def policy(app: Container, user: User) -> Document:
    return add_text(app, user, "Our Policy", POLICY, type=DocumentType.COMPANY)


@pytest.fixture
def report(app: Container, user: User, policy: Document, rule: Document) -> AuditReport:
    found = audited(app, user, policy, rule)
    assert found.findings == () and len(found.review) > 1
    return found


def pair_of(report: AuditReport, key: str) -> ReviewPair:
    return next(p for p in report.review if p.key == key)


def again(app: Container, user: User, report: AuditReport) -> AuditReport:
    return audits.get_report(app, user, report.id)


def test_a7_a_pair_without_a_conflict_is_decided_and_opened_again_with_its_history(
    app: Container, user: User, report: AuditReport
) -> None:
    key = report.review[0].key
    pair_decisions.decide(app, user, report.id, key, PairOutcome.NO_CONFLICT)
    held = again(app, user, report)
    decision = pair_of(held, key).decision
    assert decision and (decision.outcome, decision.decided_by) == (PairOutcome.NO_CONFLICT, user.email)
    assert held.undecided == report.undecided - 1 and held.findings == () and held.headline == report.headline
    pair_decisions.decide(app, user, report.id, key, PairOutcome.OPEN)
    held = again(app, user, report)
    assert pair_of(held, key).decision is None and held.undecided == report.undecided
    assert [d.outcome for d in pair_of(held, key).decisions] == [PairOutcome.NO_CONFLICT, PairOutcome.OPEN]


def test_a7_a_raised_pair_is_a_finding_that_counts_and_is_worked_through_as_others(
    app: Container, user: User, report: AuditReport
) -> None:
    key = report.review[0].key
    raised = {"severity": Severity.HIGH, "delta": DELTA}
    pair_decisions.decide(app, user, report.id, key, PairOutcome.RAISED, **raised)  # type: ignore[arg-type]
    held = again(app, user, report)
    (finding,) = held.findings
    assert (finding.title, finding.severity, finding.is_raised) == (DELTA, Severity.HIGH, True)
    assert (finding.source_quote, finding.target_quote) == (
        report.review[0].source_quote,
        report.review[0].target_quote,
    )
    assert held.overall_status is OverallStatus.MAJOR_VIOLATIONS
    overview = audits.list_overviews(app, user)[0]
    assert overview.overall_status is held.overall_status and overview.counts[Severity.HIGH] == 1
    triage.change(app, user, report.id, [finding.id], TriageChange(owner="Ada"))
    assert triage.load(app, user, held)[finding.id].owner == "Ada"
    pair_decisions.decide(app, user, report.id, key, PairOutcome.OPEN)
    assert again(app, user, report).findings == () and again(app, user, report).headline == report.headline
    assert (
        triage.waiting(app, user, [report.id]) == [] and audits.list_overviews(app, user)[0].counts[Severity.HIGH] == 0
    )

    another = report.review[1].key
    pair_decisions.decide(app, user, report.id, another, PairOutcome.RAISED, **raised)  # type: ignore[arg-type]
    pair_decisions.decide(app, user, report.id, key, PairOutcome.RAISED, **raised)  # type: ignore[arg-type]
    held = again(app, user, report)
    assert len(held.findings) == 2 and triage.load(app, user, held)[finding.id].owner == "Ada", (
        "what was decided is back"
    )
    triage.change(app, user, report.id, [f.id for f in held.findings], TriageChange(status=TriageStatus.FALSE_POSITIVE))
    assert again(app, user, report).headline == report.headline, "a false positive weighs nothing"
    assert audits.list_overviews(app, user)[0].overall_status is report.overall_status


def test_a7_a_finding_needs_words_and_a_severity_and_a_pair_that_is_there(
    app: Container, user: User, report: AuditReport
) -> None:
    key = report.review[0].key
    for given in ({"severity": Severity.LOW, "delta": " "}, {"delta": DELTA}):
        with pytest.raises(InvalidInput, match="how severe"):
            pair_decisions.decide(app, user, report.id, key, PairOutcome.RAISED, **given)  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        pair_decisions.decide(app, user, report.id, "another", PairOutcome.NO_CONFLICT)
    assert again(app, user, report).undecided == report.undecided


def test_a9_decisions_about_pairs_go_on_in_a_new_audit_of_the_same_words(
    app: Container, user: User, report: AuditReport, policy: Document, rule: Document
) -> None:
    fine, wrong = report.review[1].key, report.review[0].key
    pair_decisions.decide(app, user, report.id, fine, PairOutcome.NO_CONFLICT)
    pair_decisions.decide(app, user, report.id, wrong, PairOutcome.RAISED, severity=Severity.MEDIUM, delta=DELTA)
    (finding,) = again(app, user, report).findings
    triage.change(app, user, report.id, [finding.id], TriageChange(owner="Ada"))
    later = audited(app, user, policy, rule)
    assert later.id != report.id
    held = again(app, user, later)
    assert {p.key: p.decision.outcome for p in held.review if p.decision} == {
        fine: PairOutcome.NO_CONFLICT, wrong: PairOutcome.RAISED,
    }  # fmt: skip
    (same,) = held.findings
    assert same.id != finding.id and triage.load(app, user, held)[same.id].owner == "Ada"


def test_a8_the_exports_say_what_was_decided_about_a_pair(app: Container, user: User, report: AuditReport) -> None:
    key = report.review[0].key
    pair_decisions.decide(app, user, report.id, key, PairOutcome.RAISED, severity=Severity.LOW, delta=DELTA)
    held = again(app, user, report)
    rows = list(csv.DictReader(io.StringIO(review_csv(held, held.review).decode("utf-8-sig"))))
    assert [(r["Decision"], r["Raised severity"], r["Raised as"], r["Decided by"]) for r in rows if r["Decision"]] == [
        ("Raised as finding", "Low", DELTA, user.email)
    ]
    for extension in audit_files.FORMATS:
        assert audit_files.export(app, user, held, extension, held.findings, triage.load(app, user, held))
