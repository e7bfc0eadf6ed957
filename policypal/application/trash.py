"""Deleting documents, taking them back, and removing them for good (D10)."""

from __future__ import annotations

from collections.abc import Sequence

from policypal.application.container import Container
from policypal.db import documents as documents_db
from policypal.db import index
from policypal.db import trash as trash_db
from policypal.db.pool import Database
from policypal.domain.documents import DeletedDocument, Document
from policypal.domain.identifiers import uuids
from policypal.domain.users import User
from policypal.storage import FileStore

DAYS_KEPT = 30
"""How long a deleted document can be taken back."""


def delete(app: Container, user: User, ids: Sequence[str]) -> list[str]:
    """Hide documents everywhere until they are restored or removed; the ids of those that were there. Reports keep their
    quotes."""
    return trash_db.hide_documents(app.db, user.id, uuids(ids))


def list_deleted(app: Container, user: User) -> list[DeletedDocument]:
    """What can be taken back, latest first."""
    return trash_db.list_deleted(app.db, user.id)


def restore(app: Container, user: User, ids: Sequence[str]) -> list[str]:
    """Take deleted documents back as they were; what had not been read yet is queued again. The ids of those restored."""
    restored = trash_db.show_documents(app.db, user.id, uuids(ids))
    for document in documents_db.list_documents(app.db, user.id, ids=restored):
        if not document.status.is_final:
            app.jobs.defer_ingest(user.id, document.id)
    if restored:
        app.jobs.defer_missing_vectors()  # the embedding model may have changed meanwhile
    return restored


def restore_file(app: Container, user: User, sha256: str) -> Document | None:
    """Take back the deleted document that has these bytes, if there is one: they were handed in again (D7)."""
    deleted = trash_db.find_deleted_by_sha256(app.db, user.id, sha256)
    if deleted is None:
        return None
    restore(app, user, [deleted.id])
    return documents_db.find_document(app.db, user.id, deleted.id)


def purge(app: Container, user: User, ids: Sequence[str]) -> int:
    """Remove deleted documents for good, with their files and all that was read from them; how many. Raises
    StorageError: a file could not be deleted; its document can still be taken back or removed later."""
    return _purge(app.db, app.files, user.id, set(ids))


def purge_expired(db: Database, files: FileStore) -> int:
    """Remove what was deleted more than :data:`DAYS_KEPT` days ago, of all users; how many. For housekeeping."""
    gone: dict[str, set[str]] = {}
    for user_id, document_id in trash_db.expired(db, DAYS_KEPT):
        gone.setdefault(user_id, set()).add(document_id)
    return sum(_purge(db, files, user_id, ids) for user_id, ids in gone.items())


def _purge(db: Database, files: FileStore, user_id: str, ids: set[str]) -> int:
    """Files first: whatever ends the process in between, nothing is left that no row knows of."""
    wanted = [d for d in trash_db.list_deleted(db, user_id) if d.document.id in ids]
    for deleted in wanted:
        for key in deleted.files:
            files.delete(key)
        index.delete_document(db, user_id, deleted.document.id)
    return len(wanted)
