"""``audits``: list, show and export reports (A5, A8)."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from policypal.application import ask as conversation
from policypal.application import audit_files, auditing, audits, drafts, library, triage
from policypal.application.auditing import NewAudit
from policypal.application.container import Container
from policypal.cli import EXIT_ERROR, EXIT_RESPONSE
from policypal.cli.answers import report_text
from policypal.cli.asking import follow
from policypal.cli.output import Output, table
from policypal.cli.session import application
from policypal.domain.audits import ReportOverview
from policypal.domain.users import User
from policypal.errors import InvalidInput, PolicyPalError


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
    out.check_screen(args.format, args.output)
    with application(args) as (app, user):
        report = audits.get_report(app, user, args.id)
        decided = triage.load(app, user, report)
        report = triage.corrected(report, decided)
        data = audit_files.export(app, user, report, args.format, audits.filter_findings(report), decided)
    out.file(data, args.output, f"{len(report.findings)} findings")
    return EXIT_RESPONSE


def _overview(report: ReportOverview) -> dict[str, Any]:
    told = {name: getattr(report, name) for name in ("id", "title", "overall_status", "source_title", "thread_id")}
    counted = {"verdict": report.headline, "findings": sum(report.counts.values())}
    return {
        **told,
        **counted,
        "created_at": report.created_at.isoformat(),
        "targets_checked": list(report.targets_checked),
    }


def _row(r: ReportOverview) -> tuple[str, ...]:
    return r.id, f"{r.created_at:%Y-%m-%d %H:%M}", r.headline, str(sum(r.counts.values())), r.title


def audit(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        thread_id = conversation.new_thread_id()
        try:
            wanted = _wanted(app, user, args)
            if args.estimate:
                return _estimate(app, user, wanted, out)
            auditing.start(app, user, thread_id, wanted)
        except PolicyPalError as error:
            out.error(error, thread_id=thread_id)
            return EXIT_ERROR
        return follow(app, user, thread_id, out)


def _wanted(app: Container, user: User, args: Namespace) -> NewAudit:
    """``--source`` is a file, or else a document of the library."""
    targets = tuple(library.find_by_title(app, user, title).id for title in args.against)
    path = Path(args.source)
    if not path.is_file():
        return NewAudit(library.find_by_title(app, user, args.source).id, targets, focus=args.focus)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{args.source} cannot be read: {error.strerror}.") from None
    draft = drafts.read_draft(app, path.name, data)
    return NewAudit(None, targets, draft.text, args.focus, draft.name)


def _estimate(app: Container, user: User, wanted: NewAudit, out: Output) -> int:
    told = auditing.estimate(app, user, wanted)
    record = {
        "obligations": told.obligations, "calls": told.calls, "tokens": told.tokens,
        "cost_usd": None if told.cost_usd is None else float(told.cost_usd), "seconds": told.seconds,
    }  # fmt: skip
    out.show(record, told.line)
    return EXIT_RESPONSE
