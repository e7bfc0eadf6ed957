"""Auditing the same again after a change (A9, D8)."""

from __future__ import annotations

from uuid import uuid4

from policypal.application import library, reaudits, trash, versions
from policypal.application.container import Container
from policypal.db import audits as audits_db
from policypal.domain.audits import AuditedDocument, AuditReport, Finding, FindingKind, OverallStatus, Severity
from policypal.domain.documents import Document, DocumentType
from policypal.domain.users import User
from tests.support.documents import COMPANY_POLICY, RECORDS_RULE, add_text


def audited(
    app: Container,
    user: User,
    source: Document | None,
    target: Document,
    claim: str,
    *,
    title: str = "a text",
    focus: str = "",
) -> AuditReport:
    finding = Finding(
        kind=FindingKind.CONFLICT, target_document=target.display_title, target_document_id=target.id, theme="Records",
        severity=Severity.HIGH, consequence="", source_quote=claim, target_page=1, suggestion="", confidence=0.9,
        target_quote="Records must be kept for seven years.",
    )  # fmt: skip
    documents = tuple(
        AuditedDocument(id=d.id, title=d.display_title, sha256=d.sha256) for d in filter(None, (source, target))
    )
    report = AuditReport(
        id=str(uuid4()), title="An audit", overall_status=OverallStatus.MAJOR_VIOLATIONS, findings=(finding,), summary="",
        targets_checked=(target.display_title,), source_title=title if source is None else source.display_title,
        source_document_id=source.id if source else None, source_text=None if source else claim, documents=documents, focus=focus,
    )  # fmt: skip
    return audits_db.save_report(app.db, user.id, report)


def test_a9_what_is_audited_again_are_the_latest_versions(app: Container, user: User) -> None:
    policy = add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    old = add_text(app, user, "Records Rule", RECORDS_RULE, version="2023")
    first = audited(app, user, policy, old, "Records are kept for five years.")
    assert reaudits.again(app, user, first) == reaudits.Reaudit(policy, "", (old,))
    assert reaudits.report_before(app, user, first) is None

    new = add_text(app, user, "Keeping Rule", RECORDS_RULE.replace("seven", "nine"), version="2025")
    assert reaudits.resting_on_earlier(app, user, new.id) == [], "nobody has said that it is a new version"
    versions.link_versions(app, user, new.id, old.id)
    ((offered, earlier_one),) = reaudits.resting_on_earlier(app, user, new.id)
    assert (offered.id, earlier_one.id) == (first.id, old.id)
    assert reaudits.resting_on_earlier(app, user, old.id) == []
    same = reaudits.again(app, user, first)
    assert [d.id for d in same.targets] == [new.id] and same.source is not None and same.is_possible

    second = audited(app, user, policy, new, "Records are kept for six years.")
    assert reaudits.resting_on_earlier(app, user, new.id) == [], "it was audited again"
    before = reaudits.report_before(app, user, second)
    assert before is not None and before.id == first.id
    ((earlier, later),) = reaudits.changes(app, user, before, second).changed
    assert (earlier.source_quote, later.source_quote) == (
        first.findings[0].source_quote,
        second.findings[0].source_quote,
    )


def test_a5_an_audit_of_one_subject_takes_the_place_of_no_other(app: Container, user: User) -> None:
    policy = add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    rule = add_text(app, user, "Records Rule", RECORDS_RULE)
    whole = audited(app, user, policy, rule, "Records are kept for five years.")
    one = audited(app, user, policy, rule, "Records are kept for five years.", focus="records")
    assert reaudits.latest_ids(app, user) == {whole.id, one.id}
    assert reaudits.report_before(app, user, one) is None
    again = audited(app, user, policy, rule, "Records are kept for six years.", focus="Records ")
    assert reaudits.latest_ids(app, user) == {whole.id, again.id}
    assert [v.id for v in reaudits.versions_of(app, user, again)] == [again.id, one.id]


def test_a9_another_source_is_another_audit_and_a_text_can_be_audited_again(app: Container, user: User) -> None:
    policy = add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    rule = add_text(app, user, "Records Rule", RECORDS_RULE)
    audited(app, user, policy, rule, "Records are kept for five years.")
    text = audited(app, user, None, rule, "Records are kept for two years.")
    assert reaudits.report_before(app, user, text) is None
    same = reaudits.again(app, user, text)
    assert (same.source, same.text, same.targets) == (None, "Records are kept for two years.", (rule,))


def test_a9_an_audit_of_deleted_documents_cannot_be_repeated(app: Container, user: User) -> None:
    policy = add_text(app, user, "Our Policy", COMPANY_POLICY, type=DocumentType.COMPANY)
    rule = add_text(app, user, "Records Rule", RECORDS_RULE)
    report = audited(app, user, policy, rule, "Records are kept for five years.")
    trash.delete(app, user, [policy.id])
    same = reaudits.again(app, user, report)
    assert not same.is_possible and same.gone == (policy.display_title,)
    assert library.get_document(app, user, rule.id).id == rule.id
