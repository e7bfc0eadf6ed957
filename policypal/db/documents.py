"""Documents and their pages (section D). Deleted ones are hidden by row-level security; see :mod:`policypal.db.trash`."""

from collections.abc import Sequence
from typing import Any

from psycopg.errors import UniqueViolation

from policypal.db.pool import Database
from policypal.domain.documents import Document, DocumentSet, DocumentStatus, DocumentType, Page
from policypal.domain.identifiers import uuids
from policypal.errors import InvalidInput

_SELECT = (
    "SELECT d.*, s.name AS set_name, s.colour AS set_colour FROM documents d"
    " LEFT JOIN sets s ON s.id = d.set_id AND s.user_id = d.user_id WHERE d.user_id = %(user)s"
)
_FIELDS = frozenset(Document.__dataclass_fields__)


def select_documents(condition: str) -> str:
    """The statement that reads a user's documents ``d`` for :func:`document_of`; ``%(user)s`` is the user's id."""
    return f"{_SELECT} AND {condition}"


def document_of(row: dict[str, Any]) -> Document:
    values = {k: v for k, v in row.items() if k in _FIELDS}
    values.update(
        id=str(row["id"]),
        type=DocumentType(row["type"]),
        status=DocumentStatus(row["status"]),
        set_id=str(row["set_id"]) if row["set_id"] else None,
        previous_version_id=str(row["previous_version_id"]) if row["previous_version_id"] else None,
        aliases=tuple(row["aliases"]),
        tags=tuple(row["tags"]),
        embedding_models=tuple(row["embedding_models"]),
        ocr_pages=tuple(row["ocr_pages"]),
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
    return document_of(row) if row else None


def find_document_by_sha256(db: Database, user_id: str, sha256: str) -> Document | None:
    with db.as_user(user_id) as c:
        row = c.execute(f"{_SELECT} AND d.sha256 = %(sha)s", {"user": user_id, "sha": sha256}).fetchone()
    return document_of(row) if row else None


def list_documents(db: Database, user_id: str, *, ids: Sequence[str] | None = None) -> list[Document]:
    """The user's documents, by set name, title and version; optionally only some ids."""
    sql, values = _SELECT, {"user": user_id, "ids": uuids(ids or ())}
    if ids is not None:
        sql += " AND d.id = ANY(%(ids)s::uuid[])"
    with db.as_user(user_id) as c:
        rows = c.execute(
            f"{sql} ORDER BY s.name NULLS LAST, lower(d.title), d.version, d.created_at", values
        ).fetchall()
    return [document_of(row) for row in rows]


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


def move_to_set(db: Database, user_id: str, ids: Sequence[str], set_id: str | None) -> int:
    """Put documents into a set, or into none; how many there were (D2)."""
    with db.as_user(user_id) as c:
        return c.execute(
            "UPDATE documents SET set_id = %s, updated_at = now() WHERE id = ANY(%s::uuid[]) AND user_id = %s",
            (set_id, list(ids), user_id),
        ).rowcount


def change_tags(db: Database, user_id: str, ids: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> int:
    """Add tags to documents and take others away, the rest in their order; how many documents there were (D10)."""
    with db.as_user(user_id) as c:
        return c.execute(
            "UPDATE documents SET updated_at = now(), tags = ARRAY(SELECT t FROM unnest(tags || %s::text[])"
            " WITH ORDINALITY AS u(t, n) WHERE t <> ALL(%s::text[]) GROUP BY t ORDER BY min(n))"
            " WHERE id = ANY(%s::uuid[]) AND user_id = %s",
            (list(add), list(remove), list(ids), user_id),
        ).rowcount


def set_previous_version(db: Database, user_id: str, document_id: str, previous_id: str | None) -> None:
    """Say which document this one is the next version of (D8)."""
    with db.as_user(user_id) as c:
        c.execute(
            "UPDATE documents SET previous_version_id = %s, updated_at = now() WHERE id = %s AND user_id = %s",
            (previous_id, document_id, user_id),
        )


def load_pages(db: Database, user_id: str, document_id: str) -> list[Page]:
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT p.number, p.text FROM pages p JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id"
            " WHERE p.document_id = %s AND p.user_id = %s ORDER BY p.number",
            (document_id, user_id),
        ).fetchall()
    return [Page(row["number"], row["text"]) for row in rows]


def load_page_texts(db: Database, user_id: str, wanted: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Texts of several (document id, page number) pairs, in one query; missing ones are absent."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT p.document_id, p.number, p.text FROM pages p"
            " JOIN unnest(%s::uuid[], %s::int[]) AS w(document_id, number) USING (document_id, number)"
            " JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id"
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


def update_set(db: Database, user_id: str, set_id: str, name: str, colour: str) -> bool:
    """Rename and recolour; False if there is no such set. Raises InvalidInput: another set has that name
    (case-insensitive)."""
    try:
        with db.as_user(user_id) as c:
            done = c.execute(
                "UPDATE sets SET name = %s, colour = %s WHERE id = %s AND user_id = %s", (name, colour, set_id, user_id)
            )
            return done.rowcount == 1
    except UniqueViolation:
        raise InvalidInput(f"You already have a set called “{name}”. Please choose another name.") from None


def delete_set(db: Database, user_id: str, set_id: str) -> bool:
    """Delete a set; its documents stay, in no set. False if there is no such set."""
    with db.as_user(user_id) as c:
        return c.execute("DELETE FROM sets WHERE id = %s AND user_id = %s", (set_id, user_id)).rowcount == 1
