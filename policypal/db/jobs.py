"""What the sweep needs to know of the job queue's tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from policypal.db.pool import Database, session

_CREATION_LOCK = 7_061_203
STALLED_SECONDS = 12.0
"""A worker that has not been heard of for so long is dead."""
WORKERS_PER_PROCESS = 2
"""One reads, one recognises text."""


@contextmanager
def queue_missing(direct_conninfo: str) -> Iterator[bool]:
    """Whether procrastinate's tables are missing; until the end of the block nobody else gets an answer, so that two
    processes that start at once do not both create them."""
    with session(direct_conninfo) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATION_LOCK,))
        row = connection.execute("SELECT to_regclass('policypal.procrastinate_jobs') IS NULL AS missing").fetchone()
        yield bool(row and row["missing"])


@dataclass(frozen=True, slots=True)
class QueueState:
    """Who reads documents, and what waits. ``processes`` are alive; ``silent_seconds`` is how long ago the latest sign of
    life was, None where no worker is registered. ``oldest_seconds`` is how long ago the first of ``waiting`` documents, which
    are neither ready nor failed, was queued; None where none waits."""

    processes: int
    silent_seconds: float | None
    waiting: int
    oldest_seconds: float | None

    @property
    def unread_seconds(self) -> float | None:
        """For how long nobody has read although documents wait; None where somebody reads or nothing waits."""
        if self.processes or self.oldest_seconds is None:
            return None
        return self.oldest_seconds if self.silent_seconds is None else self.silent_seconds


_QUEUE_STATE = """
SELECT w.*, d.* FROM (
    SELECT count(*) FILTER (WHERE last_heartbeat > now() - make_interval(secs => %(stalled)s)) AS alive,
        extract(epoch FROM now() - max(last_heartbeat))::float8 AS silent_seconds
    FROM policypal.procrastinate_workers
) w, (
    SELECT count(*) AS waiting, extract(epoch FROM now() - min(queued_at))::float8 AS oldest_seconds
    FROM policypal.documents
    WHERE status NOT IN ('ready', 'failed') AND deleted_at IS NULL AND (%(user)s::uuid IS NULL OR user_id = %(user)s)
) d
"""


def queue_state(db: Database, user_id: str | None = None) -> QueueState | None:
    """Read, not assumed: the workers' heartbeats and the documents to be read, of one person or of everybody (D5, R8). None
    before the tables are there."""
    with db.as_owner() as c:
        row = c.execute("SELECT to_regclass('policypal.procrastinate_workers') IS NULL AS missing").fetchone()
        if row and row["missing"]:
            return None
        row = c.execute(_QUEUE_STATE, {"stalled": STALLED_SECONDS, "user": user_id}).fetchone()
    assert row is not None
    processes = -(-row["alive"] // WORKERS_PER_PROCESS)
    return QueueState(processes, row["silent_seconds"], row["waiting"], row["oldest_seconds"])


@dataclass(frozen=True, slots=True)
class Job:
    """A job of the queue: ``status`` is procrastinate's own."""

    id: int
    status: str

    @property
    def is_open(self) -> bool:
        """Whether it waits or works."""
        return self.status in ("todo", "doing")


def latest_job(db: Database, user_id: str, document_id: str, task: str) -> Job | None:
    """A document's latest job of a task; None where there is none, or it has succeeded."""
    with db.as_owner() as c:
        row = c.execute(
            "SELECT id, status::text FROM procrastinate_jobs WHERE task_name = %s AND args->>'document_id' = %s"
            " AND args->>'user_id' = %s ORDER BY id DESC LIMIT 1",
            (task, document_id, user_id),
        ).fetchone()
    return Job(row["id"], row["status"]) if row else None


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
    return [(row["user_id"], row["id"]) for row in rows]


def ready_without_job(db: Database, condition: str, value: str | int, task: str) -> list[tuple[str, str]]:
    """(user id, document id) of ready documents of which a ``condition`` on their row holds, and that no job of ``task`` waits for."""
    with db.as_owner() as c:
        rows = c.execute(
            f"SELECT user_id, id FROM documents d WHERE status = 'ready' AND deleted_at IS NULL AND {condition}"
            " AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs j WHERE j.status = 'todo' AND j.task_name = %s"
            "  AND j.args->>'document_id' = d.id::text) ORDER BY user_id, created_at",
            (value, task),
        ).fetchall()
    return [(row["user_id"], row["id"]) for row in rows]


def stored_keys(db: Database) -> set[str]:
    """The keys of all files that belong to a document."""
    with db.as_owner() as c:
        rows = c.execute(
            "SELECT unnest(array_remove(ARRAY[storage_key, unlocked_key], NULL)) AS key FROM documents"
        ).fetchall()
    return {row["key"] for row in rows}
