"""What the sweep needs to know of the job queue's tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from policypal.db.pool import Database, session_conninfo, translated_errors

_CREATION_LOCK = 7_061_203


@contextmanager
def queue_missing(direct_conninfo: str) -> Iterator[bool]:
    """Whether procrastinate's tables are missing; until the end of the block nobody else gets an answer, so that two
    processes that start at once do not both create them."""
    with translated_errors(), psycopg.connect(session_conninfo(direct_conninfo)) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATION_LOCK,))
        row = connection.execute("SELECT to_regclass('policypal.procrastinate_jobs') IS NULL").fetchone()
        yield bool(row and row[0])


def documents_without_job(db: Database, grace_seconds: float = 10.0) -> list[tuple[str, str]]:
    """(user id, document id) of unfinished documents that no waiting or running job will bring further.

    The grace keeps out the moment between a document's row and its job.
    """
    with db.as_owner() as c:
        rows = c.execute(
            "SELECT d.user_id, d.id FROM documents d WHERE d.status NOT IN ('ready', 'failed') AND d.deleted_at IS NULL"
            " AND d.updated_at < now() - make_interval(secs => %s) AND NOT EXISTS ("
            "  SELECT 1 FROM procrastinate_jobs j WHERE j.status IN ('todo', 'doing')"
            "  AND j.args->>'document_id' = d.id::text)",
            (grace_seconds,),
        ).fetchall()
    return [(str(row["user_id"]), str(row["id"])) for row in rows]


def stored_keys(db: Database) -> set[str]:
    """The keys of all files that belong to a document."""
    with db.as_owner() as c:
        rows = c.execute(
            "SELECT unnest(array_remove(ARRAY[storage_key, unlocked_key], NULL)) AS key FROM documents"
        ).fetchall()
    return {row["key"] for row in rows}
