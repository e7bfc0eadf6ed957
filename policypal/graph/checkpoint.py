"""The agent's memory: PostgresSaver on a pool, with strict deserialisation (M1, M2, X3)."""

from __future__ import annotations

import time
from typing import Any

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from policypal.db.pool import check_if_idle, session_conninfo, translated_errors

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


class Checkpoints:
    """Hands out savers. One saver serialises its users behind a lock, so every run gets its own on the shared pool."""

    def __init__(self, direct_conninfo: str, *, max_size: int = 10) -> None:
        self._pool: ConnectionPool[psycopg.Connection[dict[str, Any]]] = ConnectionPool(
            # a turn's last commit (its answer, or the end of its run) waits for the disk, and for these before it
            session_conninfo(direct_conninfo, durable=False),
            min_size=1,
            max_size=max_size,
            timeout=10,
            open=False,
            check=check_if_idle,
            kwargs={"autocommit": True, "prepare_threshold": None, "row_factory": dict_row},
        )

    @staticmethod
    def migrate(direct_conninfo: str) -> None:
        """Create or update the checkpointer's own tables."""
        with (
            translated_errors(),
            psycopg.connect(
                session_conninfo(direct_conninfo), autocommit=True, prepare_threshold=None, row_factory=dict_row
            ) as connection,
        ):
            # Two processes may start at once. Asked again and again instead of waited for: a waiting statement holds a
            # snapshot, for which the CREATE INDEX CONCURRENTLY of the other process would wait in turn.
            while not connection.execute("SELECT pg_try_advisory_lock(7061202) AS ours").fetchone()["ours"]:  # type: ignore[index]
                time.sleep(0.05)
            PostgresSaver(connection).setup()

    def open(self) -> None:
        with translated_errors():
            self._pool.open(wait=True, timeout=10)

    def close(self) -> None:
        self._pool.close()

    def saver(self) -> PostgresSaver:
        """A saver that accepts plain data only: nothing in a checkpoint can name code to run."""
        return PostgresSaver(self._pool, serde=JsonPlusSerializer(allowed_msgpack_modules=None))

    def forget(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        with translated_errors():
            self.saver().delete_thread(thread_id)

    def prune(self, thread_id: str) -> None:
        """Keep only the latest checkpoint of a thread (M2). Called under the thread's lease, for graphs without
        subgraphs: the saver's own ``prune`` allows for both, in some thirty statements."""
        with translated_errors(), self._pool.connection() as connection:
            connection.execute(_KEEP_LATEST, {"thread": thread_id})
