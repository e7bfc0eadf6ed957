"""``ingest``: files in, one line per file out (D1, D5, D7)."""

from __future__ import annotations

import hashlib
import os
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policypal.application import library
from policypal.cli import EXIT_ERROR, EXIT_RESPONSE, EXIT_USAGE
from policypal.cli.output import Output
from policypal.cli.records import document_record
from policypal.cli.session import application
from policypal.domain.documents import Document, DocumentType
from policypal.domain.users import User
from policypal.errors import DocumentRejected, DocumentTooLarge, DuplicateDocument, InvalidInput, PolicyPalError

if TYPE_CHECKING:
    from policypal.application.container import Container

STANDSTILL_SECONDS = 900.0
"""How long nothing at all may move in the library before waiting is given up."""

_STILL_WAITING = (
    "Not read yet: no worker made progress. The document stays queued; the app or a `worker` goes on with it."
)
_DELETED = "The document was deleted while it was being read."


@dataclass(frozen=True, slots=True)
class Handed:
    """What became of a file at the door: a document, or the reason why not."""

    path: Path
    sha256: str | None = None
    document: Document | None = None
    duplicate: str | None = None
    refusal: str | None = None


def ingest(args: Namespace, out: Output) -> int:
    files = files_in(args.paths)
    if len(files) > 1 and (args.title or args.alias):
        out.remark(f"--title and --alias name one document, but there are {len(files)} files.")
        return EXIT_USAGE
    with application(args, run_worker=args.wait) as (app, user):
        if not args.wait:
            return _told(out, [_tell(out, args, _hand_in(app, user, path, args)) for path in files])
        handed = [_hand_in(app, user, path, args) for path in files]
        return _told(out, [_tell(out, args, _settled(app, user, h)) for h in handed])


def files_in(paths: Sequence[Path]) -> list[Path]:
    """The files, and those in the folders at any depth in the order of their names; hidden ones are left out.

    Raises:
        InvalidInput: there is not a single file.
    """
    files: list[Path] = []
    for path in paths:
        files += _files_of_folder(path) if path.is_dir() else [path]
    if not files:
        raise InvalidInput(f"There are no files in {', '.join(str(p) for p in paths)}.")
    return files


def _files_of_folder(folder: Path) -> list[Path]:
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        found += [Path(parent) / name for name in sorted(names) if not name.startswith(".")]
    return found


def _hand_in(app: Container, user: User, path: Path, args: Namespace) -> Handed:
    """Every failure belongs to its file, so that the others still get their turn."""
    sha256 = None
    try:
        sha256 = _fingerprint(path)
        return Handed(path, sha256, library.add_document(app, user, _upload(app, path, args)))
    except DuplicateDocument as duplicate:
        existing = library.get_document(app, user, duplicate.existing_id)
        return Handed(path, sha256, existing, duplicate=duplicate.message)
    except PolicyPalError as error:
        kept = _document_with(app, user, sha256) if isinstance(error, DocumentRejected) else None
        return Handed(path, sha256, kept, refusal=error.message)
    except OSError as error:
        return Handed(path, sha256, refusal=f"The file cannot be read ({error.strerror}).")


def _fingerprint(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise InvalidInput("This is not a file.")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _upload(app: Container, path: Path, args: Namespace) -> library.Upload:
    megabytes = path.stat().st_size / 1048576
    limit = app.settings.max_upload_mb
    if megabytes > limit:  # looked at before it fills the memory
        raise DocumentTooLarge(f"This file has {megabytes:.0f} MB; the limit is {limit} MB.")
    return library.Upload(
        filename=path.name,
        data=path.read_bytes(),
        type=DocumentType(args.type),
        title=args.title,
        version=args.version,
        set_name=args.set,
        aliases=tuple(args.alias),
        password=args.password,
    )


def _document_with(app: Container, user: User, sha256: str | None) -> Document | None:
    """A document that was stored although it was refused afterwards, as with a wrong password."""
    return next((d for d in library.list_documents(app, user) if d.sha256 == sha256), None)


def _settled(app: Container, user: User, handed: Handed) -> Handed:
    """The same file once its document is ready or failed."""
    if handed.document is None or handed.refusal:
        return handed
    latest = _wait(app, user, handed.document.id)
    if latest is None:
        return Handed(handed.path, handed.sha256, handed.document, refusal=_DELETED)
    if not latest.status.is_final and not handed.duplicate:
        return Handed(handed.path, handed.sha256, latest, refusal=_STILL_WAITING)
    return Handed(handed.path, handed.sha256, latest, duplicate=handed.duplicate)


def _wait(app: Container, user: User, document_id: str) -> Document | None:
    moved, last = time.monotonic(), None
    while True:
        found = library.wait_until_final(app, user, [document_id], timeout_seconds=5.0)
        if not found or found[0].status.is_final:
            return found[0] if found else None
        state = [(d.id, d.status, d.progress) for d in library.list_documents(app, user) if not d.status.is_final]
        if state != last:
            moved, last = time.monotonic(), state
        elif time.monotonic() - moved > STANDSTILL_SECONDS:
            return found[0]


def _tell(out: Output, args: Namespace, handed: Handed) -> str:
    record = _record(args, handed)
    reason = f": {record['reason']}" if record["reason"] else ""
    read = f" ({record['pages']} pages, {record['chunks']} chunks)" if record["status"] == "ready" else ""
    out.show(record, f"{record['status']:<9} {handed.path}{read}{reason}")
    return str(record["status"])


def _record(args: Namespace, handed: Handed) -> dict[str, Any]:
    if handed.document is not None:
        if handed.duplicate:
            return document_record(handed.document, status="duplicate", reason=handed.duplicate)
        status = "failed" if handed.refusal else None
        return document_record(handed.document, status=status, reason=handed.refusal)
    return {
        "id": None,
        "title": args.title or handed.path.stem,
        "version": args.version,
        "type": args.type,
        "set": args.set or None,
        "aliases": list(args.alias),
        "status": "failed",
        "reason": handed.refusal,
        "pages": 0,
        "pages_without_text": 0,
        "chunks": 0,
        "sha256": handed.sha256,
    }


def _told(out: Output, statuses: Sequence[str]) -> int:
    failed = sum(status == "failed" for status in statuses)
    if failed:
        out.remark(f"{failed} of {len(statuses)} files could not be added.")
    return EXIT_ERROR if failed else EXIT_RESPONSE
