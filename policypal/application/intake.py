"""A document's way into the library: stored, queued, unlocked, tried again, waited for (D1, D5, D7)."""

import contextlib
import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import uuid4

from policypal.application import library, processing, trash
from policypal.application.container import Container
from policypal.application.metadata import (
    checked_set_name,
    checked_title,
    checked_version,
    kept_filename,
    set_id_of,
    tidy,
    title_from_filename,
)
from policypal.db import documents as documents_db
from policypal.domain.documents import SET_COLOURS, Document, DocumentStatus, DocumentType
from policypal.domain.users import User
from policypal.errors import DuplicateDocument, EmptyDocument, InvalidInput, PolicyPalError
from policypal.ingest.archive import size_problem
from policypal.ingest.sniff import detect_media_type
from policypal.storage import file_key


@dataclass(frozen=True, slots=True)
class Upload:
    """A file somebody hands in. An empty ``title`` is filled from the document itself or its file name (D1);
    ``previous_version_id`` is the document this one is a new version of (D8)."""

    filename: str
    data: bytes
    type: DocumentType
    title: str = ""
    version: str = ""
    set_name: str = ""
    set_colour: str = SET_COLOURS[0]
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    is_sample: bool = False
    password: str | None = None
    previous_version_id: str | None = None


def add_document(app: Container, user: User, upload: Upload) -> Document:
    """Store the raw file, then queue its ingestion (D5). Returns the queued document.

    A file that failed before may be handed in again: it is queued anew instead of counting as a duplicate. One whose
    document was deleted brings that document back (D10). Raises NotADocument, EmptyDocument, DocumentTooLarge: refused
    at the door, nothing stored; DuplicateDocument: the same bytes are in the user's library already (D7); InvalidInput:
    title, version or set name are unusable; NotFound: the earlier version is not in the library; StorageError,
    DatabaseUnavailable: nothing was stored; trying again may help."""
    _check_size(app, upload)
    media_type = detect_media_type(upload.data, upload.filename)
    _check_details(app, user, upload)
    sha256 = hashlib.sha256(upload.data).hexdigest()
    if known := _with_these_bytes(app, user, sha256, upload):
        return known
    document = _new_document(user, upload, media_type, sha256)
    app.files.put(document.storage_key, upload.data)
    if not _recorded(app, user, upload, document):  # somebody was faster with the same bytes
        return _with_these_bytes(app, user, sha256, upload) or add_document(app, user, upload)
    if upload.password:
        app.ingestion.unlock(user.id, document.id, upload.password)
    app.jobs.defer_ingest(user.id, document.id)
    return library.get_document(app, user, document.id)


def check_is_new(app: Container, user: User, data: bytes) -> None:
    """Raises DuplicateDocument: the library holds a document with these bytes, and nothing is wrong with it (D7)."""
    existing = documents_db.find_document_by_sha256(app.db, user.id, hashlib.sha256(data).hexdigest())
    if existing is not None and existing.status is not DocumentStatus.FAILED:
        raise DuplicateDocument(existing.id, existing.display_title)


def unlock(app: Container, user: User, document_id: str, password: str) -> Document:
    """Open an encrypted document with its password and queue it again (D7). The password is not stored. Raises
    PasswordRequired: the password does not fit."""
    document = library.get_document(app, user, document_id)
    app.ingestion.unlock(user.id, document.id, password)
    return _requeue(app, user, document)


def retry(app: Container, user: User, document_id: str) -> Document:
    """Queue a failed document again (D4)."""
    document = library.get_document(app, user, document_id)
    if document.status is not DocumentStatus.FAILED:
        raise InvalidInput("Only a failed document can be tried again.")
    return _requeue(app, user, document)


def wait_until_final(
    app: Container, user: User, ids: Sequence[str], *, timeout_seconds: float = 600.0
) -> list[Document]:
    """Wait until all of ``ids`` are ready or failed, or the time is over; the latest state of each."""
    deadline = time.monotonic() + timeout_seconds
    while True:
        found = {d.id: d for d in library.list_documents(app, user, ids=ids)}
        if all(d.status.is_final for d in found.values()) or time.monotonic() > deadline:
            return [found[i] for i in ids if i in found]
        time.sleep(0.1)


def _with_these_bytes(app: Container, user: User, sha256: str, upload: Upload) -> Document | None:
    """The document with the same bytes, if it was deleted or had failed and comes back therefore. Raises
    DuplicateDocument: it is in the library and nothing is wrong with it."""
    if existing := documents_db.find_document_by_sha256(app.db, user.id, sha256):
        return _resubmit(app, user, existing, upload)
    restored = trash.restore_file(app, user, sha256)
    if restored is None or restored.status is not DocumentStatus.FAILED:
        return restored and _described(app, user, restored, upload)
    return _resubmit(app, user, restored, upload)


def _recorded(app: Container, user: User, upload: Upload, document: Document) -> bool:
    """Write the row of a stored file; without a row the file goes again. False: the same bytes have a row already."""
    try:
        set_id = set_id_of(app, user, upload.set_name, upload.set_colour)
        inserted = documents_db.insert_document(app.db, user.id, replace(document, set_id=set_id))
    except BaseException:
        with contextlib.suppress(PolicyPalError):  # left to the sweep then: a row without its file would be worse
            if documents_db.find_document(app.db, user.id, document.id) is None:
                app.files.delete(document.storage_key)
        raise
    if not inserted:
        app.files.delete(document.storage_key)
    return inserted


def _resubmit(app: Container, user: User, existing: Document, upload: Upload) -> Document:
    if existing.status is not DocumentStatus.FAILED:
        raise DuplicateDocument(existing.id, existing.display_title)
    app.files.put(existing.storage_key, upload.data)
    if upload.password:
        app.ingestion.unlock(user.id, existing.id, upload.password)
    return _requeue(app, user, _described(app, user, existing, upload))


def _described(app: Container, user: User, existing: Document, upload: Upload) -> Document:
    """The document with what was typed this time, if anything was."""
    if not upload.title:
        return existing
    return library.edit(
        app, user, existing.id, title=upload.title, version=upload.version, type=upload.type,
        set_name=upload.set_name, set_colour=upload.set_colour, aliases=upload.aliases, tags=upload.tags,
    )  # fmt: skip


def _requeue(app: Container, user: User, document: Document) -> Document:
    processing.requeue(app, user, [document])
    return library.get_document(app, user, document.id)


def _new_document(user: User, upload: Upload, media_type: str, sha256: str) -> Document:
    document_id = str(uuid4())
    title = checked_title(upload.title) if upload.title.strip() else title_from_filename(upload.filename)
    return Document(
        id=document_id,
        title=title,
        version=checked_version(upload.version),
        type=upload.type,
        filename=kept_filename(upload.filename),
        media_type=media_type,
        sha256=sha256,
        size_bytes=len(upload.data),
        storage_key=file_key(user.id, document_id, "original"),
        status=DocumentStatus.QUEUED,
        created_at=datetime.now(UTC),
        aliases=tidy(upload.aliases),
        tags=tidy(upload.tags),
        is_sample=upload.is_sample,
        is_titled=bool(upload.title.strip()),
        previous_version_id=upload.previous_version_id,
    )


def _check_size(app: Container, upload: Upload) -> None:
    if not upload.data:
        raise EmptyDocument
    if problem := size_problem(len(upload.data), app.settings.max_upload_mb):
        raise problem


def _check_details(app: Container, user: User, upload: Upload) -> None:
    """What was typed is looked at before anything is stored."""
    if upload.title.strip():
        checked_title(upload.title)
    checked_version(upload.version)
    checked_set_name(upload.set_name)
    if upload.previous_version_id is not None:
        library.get_document(app, user, upload.previous_version_id)
