"""``worker``, ``migrate``, ``doctor`` and ``demo``: the installation itself (D5, R2, R8, R9)."""

from argparse import Namespace
from dataclasses import asdict

from policypal.application import ask as conversation
from policypal.application import doctor as examination
from policypal.application import intake, sample_documents, wiring
from policypal.application.container import Container
from policypal.cli import EXIT_ERROR, EXIT_RESPONSE
from policypal.cli.asking import follow
from policypal.cli.output import Output
from policypal.cli.session import application, open_settings
from policypal.config import load_settings
from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.users import User
from policypal.errors import ConfigurationError, PolicyPalError

_MARKS = {"ok": "✓", "optional": "–", "warning": "!", "problem": "✗"}


def worker(args: Namespace, out: Output) -> int:
    with application(args, process="policypal-worker") as (app, _user):
        out.remark("Reading queued documents. Ctrl-C ends after the ones in hand.")
        app.jobs.run_worker_forever()
    return EXIT_RESPONSE


def migrate(args: Namespace, out: Output) -> int:
    applied = wiring.migrate_installation(open_settings(args))
    out.show({"applied": applied}, "\n".join([*(f"applied {name}" for name in applied), "The database is up to date."]))
    return EXIT_RESPONSE


def doctor(args: Namespace, out: Output) -> int:
    try:
        settings = load_settings({"data_dir": args.data_dir} if args.data_dir else None)
    except ConfigurationError as error:
        checks = [examination.unreadable_settings(error)]
    else:
        checks = examination.examine(settings)
    for check in checks:
        advice = f"\n    → {check.advice}" if check.advice else ""
        record = {name: value for name, value in asdict(check).items() if name != "measured" or value}
        out.show(record, f"{_MARKS[check.status]} {check.name}: {check.finding}{advice}")
    usable = examination.is_usable(checks)
    out.text("\nPolicyPal can work here." if usable else "\nPolicyPal cannot work here yet: see the lines marked ✗.")
    return EXIT_RESPONSE if usable else EXIT_ERROR


def demo(args: Namespace, out: Output) -> int:
    """The first minute of a newcomer, at the terminal (R9)."""
    with application(args, run_worker=True) as (app, user):
        ready = _samples(app, user, out)
        policy, rulebook = ready["policy-2025.pdf"], ready["rulebook-2025.pdf"]
        question = conversation.Request(message=sample_documents.SAMPLE_QUESTIONS[0], document_ids=(rulebook.id,))
        audit = conversation.Request(
            message=f"Audit the {policy.title} against the {rulebook.display_title}.",
            document_ids=(policy.id, rulebook.id),
            action=Action.AUDIT,
        )
        codes = [_demonstrate(app, user, request, out) for request in (question, audit)]
    out.text("\nNow open the app: `make run`, or `streamlit run app.py`.")
    return max(codes)


def _samples(app: Container, user: User, out: Output) -> dict[str, Document]:
    """The sample documents by file name, ready to be read. Raises PolicyPalError: one of them could not be read."""
    added = sample_documents.add_samples(app, user)
    out.remark(f"Reading {len(added)} fictional sample documents …")
    ready = intake.wait_until_final(app, user, [d.id for d in added])
    if broken := [d for d in ready if d.status is not DocumentStatus.READY]:
        reasons = "; ".join(f"{d.display_title}: {d.reason or d.status.value}" for d in broken)
        raise PolicyPalError(f"The sample documents could not be read: {reasons}")
    return {d.filename: d for d in ready}


def _demonstrate(app: Container, user: User, request: conversation.Request, out: Output) -> int:
    out.text(f"\n> {request.message}\n")
    thread_id = conversation.new_thread_id()
    conversation.send(app, user, thread_id, request)
    return follow(app, user, thread_id, out)
