"""What a person does with audit reports: list, open, filter, export, delete (A5, A7, A8)."""

from collections.abc import Sequence

from policypal.application.container import Container
from policypal.db import audits as audits_db
from policypal.domain.audits import AuditReport, CoverageRow, Finding, ReportOverview, ReviewPair, Severity
from policypal.domain.identifiers import is_uuid
from policypal.domain.users import User
from policypal.errors import NotFound
from policypal.export.reports import coverage_csv, report_file_name, review_csv

export_coverage_csv, export_review_csv, file_name = coverage_csv, review_csv, report_file_name
"""What is shown as CSV, and what a report's files are called (A4, A6, A8)."""


def list_overviews(app: Container, user: User) -> list[ReportOverview]:
    """What a list shows of the reports, latest first."""
    return audits_db.list_overviews(app.db, user.id)


def list_reports(app: Container, user: User) -> list[AuditReport]:
    """All reports whole, latest first."""
    return audits_db.list_reports(app.db, user.id)


def get_report(app: Container, user: User, report_id: str) -> AuditReport:
    """Raises NotFound: no such report of this user."""
    report = audits_db.find_report(app.db, user.id, report_id) if is_uuid(report_id) else None
    if report is None:
        raise NotFound("This audit report does not exist.")
    return report


def filter_findings(
    report: AuditReport,
    *,
    severities: Sequence[Severity] = (),
    targets: Sequence[str] = (),
    containing: str = "",
) -> list[Finding]:
    """The findings that fit, the most severe first, and of a severity by target (A7). Empty filters let everything pass."""
    wanted = containing.casefold().strip()
    fitting = [
        f
        for f in report.findings
        if (not severities or f.severity in severities)
        and (not targets or f.target_document in targets)
        and (
            not wanted
            or wanted
            in " ".join((f.title, f.theme, f.consequence, f.source_quote, f.target_quote, f.suggestion)).casefold()
        )
    ]
    order = {title: n for n, title in enumerate(report.targets_checked)}
    return sorted(fitting, key=lambda f: (f.severity.rank, order.get(f.target_document, len(order))))


def filter_coverage(report: AuditReport, *, statuses: Sequence[str] = (), containing: str = "") -> list[CoverageRow]:
    """The rows of the coverage that fit, in reading order (A6). Empty filters let everything pass."""
    wanted = containing.casefold().strip()
    return [
        r
        for r in report.coverage or ()
        if (not statuses or r.status.value in statuses)
        and (not wanted or wanted in " ".join((r.obligation, r.heading, r.policy_quote, r.reason)).casefold())
    ]


def filter_review(report: AuditReport, *, containing: str = "") -> list[ReviewPair]:
    """The pairs nobody judged that hold the words (A4); all of them without words."""
    wanted = containing.casefold().strip()
    return [
        p for p in report.review if wanted in f"{p.source_quote} {p.target_introduction} {p.target_quote}".casefold()
    ]


def delete(app: Container, user: User, report_id: str) -> None:
    """Raises NotFound: no such report of this user."""
    if not is_uuid(report_id) or not audits_db.delete_report(app.db, user.id, report_id):
        raise NotFound("This audit report does not exist.")
