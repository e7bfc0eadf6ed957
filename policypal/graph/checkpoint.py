"""The agent's memory: PostgresSaver on a pool, with strict deserialisation (M1, M2, X3)."""

from __future__ import annotations

import time
from typing import Any

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from policypal.db.pool import session_conninfo, translated_errors


class Checkpoints:
    """Hands out savers. One saver serialises its users behind a lock, so every run gets its own on the shared pool."""

    def __init__(self, direct_conninfo: str, *, max_size: int = 10) -> None:
        self._pool: ConnectionPool[psycopg.Connection[dict[str, Any]]] = ConnectionPool(
            session_conninfo(direct_conninfo),
            min_size=1,
            max_size=max_size,
            timeout=10,
            open=False,
            check=ConnectionPool.check_connection,
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
        """Keep only the latest checkpoint of a thread (M2)."""
        with translated_errors():
            self.saver().prune([thread_id])
