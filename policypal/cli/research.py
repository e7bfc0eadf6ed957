"""``research``: a report from library and web, its threads, steps, forks and files (section W)."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any
from uuid import uuid4

from policypal.application import library, research
from policypal.application.container import Container
from policypal.cli import EXIT_RESPONSE
from policypal.cli.answers import question_text, research_text
from policypal.cli.asking import follow
from policypal.cli.output import Output, table, write_file
from policypal.cli.records import event_record, plan_record, report_record, step_record, thread_record
from policypal.cli.session import application
from policypal.domain.research import Plan, Report, ResearchThread, StepValues
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound


def start(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        thread_id = research.start(
            app,
            user,
            args.goal,
            mode=args.mode,
            idempotency_key=str(uuid4()),
            document_ids=[library.find_by_title(app, user, title).id for title in args.doc],
            without_model=args.without_model,
        )
        return follow(app, user, thread_id, out, research)


def list_threads(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        threads = research.list_threads(app, user)
    if out.json:
        for thread in threads:
            out.show(thread_record(thread), "")
    elif threads:
        out.text(table([("THREAD", "CREATED (UTC)", "STATUS", "MODE", "TITLE"), *(_row(t) for t in threads)]))
    else:
        out.remark('There is no research yet. `research "GOAL"` begins with it.')
    return EXIT_RESPONSE


def show(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        thread = research.find(app, user, args.thread)
        answers, plan = research.plan(app, user, thread.thread_id)
        steps = research.timeline(app, user, thread.thread_id)
        branches = [t for t in research.list_threads(app, user) if t.parent_thread_id == thread.thread_id]
        reports = research.reports(app, user, thread.thread_id)
        question = research.pending(app, user, thread.thread_id)
    if out.json:
        records = [thread_record(thread), plan_record(answers, plan), *map(step_record, steps)]
        records += [thread_record(b, type="branch") for b in branches]
        records += [report_record(r) for r in reports[:1]]
        records += [event_record(question)] if question else []
        for record in records:
            out.show(record, "")
    else:
        out.text(research_text(thread, plan, steps, branches, reports[0] if reports else None))
        out.text(question_text(question) if question else "")
    return EXIT_RESPONSE


def fork(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        values = research.step_values(app, user, args.thread, args.checkpoint)
        thread_id = research.fork(app, user, args.thread, args.checkpoint, **edits(args.set, values))
        return follow(app, user, thread_id, out, research)


def export(args: Namespace, out: Output) -> int:
    if args.output is None and args.format != "md" and out.is_terminal:
        raise InvalidInput(f"A {args.format} file is not for the screen. Please name a file with -o.")
    with application(args) as (app, user):
        report = _current_report(app, user, args.thread)
    data = research.EXPORTS[args.format](report)
    if args.output is None:
        out.data(data)
    else:
        write_file(args.output, data)
        out.remark(f"Wrote version {report.version} to {args.output}.")
    return EXIT_RESPONSE


def _current_report(app: Container, user: User, thread_id: str) -> Report:
    reports = research.reports(app, user, thread_id)
    if not reports:
        raise NotFound("This research thread has no report yet. `research show` tells how far it is.")
    return reports[0]


def _row(t: ResearchThread) -> tuple[str, ...]:
    fork = f" (fork of {t.parent_thread_id}, {t.forked_at})" if t.parent_thread_id else ""
    return t.thread_id, f"{t.created_at:%Y-%m-%d %H:%M}", t.status, t.mode, t.title + fork


def edits(given: list[tuple[str, str]], values: StepValues) -> dict[str, Any]:
    """What a fork of a step with these ``values`` changes, by the parameters of :func:`research.fork`. What the step
    excluded stays excluded. Raises InvalidInput: a plan or a draft that cannot be understood."""
    changed: dict[str, Any] = {}
    for key, value in given:
        if key == "plan":
            changed["plan"] = _plan(value, changed.get("plan") or values.plan)
        elif key == "exclude":
            changed["excluded"] = [*changed.get("excluded", values.excluded), value]
        else:
            changed[key] = _draft(value) if key == "draft" else value
    return changed


def _plan(text: str, current: Plan | None) -> Plan:
    """The plan with the fields of a JSON object in place of its own."""
    if current is None:
        raise InvalidInput("There is no plan at this step yet. Please choose a later one.")
    return research.edited_plan(current, text)


def _draft(value: str) -> str:
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidInput(f"The draft {value[1:]} cannot be read ({reason}).") from error
