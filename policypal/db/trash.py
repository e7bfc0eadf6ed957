"""Deleted documents: hidden, taken back, found again (D10).

Row-level security hides a deleted document with everything that is read through it; what is left to do here is its share
of the term statistics, which a search must not count, and the chain of versions, which must not break.
"""

from collections.abc import Sequence

from policypal.db import index
from policypal.db.documents import select_documents
from policypal.db.pool import Connection, Database, made, made_one
from policypal.domain.documents import DeletedDocument, Document


def hide_documents(db: Database, user_id: str, ids: Sequence[str]) -> list[str]:
    """Delete documents so that they can be taken back; the ids of those that were there."""
    with db.as_user(user_id, with_deleted=True) as c:
        hidden = _switch(c, user_id, ids, "deleted_at = now()", "deleted_at IS NULL")
        index.count_documents(c, user_id, hidden, -1)
        # a later version now follows the one before
        c.execute(
            "UPDATE documents later SET previous_version_id = gone.previous_version_id FROM documents gone"
            " WHERE gone.id = ANY(%s::uuid[]) AND gone.user_id = %s AND later.previous_version_id = gone.id"
            " AND later.user_id = gone.user_id",
            (hidden, user_id),
        )
    return hidden


def show_documents(db: Database, user_id: str, ids: Sequence[str]) -> list[str]:
    """Take deleted documents back as they were; the ids of those that could be."""
    with db.as_user(user_id, with_deleted=True) as c:
        shown = _switch(c, user_id, ids, "deleted_at = NULL", "deleted_at IS NOT NULL")
        index.count_documents(c, user_id, shown, 1)
    return shown


def _switch(c: Connection, user_id: str, ids: Sequence[str], to: str, where: str) -> list[str]:
    index.lock_corpus(c, user_id)
    rows = c.execute(
        f"UPDATE documents SET {to}, updated_at = now() WHERE id = ANY(%s::uuid[]) AND user_id = %s AND {where} RETURNING id",
        (list(ids), user_id),
    ).fetchall()
    return [row["id"] for row in rows]


def list_deleted(db: Database, user_id: str) -> list[DeletedDocument]:
    """What can be taken back, latest first."""
    with db.as_user(user_id, with_deleted=True) as c:
        rows = c.execute(
            select_documents("d.deleted_at IS NOT NULL") + " ORDER BY d.deleted_at DESC, d.title", {"user": user_id}
        ).fetchall()
    documents = made(Document, rows)
    return [DeletedDocument(d, row["deleted_at"], _files(row)) for d, row in zip(documents, rows, strict=True)]


def find_deleted_by_sha256(db: Database, user_id: str, sha256: str) -> Document | None:
    with db.as_user(user_id, with_deleted=True) as c:
        row = c.execute(
            select_documents("d.deleted_at IS NOT NULL AND d.sha256 = %(sha)s"), {"user": user_id, "sha": sha256}
        ).fetchone()
    return made_one(Document, row)


def expired(db: Database, days: int) -> list[tuple[str, str]]:
    """(user id, document id) of what was deleted more than ``days`` days ago."""
    with db.as_owner() as c:
        rows = c.execute(
            "SELECT user_id, id FROM documents WHERE deleted_at < now() - make_interval(days => %s)", (days,)
        ).fetchall()
    return [(row["user_id"], row["id"]) for row in rows]


def _files(row: dict[str, object]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("storage_key", "unlocked_key") if row[name])
