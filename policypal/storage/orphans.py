"""Files no document uses: what a process that was killed between storing and recording left behind (D5)."""

import logging
from datetime import UTC, datetime, timedelta

from policypal.db import embedded as files_db
from policypal.db import jobs as jobs_db
from policypal.db.pool import Database
from policypal.errors import NotFound
from policypal.storage import FileStore, file_key

logger = logging.getLogger(__name__)

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
