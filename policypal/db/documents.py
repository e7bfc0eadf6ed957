"""Documents, their pages and sets (section D)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.errors import UniqueViolation

from policypal.db.pool import Database
from policypal.domain.documents import Document, DocumentSet, DocumentStatus, DocumentType, Page
from policypal.domain.identifiers import is_uuid

_SELECT = (
    "SELECT d.*, s.name AS set_name, s.colour AS set_colour FROM documents d"
    " LEFT JOIN sets s ON s.id = d.set_id AND s.user_id = d.user_id WHERE d.user_id = %(user)s"
)
_FIELDS = frozenset(Document.__dataclass_fields__)


def _document(row: dict[str, Any]) -> Document:
    values = {k: v for k, v in row.items() if k in _FIELDS}
    values.update(
        id=str(row["id"]),
        type=DocumentType(row["type"]),
        status=DocumentStatus(row["status"]),
        set_id=str(row["set_id"]) if row["set_id"] else None,
        previous_version_id=str(row["previous_version_id"]) if row["previous_version_id"] else None,
        aliases=tuple(row["aliases"]),
        tags=tuple(row["tags"]),
    )
    return Document(**values)


def insert_document(db: Database, user_id: str, document: Document) -> bool:
    """Add a document row; False if this user already has a document with the same SHA-256 (D7)."""
    try:
        with db.as_user(user_id) as c:
            c.execute(
                "INSERT INTO documents (id, user_id, title, version, type, set_id, aliases, tags, filename, media_type,"
                " sha256, size_bytes, storage_key, status, previous_version_id, is_sample, is_titled) VALUES (%(id)s, %(user)s,"
                " %(title)s, %(version)s, %(type)s, %(set_id)s, %(aliases)s, %(tags)s, %(filename)s, %(media_type)s,"
                " %(sha256)s, %(size_bytes)s, %(storage_key)s, 'queued', %(previous_version_id)s, %(is_sample)s, %(is_titled)s)",
                {
                    "user": user_id,
                    **{name: getattr(document, name) for name in _FIELDS},
                    "aliases": list(document.aliases),
                    "tags": list(document.tags),
                },
            )
        return True
    except UniqueViolation:
        return False


def find_document(db: Database, user_id: str, document_id: str) -> Document | None:
    with db.as_user(user_id) as c:
        row = c.execute(f"{_SELECT} AND d.id = %(id)s", {"user": user_id, "id": document_id}).fetchone()
    return _document(row) if row else None


def find_document_by_sha256(db: Database, user_id: str, sha256: str) -> Document | None:
    with db.as_user(user_id) as c:
        row = c.execute(f"{_SELECT} AND d.sha256 = %(sha)s", {"user": user_id, "sha": sha256}).fetchone()
    return _document(row) if row else None


def list_documents(db: Database, user_id: str, *, ids: Sequence[str] | None = None) -> list[Document]:
    """The user's documents, by set name, title and version; optionally only some ids."""
    sql, values = _SELECT, {"user": user_id, "ids": [i for i in ids or () if is_uuid(i)]}
    if ids is not None:
        sql += " AND d.id = ANY(%(ids)s::uuid[])"
    with db.as_user(user_id) as c:
        rows = c.execute(
            f"{sql} ORDER BY s.name NULLS LAST, lower(d.title), d.version, d.created_at", values
        ).fetchall()
    return [_document(row) for row in rows]


def update_metadata(
    db: Database,
    user_id: str,
    document_id: str,
    *,
    title: str,
    version: str,
    type: DocumentType,
    set_id: str | None,
    aliases: Sequence[str],
    tags: Sequence[str],
) -> bool:
    """Change what a person may change (D10); False if there is no such document."""
    with db.as_user(user_id) as c:
        done = c.execute(
            "UPDATE documents SET is_titled = true, title = %s, version = %s, type = %s, set_id = %s, aliases = %s, tags = %s,"
            " updated_at = now() WHERE id = %s AND user_id = %s",
            (title, version, type, set_id, list(aliases), list(tags), document_id, user_id),
        )
        return done.rowcount == 1


def set_progress(db: Database, user_id: str, document_id: str, status: DocumentStatus, progress: float) -> bool:
    """Record how far ingestion has come; False if the document was deleted meanwhile."""
    with db.as_user(user_id) as c:
        done = c.execute(
            "UPDATE documents SET status = %s, progress = %s, reason = NULL, reason_code = NULL, updated_at = now()"
            " WHERE id = %s AND user_id = %s",
            (status, progress, document_id, user_id),
        )
        return done.rowcount == 1


def set_title(db: Database, user_id: str, document_id: str, title: str) -> None:
    with db.as_user(user_id) as c:
        c.execute(
            "UPDATE documents SET title = %s, is_titled = true WHERE id = %s AND user_id = %s",
            (title[:300], document_id, user_id),
        )


def set_failed(db: Database, user_id: str, document_id: str, code: str, reason: str) -> None:
    """Mark as failed with a sentence for the analyst (D4, D7)."""
    with db.as_user(user_id) as c:
        c.execute(
            "UPDATE documents SET status = 'failed', reason = %s, reason_code = %s, updated_at = now()"
            " WHERE id = %s AND user_id = %s",
            (reason, code, document_id, user_id),
        )


def set_unlocked_key(db: Database, user_id: str, document_id: str, key: str) -> None:
    with db.as_user(user_id) as c:
        c.execute("UPDATE documents SET unlocked_key = %s WHERE id = %s AND user_id = %s", (key, document_id, user_id))


def readable_key(db: Database, user_id: str, document_id: str) -> str | None:
    """The storage key of the file that can be read: the unlocked copy if there is one, else the original."""
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT coalesce(unlocked_key, storage_key) AS key FROM documents WHERE id = %s AND user_id = %s",
            (document_id, user_id),
        ).fetchone()
    return row["key"] if row else None


def load_pages(db: Database, user_id: str, document_id: str) -> list[Page]:
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT number, text FROM pages WHERE document_id = %s AND user_id = %s ORDER BY number",
            (document_id, user_id),
        ).fetchall()
    return [Page(row["number"], row["text"]) for row in rows]


def load_page_texts(db: Database, user_id: str, wanted: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Texts of several (document id, page number) pairs, in one query; missing ones are absent."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT p.document_id, p.number, p.text FROM pages p"
            " JOIN unnest(%s::uuid[], %s::int[]) AS w(document_id, number) USING (document_id, number)"
            " WHERE p.user_id = %s",
            ([d for d, _ in wanted], [n for _, n in wanted], user_id),
        ).fetchall()
    return {(str(row["document_id"]), row["number"]): row["text"] for row in rows}


def list_sets(db: Database, user_id: str) -> list[DocumentSet]:
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT id, name, colour FROM sets WHERE user_id = %s ORDER BY lower(name)", (user_id,)
        ).fetchall()
    return [DocumentSet(str(row["id"]), row["name"], row["colour"]) for row in rows]


def ensure_set(db: Database, user_id: str, name: str, colour: str) -> DocumentSet:
    """The set of that name (case-insensitive), created with ``colour`` on first use (D2)."""
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO sets (user_id, name, colour) VALUES (%s, %s, %s) ON CONFLICT (user_id, lower(name)) DO NOTHING",
            (user_id, name.strip(), colour),
        )
        row = c.execute(
            "SELECT id, name, colour FROM sets WHERE user_id = %s AND lower(name) = lower(%s)", (user_id, name.strip())
        ).fetchone()
    assert row is not None
    return DocumentSet(str(row["id"]), row["name"], row["colour"])
