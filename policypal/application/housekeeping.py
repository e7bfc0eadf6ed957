"""What killed processes and long-gone deletions leave behind, cleared away by the worker (D5, D10)."""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from policypal.application import trash
from policypal.db import web_cache
from policypal.db.pool import Database
from policypal.ingest.workspace import remove_abandoned
from policypal.storage import FileStore
from policypal.storage.orphans import remove_orphans

logger = logging.getLogger(__name__)

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
        trash.purge_expired(self._db, self._files)
        web_cache.remove_expired(self._db)
