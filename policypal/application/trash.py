"""Deleting documents, taking them back, and removing them and what they leave behind for good (D5, D10)."""

import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from policypal.application.container import Container
from policypal.db import documents as documents_db
from policypal.db import embedded as files_db
from policypal.db import index, web_cache
from policypal.db import jobs as jobs_db
from policypal.db import trash as trash_db
from policypal.db.pool import Database
from policypal.domain.documents import DeletedDocument, Document
from policypal.domain.identifiers import uuids
from policypal.domain.users import User
from policypal.errors import NotFound
from policypal.ingest.workspace import remove_abandoned
from policypal.storage import FileStore, file_key

logger = logging.getLogger(__name__)

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


EVERY_SECONDS = 3600.0
GRACE_SECONDS = 3600.0
"""How old a file has to be before it can count as left behind: one that is being stored has no row yet."""


class Housekeeping:
    """Runs once at the start of a worker and every hour after that."""

    def __init__(self, db: Database, files: FileStore) -> None:
        self._db = db
        self._files = files
        self._due = 0.0

    def run_if_due(self) -> None:
        """Raises PolicyPalError: the store or the database failed; the next hour's turn tries again."""
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + EVERY_SECONDS
            self.run()

    def run(self, *, grace_seconds: float = GRACE_SECONDS) -> None:
        """Delete files without a document, temporary folders of dead processes, what was deleted a month ago, and what the
        web said too long ago."""
        remove_abandoned(older_than_seconds=grace_seconds)
        remove_orphans(self._db, self._files, grace=timedelta(seconds=grace_seconds))
        purge_expired(self._db, self._files)
        web_cache.remove_expired(self._db)


_NOBODY = "00000000-0000-0000-0000-000000000000"
MARK = file_key(_NOBODY, _NOBODY, "installation")
"""A file that names the installation the store belongs to."""


def remove_orphans(db: Database, files: FileStore, *, grace: timedelta) -> int:
    """Delete the files without a document that were last written longer ago than ``grace`` (one that is being stored
    has no row yet); how many. Idempotent, and safe beside other workers. A store that belongs to another
    installation is left alone. Raises StorageError, DatabaseUnavailable: the rest is left for the next time."""
    if not _is_ours(db, files):
        logger.warning("the file store belongs to another installation: files without a document stay")
        return 0
    latest = datetime.now(UTC) - grace
    old = {file.key for file in files.files() if file.modified <= latest} - {MARK}
    orphans = old - jobs_db.stored_keys(db)  # asked afterwards: a file listed now may get its row now
    for key in orphans:
        logger.info("deleting a file that belongs to no document: %s", key)
        files.delete(key)
    return len(orphans)


def _is_ours(db: Database, files: FileStore) -> bool:
    """Whether the store names this installation. One that names none is taken into possession."""
    ours = files_db.installation_id(db).encode()
    try:
        return files.get(MARK) == ours
    except NotFound:
        files.put(MARK, ours)
        return True
