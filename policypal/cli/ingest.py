"""``ingest``: files in, one line per file out (D1, D5, D7)."""

import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from getpass import getpass
from pathlib import Path, PurePath
from typing import Any

from policypal.application import intake, library, uploads
from policypal.application.container import Container
from policypal.application.uploads import Outcome
from policypal.cli import EXIT_ERROR, EXIT_RESPONSE, EXIT_USAGE
from policypal.cli.output import Output
from policypal.cli.records import document_record
from policypal.cli.session import application
from policypal.domain.documents import Document, DocumentType, FoundFile, refused
from policypal.domain.users import User
from policypal.errors import DuplicateDocument, InvalidInput, PasswordRequired

STANDSTILL_SECONDS = 900.0
"""How long nothing at all may move in the library before waiting is given up."""

_STILL_WAITING = (
    "Not read yet: no worker made progress. The document stays queued; the app or a `worker` goes on with it."
)
_DELETED = "The document was deleted while it was being read."


def ingest(args: Namespace, out: Output) -> int:
    files = files_in(args.paths)
    if (args.title or args.alias) and (len(files) > 1 or _is_archive(files[0])):
        out.remark("--title and --alias name one document, but there may be several.")
        return EXIT_USAGE
    password = _password(args, out)
    with application(args, run_worker=args.wait) as (app, user):
        if password is None and app.settings.pdf_password is not None:
            password = app.settings.pdf_password.get_secret_value()
        handed = (_kept(app, user, outcome) for path in files for outcome in _hand_in(app, user, path, args, password))
        if args.wait:
            handed = (_settled(app, user, outcome) for outcome in list(handed))
        return _told(out, [_tell(out, args, outcome) for outcome in handed])


def files_in(paths: Sequence[Path]) -> list[Path]:
    """The files, and those in the folders at any depth in the order of their names; hidden ones are left out. Raises
    InvalidInput: there is not a single file."""
    files: list[Path] = []
    for path in paths:
        files += _files_of_folder(path) if path.is_dir() else [path]
    if not files:
        raise InvalidInput(f"There are no files in {', '.join(str(p) for p in paths)}.")
    return files


def _files_of_folder(folder: Path) -> list[Path]:
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not uploads.is_clutter([f]))
        found += [Path(parent) / name for name in sorted(names) if not uploads.is_clutter([name])]
    return found


def _is_archive(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return uploads.is_archive(path.name, file)


def _password(args: Namespace, out: Output) -> str | None:
    """What was typed, or was given in a way others on this machine cannot read (X6)."""
    if args.password == "-":
        return getpass("Password of the PDF: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
    if args.password:
        out.remark("A password on the command line can be read in the list of processes; `--password -` asks for it.")
    return args.password or None


def _hand_in(app: Container, user: User, path: Path, args: Namespace, password: str | None) -> Iterator[Outcome]:
    """What became of a file, or of each file in an archive."""
    details = intake.Upload(
        filename="", data=b"", type=DocumentType(args.type), title=args.title, version=args.version, set_name=args.set,
        aliases=tuple(args.alias), password=password,
    )  # fmt: skip
    for file in _found(app, path):
        yield uploads.add_file(app, user, file, details)


def _found(app: Container, path: Path) -> Iterator[FoundFile]:
    try:
        if path.exists() and not path.is_file():
            raise InvalidInput("This is not a file.")
        with path.open("rb") as opened:
            for file in uploads.found_in(app, path.name, opened):
                yield replace(file, path=str(path.parent / file.path))
    except InvalidInput as problem:
        yield refused(str(path), (), problem)
    except OSError as error:
        yield refused(str(path), (), InvalidInput(f"The file cannot be read ({error.strerror})."))


def _kept(app: Container, user: User, outcome: Outcome) -> Outcome:
    """With the document that was stored although it was refused afterwards, as with a wrong password."""
    if not isinstance(outcome.error, PasswordRequired):
        return outcome
    stored = next((d for d in library.list_documents(app, user) if d.sha256 == outcome.sha256), None)
    return replace(outcome, document=stored)


def _settled(app: Container, user: User, outcome: Outcome) -> Outcome:
    """The same file once its document is ready or failed."""
    if outcome.document is None or isinstance(outcome.error, PasswordRequired):
        return outcome
    latest = _wait(app, user, outcome.document.id)
    if latest is None:
        return replace(outcome, error=InvalidInput(_DELETED))
    if not latest.status.is_final and outcome.is_added:
        return replace(outcome, document=latest, error=InvalidInput(_STILL_WAITING))
    return replace(outcome, document=latest)


def _wait(app: Container, user: User, document_id: str) -> Document | None:
    moved, last = time.monotonic(), None
    while True:
        found = intake.wait_until_final(app, user, [document_id], timeout_seconds=5.0)
        if not found or found[0].status.is_final:
            return found[0] if found else None
        state = [(d.id, d.status, d.progress) for d in library.list_documents(app, user) if not d.status.is_final]
        if state != last:
            moved, last = time.monotonic(), state
        elif time.monotonic() - moved > STANDSTILL_SECONDS:
            return found[0]


def _tell(out: Output, args: Namespace, outcome: Outcome) -> str:
    record = _record(args, outcome)
    reason = f": {record['reason']}" if record["reason"] else ""
    read = f" ({record['pages']} pages, {record['chunks']} chunks)" if record["status"] == "ready" else ""
    out.show(record, f"{record['status']:<9} {outcome.path}{read}{reason}")
    if outcome.remark:
        out.remark(f"{outcome.path}: {outcome.remark}")
    return str(record["status"])


def _record(args: Namespace, outcome: Outcome) -> dict[str, Any]:
    reason = outcome.error.message if outcome.error else None
    if outcome.document is not None:
        status = "duplicate" if isinstance(outcome.error, DuplicateDocument) else "failed" if reason else None
        return document_record(outcome.document, status=status, reason=reason)
    told = {"title": args.title or PurePath(outcome.path).stem, "version": args.version, "type": args.type}
    given = {"set": args.set or None, "aliases": list(args.alias), "status": "failed", "reason": reason}
    return {"id": None, **told, **given, "pages": 0, "pages_without_text": 0, "chunks": 0, "sha256": outcome.sha256}


def _told(out: Output, statuses: Sequence[str]) -> int:
    failed = sum(status == "failed" for status in statuses)
    if failed:
        out.remark(f"{failed} of {len(statuses)} files could not be added.")
    return EXIT_ERROR if failed else EXIT_RESPONSE
