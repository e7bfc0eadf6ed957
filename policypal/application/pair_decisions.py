"""Deciding about the pairs to review: no conflict, or a finding; with a way back, and kept through a re-audit (A7, A9)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import NAMESPACE_OID, uuid5

from policypal.application import audits, reaudits
from policypal.application.container import Container
from policypal.db import audits as audits_db
from policypal.domain.audits import AuditReport, Finding, FindingKind, PairDecision, PairOutcome, ReviewPair, Severity
from policypal.domain.text import fitting
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound

MAX_DELTA = 200
"""Characters of a finding's title."""


def decide(
    app: Container, user: User, report_id: str, key: str, outcome: PairOutcome, *, severity: Severity | None = None, delta: str = ""
) -> None:  # fmt: skip
    """Decide about a pair, and about every other one of the report with the same words. A pair that is raised is a finding of the report from
    then on; one that is opened again is none any more. What was decided before stays in its history.

    Raises:
        NotFound: no such report, or no such pair in it.
        InvalidInput: a finding without a severity or without words, or words that are too long.
    """
    report = audits.get_report(app, user, report_id)
    if all(pair.key != key for pair in report.review):
        raise NotFound("This pair is not in the report any more.")
    is_raised = outcome is PairOutcome.RAISED
    words = " ".join(fitting(delta, MAX_DELTA, "title").split()) if is_raised else ""
    if is_raised and not (severity and words):
        raise InvalidInput("Please say in a line what the conflict is, and how severe.")
    decided = PairDecision(
        outcome=outcome, severity=severity if is_raised else None, delta=words, decided_by=user.email, decided_at=datetime.now(UTC)
    )  # fmt: skip
    _save(app, user, report, {key: (decided,)})


def carry_over(app: Container, user: User, report: AuditReport) -> AuditReport:
    """Give the pairs of a new audit what was decided about the same words in the audit before it (A9); the report as it is then."""
    before = reaudits.report_before(app, user, report)
    held = {pair.key: pair.decisions for pair in before.review if pair.decisions} if before else {}
    if held.keys() & {pair.key for pair in report.review}:
        _save(app, user, report, held)
        return audits.get_report(app, user, report.id)
    return report


def _save(app: Container, user: User, report: AuditReport, decided: Mapping[str, tuple[PairDecision, ...]]) -> None:
    review = [p.model_copy(update={"decisions": p.decisions + decided.get(p.key, ())}) for p in report.review]
    raised = {p.key: p for p in review if p.decision and p.decision.outcome is PairOutcome.RAISED}
    audits_db.save_review(app.db, user.id, report.id, review, [_finding(report, pair) for pair in raised.values()])


def _finding(report: AuditReport, pair: ReviewPair) -> Finding:
    decision = pair.decision
    if decision is None or decision.severity is None:
        raise ValueError("only a raised pair is a finding")
    rule = f"{pair.target_introduction} {pair.target_quote}".strip()
    return Finding(
        id=str(uuid5(NAMESPACE_OID, f"{report.id} {pair.key}")), kind=FindingKind.CONFLICT, target_document=pair.target_document,
        target_document_id=pair.target_document_id, theme=decision.delta, severity=decision.severity, delta=decision.delta,
        consequence=f"{decision.decided_by} judged that these two conflict.", source_quote=pair.source_quote, source_page=pair.source_page,
        source_document_id=pair.source_document_id, source_start=pair.source_start, source_end=pair.source_end,
        source_label=pair.source_label, target_quote=pair.target_quote, target_page=pair.target_page, target_start=pair.target_start,
        target_end=pair.target_end, target_label=pair.target_label, suggestion=f"Bring it in line with: “{rule}”", confidence=1, is_raised=True,
    )  # fmt: skip
