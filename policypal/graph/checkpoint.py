"""The agent's memory: PostgresSaver on a pool, under row-level security, with strict deserialisation (M1, M2, X1, X3)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg import Cursor
from psycopg.rows import DictRow, dict_row

from policypal.db.pool import Database, enter_as_user, session

_KEEP_LATEST = """
WITH latest AS (
    SELECT checkpoint_id, checkpoint -> 'channel_versions' AS versions FROM checkpoints
    WHERE thread_id = %(thread)s AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1
), checkpoints_before AS (
    DELETE FROM checkpoints c USING latest
    WHERE c.thread_id = %(thread)s AND c.checkpoint_ns = '' AND c.checkpoint_id < latest.checkpoint_id
), writes_before AS (
    DELETE FROM checkpoint_writes w USING latest
    WHERE w.thread_id = %(thread)s AND w.checkpoint_ns = '' AND w.checkpoint_id < latest.checkpoint_id
)
DELETE FROM checkpoint_blobs b USING latest
WHERE b.thread_id = %(thread)s AND b.checkpoint_ns = '' AND latest.versions ->> b.channel IS DISTINCT FROM b.version
"""


# The saver names the columns it writes, so one more with a default is no concern of its own.
_ISOLATE = """
ALTER TABLE {table} ADD COLUMN user_id uuid;
UPDATE {table} t SET user_id = c.user_id FROM conversations c WHERE c.thread_id::text = t.thread_id;
DELETE FROM {table} WHERE user_id IS NULL; -- of conversations that are gone
ALTER TABLE {table} ALTER COLUMN user_id SET NOT NULL, ALTER COLUMN user_id SET DEFAULT current_user_id(),
    ADD FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE;
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
-- A thread's few rows are found by its id, so that asking once per row is quicker than planning a sub-select.
CREATE POLICY own_rows ON {table} TO policypal_app
    USING (user_id = current_user_id()) WITH CHECK (user_id = current_user_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO policypal_app;
"""
_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


class Checkpoints:
    """Hands out savers. One saver serialises its users behind a lock, so every run gets its own on the process's pool: each
    statement is a transaction of its own that leaves nothing behind, so that the pool may lead to a transaction pooler."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @staticmethod
    def migrate(direct_conninfo: str) -> None:
        """Create or update the checkpointer's own tables."""
        with session(direct_conninfo) as connection:
            # Two processes may start at once. Asked again and again instead of waited for: a waiting statement holds a
            # snapshot, for which the CREATE INDEX CONCURRENTLY of the other process would wait in turn.
            while not connection.execute("SELECT pg_try_advisory_lock(7061202) AS ours").fetchone()["ours"]:  # type: ignore[index]
                time.sleep(0.05)
            PostgresSaver(connection).setup()
            _isolate(connection)

    def saver(self, user_id: str) -> PostgresSaver:
        """A saver for the threads of one user. It accepts plain data only: nothing in a checkpoint can name code to run."""
        return _UsersSaver(self._db, user_id)

    def forget(self, user_id: str, thread_id: str) -> None:
        """Delete everything of a thread, and of what is kept beside it ("<thread>/audit/…")."""
        with self._db.translated_errors(), _entered(self._db, user_id) as connection:
            for table in _TABLES:
                connection.execute(
                    f"DELETE FROM {table} WHERE thread_id = %(id)s OR split_part(thread_id, '/', 1) = %(id)s",
                    {"id": thread_id},
                )

    def prune(self, user_id: str, thread_id: str) -> None:
        """Keep only the latest checkpoint of a thread (M2). Called under the thread's lease, for graphs without
        subgraphs: the saver's own ``prune`` allows for both, in some thirty statements."""
        with self._db.translated_errors(), _entered(self._db, user_id) as connection:
            connection.execute(_KEEP_LATEST, {"thread": thread_id})


class _UsersSaver(PostgresSaver):
    """A saver whose every statement runs with the application's role, for one user: a thread's id alone opens nothing."""

    def __init__(self, db: Database, user_id: str) -> None:
        super().__init__(db.pool, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        self._db, self._user_id = db, user_id

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[Cursor[DictRow]]:
        """Where the saver gets all its cursors; always in a pipeline, so that entering costs no round trip of its own."""
        with (
            self.lock,
            _entered(self._db, self._user_id) as connection,
            connection.cursor(binary=True, row_factory=dict_row) as cursor,
        ):
            yield cursor


@contextmanager
def _entered(db: Database, user_id: str) -> Iterator[psycopg.Connection[DictRow]]:
    """A transaction for one user. In a pipeline, entering and the first statement are one round trip."""
    with db.pool.connection() as connection, connection.pipeline(), connection.transaction():
        # a turn's last commit (its answer, or the end of its run) waits for the disk, and for these before it
        enter_as_user(connection, user_id, durable=False)
        yield connection


def _isolate(connection: psycopg.Connection[DictRow]) -> None:
    """Give each of the checkpointer's tables an owner per row, and row-level security, once (X1)."""
    with connection.transaction():
        for table in _TABLES:
            done = connection.execute(
                "SELECT 1 FROM pg_policies WHERE schemaname = 'policypal' AND tablename = %s", (table,)
            ).fetchone()
            if not done:
                connection.execute(_ISOLATE.format(table=table))
