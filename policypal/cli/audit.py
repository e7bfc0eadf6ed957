"""``audit``: a source against targets, without words to interpret (A4)."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from policypal.application import ask as conversation
from policypal.application import audits, drafts, library
from policypal.application.container import Container
from policypal.cli import EXIT_ERROR, EXIT_RESPONSE
from policypal.cli.asking import follow
from policypal.cli.output import Output
from policypal.cli.session import application
from policypal.domain.conversations import Action
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.errors import InvalidInput, PolicyPalError


def audit(args: Namespace, out: Output) -> int:
    with application(args) as (app, user):
        thread_id = conversation.new_thread_id()
        try:
            source = _source(app, user, args.source)
            targets = [library.find_by_title(app, user, title) for title in args.against]
            if args.estimate:
                return _estimate(app, user, args, source, targets, out)
            conversation.send(app, user, thread_id, _request(args, source, targets))
        except PolicyPalError as error:
            out.error(error, thread_id=thread_id)
            return EXIT_ERROR
        return follow(app, user, thread_id, out)


def _source(app: Container, user: User, name: str) -> Document | conversation.Draft:
    """A document of the library, or else a file."""
    path = Path(name)
    if not path.is_file():
        return library.find_by_title(app, user, name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{name} cannot be read: {error.strerror}.") from None
    return drafts.read_draft(app, path.name, data)


def _request(args: Namespace, source: Document | conversation.Draft, targets: list[Document]) -> conversation.Request:
    draft = source if isinstance(source, conversation.Draft) else None
    document = source if isinstance(source, Document) else None
    what = document.display_title if document else "the attached text"
    focus = f", only regarding {args.focus}" if args.focus else ""
    return conversation.Request(
        message=f"Audit {what} against {' and '.join(d.display_title for d in targets)}{focus}",
        document_ids=(*((document.id,) if document else ()), *(d.id for d in targets)),
        action=Action.AUDIT,
        draft=draft,
    )


def _estimate(
    app: Container,
    user: User,
    args: Namespace,
    source: Document | conversation.Draft,
    targets: list[Document],
    out: Output,
) -> int:
    told = audits.estimate(
        app,
        user,
        document_id=source.id if isinstance(source, Document) else None,
        text=source.text if isinstance(source, conversation.Draft) else "",
        document_ids=[d.id for d in targets],
        focus=args.focus,
    )
    record = {
        "obligations": told.obligations, "calls": told.calls, "tokens": told.tokens,
        "cost_usd": None if told.cost_usd is None else float(told.cost_usd), "seconds": told.seconds,
    }  # fmt: skip
    out.show(record, told.line)
    return EXIT_RESPONSE
