"""Everything a person has here, removed at once (U9)."""

from __future__ import annotations

from policypal.db import index
from policypal.db.pool import Database
from policypal.domain.users import Removed


def running_threads(db: Database, user_id: str) -> list[str]:
    """The user's conversations that are at work."""
    with db.as_user(user_id) as c:
        rows = c.execute("SELECT thread_id FROM runs WHERE user_id = %s AND status = 'running'", (user_id,)).fetchall()
    return [str(row["thread_id"]) for row in rows]


def remove_everything(db: Database, user_id: str) -> Removed:
    """Every row of the user, the user's own included, in one transaction: each table refers to its user and goes with it.
    What this month has cost stays as an amount without a name, because it was paid for."""
    with db.as_user(user_id, with_deleted=True) as c:
        index.lock_corpus(c, user_id)
        documents = c.execute(
            "SELECT array_remove(ARRAY[storage_key, unlocked_key], NULL) AS keys FROM documents WHERE user_id = %s",
            (user_id,),
        ).fetchall()
        threads = c.execute("SELECT thread_id, kind FROM conversations WHERE user_id = %s", (user_id,)).fetchall()
        reports = c.execute("SELECT count(*) AS n FROM audit_reports WHERE user_id = %s", (user_id,)).fetchone()
        c.execute("SELECT keep_unnamed_consumption()")
        c.execute("DELETE FROM users WHERE id = %s", (user_id,))
    assert reports is not None
    return Removed(
        documents=len(documents),
        conversations=sum(row["kind"] == "chat" for row in threads),
        reports=reports["n"] + sum(row["kind"] == "research" for row in threads),
        files=tuple(key for row in documents for key in row["keys"]),
        threads=tuple(str(row["thread_id"]) for row in threads),
    )


def remove_jobs(db: Database, user_id: str) -> None:
    """Jobs that wait for a worker, or have failed. One that is at work finds its document gone and ends."""
    with db.as_owner() as c:
        c.execute("DELETE FROM procrastinate_jobs WHERE args ->> 'user_id' = %s AND status <> 'doing'", (user_id,))
