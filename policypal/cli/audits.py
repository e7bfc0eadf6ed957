"""``audits``: list, show and export reports (A5, A8)."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from policypal.application import audits, triage
from policypal.cli import EXIT_RESPONSE
from policypal.cli.answers import report_text
from policypal.cli.output import Output, table, write_file
from policypal.cli.session import application
from policypal.domain.audits import ReportOverview
from policypal.errors import InvalidInput


def list_reports(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        reports = audits.list_overviews(app, user)
    if out.json:
        for report in reports:
            out.show(_overview(report), "")
    elif reports:
        out.text(table([("ID", "CREATED (UTC)", "VERDICT", "FINDINGS", "TITLE"), *(_row(r) for r in reports)]))
    else:
        out.remark("There are no audit reports yet. `ask` with --action audit makes one.")
    return EXIT_RESPONSE


def show(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        report = audits.get_report(app, user, args.id)
    findings = audits.filter_findings(report)
    record = {**report.model_dump(mode="json"), "findings": [f.model_dump(mode="json") for f in findings]}
    out.show(record, report_text(report, findings))
    return EXIT_RESPONSE


def export(args: Namespace, out: Output) -> int:
    if args.output is None and args.format != "csv" and out.is_terminal:
        raise InvalidInput(f"A {args.format} file is not for the screen. Please name a file with -o.")
    with application(args) as (app, user):
        report = audits.get_report(app, user, args.id)
        decided = triage.load(app, user, report)
    report = triage.corrected(report, decided)
    data = audits.EXPORTS[args.format](report, audits.filter_findings(report), decided)
    if args.output is None:
        out.data(data)
    else:
        write_file(args.output, data)
        out.remark(f"Wrote {len(report.findings)} findings to {args.output}.")
    return EXIT_RESPONSE


def _overview(report: ReportOverview) -> dict[str, Any]:
    return {
        "id": report.id,
        "title": report.title,
        "created_at": report.created_at.isoformat(),
        "overall_status": report.overall_status.value,
        "verdict": report.headline,
        "findings": sum(report.counts.values()),
        "targets_checked": list(report.targets_checked),
        "source_title": report.source_title,
        "thread_id": report.thread_id,
    }


def _row(r: ReportOverview) -> tuple[str, ...]:
    return r.id, f"{r.created_at:%Y-%m-%d %H:%M}", r.headline, str(sum(r.counts.values())), r.title
