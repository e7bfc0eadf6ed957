"""What a person does with the library: add, read, unlock, retry, edit, delete (section D)."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING
from uuid import uuid4

from policypal.db import documents as documents_db
from policypal.db import index
from policypal.domain.documents import SET_COLOURS, Document, DocumentSet, DocumentStatus, DocumentType
from policypal.domain.identifiers import is_uuid
from policypal.domain.text import storable
from policypal.domain.users import User
from policypal.errors import DocumentTooLarge, DuplicateDocument, EmptyDocument, InvalidInput, NotFound
from policypal.samples import SAMPLES, sample_bytes
from policypal.services.ingest.sniff import detect_media_type
from policypal.services.pages import PageImage
from policypal.services.storage import file_key

if TYPE_CHECKING:
    from policypal.application.container import Container


@dataclass(frozen=True, slots=True)
class Upload:
    """A file somebody hands in. An empty ``title`` is filled from the document itself or its file name (D1)."""

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


def add_document(app: Container, user: User, upload: Upload) -> Document:
    """Store the raw file, then queue its ingestion (D5). Returns the queued document.

    A file that failed before may be handed in again: it is queued anew instead of counting as a duplicate.

    Raises:
        NotADocument, EmptyDocument, DocumentTooLarge: refused at the door, nothing stored.
        DuplicateDocument: the same bytes are in the user's library already (D7).
        InvalidInput: title, version or set name are unusable.
    """
    _check_size(app, upload)
    media_type = detect_media_type(upload.data, upload.filename)
    sha256 = hashlib.sha256(upload.data).hexdigest()
    existing = documents_db.find_document_by_sha256(app.db, user.id, sha256)
    if existing is not None:
        return _resubmit(app, user, existing, upload)
    document = _new_document(app, user, upload, media_type, sha256)
    app.files.put(document.storage_key, upload.data)
    if not documents_db.insert_document(app.db, user.id, document):
        app.files.delete(document.storage_key)  # somebody was faster with the same bytes
        return add_document(app, user, upload)
    if upload.password:
        app.ingestion.unlock(user.id, document.id, upload.password)
    app.jobs.defer_ingest(user.id, document.id)
    return get_document(app, user, document.id)


def get_document(app: Container, user: User, document_id: str) -> Document:
    """Raises:
    NotFound: no such document of this user.
    """
    document = documents_db.find_document(app.db, user.id, document_id) if is_uuid(document_id) else None
    if document is None:
        raise NotFound("This document is not in your library. It may have been deleted.")
    return document


def list_documents(app: Container, user: User, *, ids: Sequence[str] | None = None) -> list[Document]:
    """The library, by set and title."""
    return documents_db.list_documents(app.db, user.id, ids=ids)


def list_sets(app: Container, user: User) -> list[DocumentSet]:
    return documents_db.list_sets(app.db, user.id)


def find_by_title(app: Container, user: User, title: str) -> Document:
    """The document a command names: by id, title, "title version", "Title (Version)" or alias, case-insensitively.

    Raises:
        NotFound: nothing has that name.
        InvalidInput: several documents have it; the message lists them.
    """
    wanted = " ".join(title.split()).casefold()
    matches = [d for d in list_documents(app, user) if wanted in _names(d)]
    if not matches:
        raise NotFound(f"There is no document called “{title}” in your library.")
    if len(matches) > 1:
        names = ", ".join(d.display_title for d in matches)
        raise InvalidInput(f"“{title}” fits several documents: {names}. Please add the version.")
    return matches[0]


def find_set(app: Container, user: User, name: str) -> DocumentSet:
    """Raises:
    NotFound: there is no set of that name.
    """
    for candidate in list_sets(app, user):
        if candidate.name.casefold() == name.strip().casefold():
            return candidate
    raise NotFound(f"There is no set called “{name}”.")


def unlock(app: Container, user: User, document_id: str, password: str) -> Document:
    """Open an encrypted document with its password and queue it again (D7). The password is not stored.

    Raises:
        PasswordRequired: the password does not fit.
    """
    document = get_document(app, user, document_id)
    app.ingestion.unlock(user.id, document.id, password)
    return _requeue(app, user, document)


def retry(app: Container, user: User, document_id: str) -> Document:
    """Queue a failed document again (D4)."""
    document = get_document(app, user, document_id)
    if document.status is not DocumentStatus.FAILED:
        raise InvalidInput("Only a failed document can be tried again.")
    return _requeue(app, user, document)


def edit(
    app: Container,
    user: User,
    document_id: str,
    *,
    title: str,
    version: str,
    type: DocumentType,
    set_name: str,
    set_colour: str = SET_COLOURS[0],
    aliases: Sequence[str],
    tags: Sequence[str],
) -> Document:
    """Change a document's metadata (D10).

    Raises:
        InvalidInput: the title is empty or too long.
    """
    get_document(app, user, document_id)
    documents_db.update_metadata(
        app.db,
        user.id,
        document_id,
        title=_checked_title(title),
        version=_checked_version(version),
        type=type,
        set_id=_set_id(app, user, set_name, set_colour),
        aliases=_tidy(aliases),
        tags=_tidy(tags),
    )
    return get_document(app, user, document_id)


def delete(app: Container, user: User, document_id: str) -> None:
    """Delete a document with its file and everything derived from it. Reports keep their quotes (D10)."""
    document = get_document(app, user, document_id)
    keys = {document.storage_key, documents_db.readable_key(app.db, user.id, document_id) or document.storage_key}
    index.delete_document(app.db, user.id, document_id)
    for key in keys:
        app.files.delete(key)


def page_image(app: Container, user: User, document_id: str, page: int, quote: str | None = None) -> PageImage:
    """The page as a picture, with ``quote`` highlighted where it stands (D9).

    Raises:
        NotFound: no such document or page, or its format has no pages to draw.
    """
    return app.ingestion.page_image(user.id, get_document(app, user, document_id), page, quote)


def page_text(app: Container, user: User, document_id: str, page: int) -> str:
    """The stored text of a page.

    Raises:
        NotFound: no such document or page.
    """
    get_document(app, user, document_id)
    texts = documents_db.load_page_texts(app.db, user.id, [(document_id, page)])
    if (document_id, page) not in texts:
        raise NotFound("This page is not in the document.")
    return texts[document_id, page]


def add_samples(app: Container, user: User) -> list[Document]:
    """Add the fictional sample documents; those already present are left alone (R9)."""
    added = []
    for sample in SAMPLES:
        upload = Upload(
            filename=sample.filename,
            data=sample_bytes(sample),
            type=sample.type,
            title=sample.title,
            version=sample.version,
            set_name=sample.set_name,
            set_colour=sample.set_colour,
            aliases=sample.aliases,
            tags=sample.tags,
            is_sample=True,
        )
        try:
            added.append(add_document(app, user, upload))
        except DuplicateDocument as duplicate:
            added.append(get_document(app, user, duplicate.existing_id))
    return added


def remove_samples(app: Container, user: User) -> int:
    """Remove every sample document (R9); returns how many."""
    samples = [d for d in list_documents(app, user) if d.is_sample]
    for document in samples:
        delete(app, user, document.id)
    return len(samples)


def wait_until_final(
    app: Container, user: User, ids: Sequence[str], *, timeout_seconds: float = 600.0
) -> list[Document]:
    """Wait until all of ``ids`` are ready or failed, or the time is over; the latest state of each."""
    deadline = time.monotonic() + timeout_seconds
    while True:
        found = {d.id: d for d in list_documents(app, user, ids=ids)}
        if all(d.status.is_final for d in found.values()) or time.monotonic() > deadline:
            return [found[i] for i in ids if i in found]
        time.sleep(0.1)


def _resubmit(app: Container, user: User, existing: Document, upload: Upload) -> Document:
    if existing.status is not DocumentStatus.FAILED:
        raise DuplicateDocument(existing.id, existing.display_title)
    app.files.put(existing.storage_key, upload.data)
    if upload.password:
        app.ingestion.unlock(user.id, existing.id, upload.password)
    if upload.title:
        edit(
            app, user, existing.id, title=upload.title, version=upload.version, type=upload.type,
            set_name=upload.set_name, set_colour=upload.set_colour, aliases=upload.aliases, tags=upload.tags,
        )  # fmt: skip
    return _requeue(app, user, existing)


def _requeue(app: Container, user: User, document: Document) -> Document:
    documents_db.set_progress(app.db, user.id, document.id, DocumentStatus.QUEUED, 0.0)
    app.jobs.defer_ingest(user.id, document.id)
    return get_document(app, user, document.id)


def _new_document(app: Container, user: User, upload: Upload, media_type: str, sha256: str) -> Document:
    document_id = str(uuid4())
    title = _checked_title(upload.title) if upload.title.strip() else _title_from_filename(upload.filename)
    return Document(
        id=document_id,
        title=title,
        version=_checked_version(upload.version),
        type=upload.type,
        filename=storable(PurePath(upload.filename.replace("\\", "/")).name)[:255] or "document",
        media_type=media_type,
        sha256=sha256,
        size_bytes=len(upload.data),
        storage_key=file_key(user.id, document_id, "original"),
        status=DocumentStatus.QUEUED,
        created_at=datetime.now(UTC),
        set_id=_set_id(app, user, upload.set_name, upload.set_colour),
        aliases=_tidy(upload.aliases),
        tags=_tidy(upload.tags),
        is_sample=upload.is_sample,
        is_titled=bool(upload.title.strip()),
    )


def _check_size(app: Container, upload: Upload) -> None:
    if not upload.data:
        raise EmptyDocument
    limit = app.settings.max_upload_mb
    if len(upload.data) > limit * 1024 * 1024:
        raise DocumentTooLarge(f"This file has {len(upload.data) / 1048576:.0f} MB; the limit is {limit} MB.")


def _checked_title(title: str) -> str:
    title = " ".join(storable(title).split())
    if not 1 <= len(title) <= 300:
        raise InvalidInput("Please give the document a title of at most 300 characters.")
    return title


def _checked_version(version: str) -> str:
    version = " ".join(storable(version).split())
    if len(version) > 100:
        raise InvalidInput("A version or year can have at most 100 characters.")
    return version


def _title_from_filename(filename: str) -> str:
    stem = storable(PurePath(filename.replace("\\", "/")).stem)
    return " ".join(stem.replace("_", " ").replace("-", " ").split())[:300] or "Untitled document"


def _set_id(app: Container, user: User, name: str, colour: str) -> str | None:
    name = " ".join(storable(name).split())
    if not name:
        return None
    if len(name) > 100:
        raise InvalidInput("The name of a set can have at most 100 characters.")
    return documents_db.ensure_set(app.db, user.id, name, colour).id


def _tidy(values: Sequence[str]) -> tuple[str, ...]:
    cleaned = (" ".join(storable(v).split())[:100] for v in values)
    return tuple(dict.fromkeys(v for v in cleaned if v))


def _names(d: Document) -> set[str]:
    names = {d.id, d.title, d.display_title, f"{d.title} {d.version}".strip(), *d.aliases}
    return {n.casefold() for n in names}


__all__ = [
    "Upload", "add_document", "add_samples", "delete", "edit", "find_by_title", "find_set", "get_document",
    "list_documents", "list_sets", "page_image", "page_text", "remove_samples", "retry", "unlock", "wait_until_final",
]  # fmt: skip
