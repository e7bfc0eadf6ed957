"""Documents and their pages (section D). Deleted ones are hidden by row-level security; see :mod:`policypal.db.trash`."""

from collections.abc import Sequence

from psycopg.errors import UniqueViolation

from policypal.db.pool import NOW, Database, add, delete, made, made_one, update
from policypal.domain.documents import Document, DocumentSet, DocumentType, Page
from policypal.domain.identifiers import uuids
from policypal.errors import InvalidInput

_SELECT = (
    "SELECT d.*, s.name AS set_name, s.colour AS set_colour FROM documents d"
    " LEFT JOIN sets s ON s.id = d.set_id AND s.user_id = d.user_id WHERE d.user_id = %(user)s"
)
_GIVEN = (
    "id", "title", "version", "type", "set_id", "filename", "media_type", "sha256", "size_bytes", "storage_key",
    "previous_version_id", "is_sample", "is_titled",
)  # fmt: skip


def select_documents(condition: str) -> str:
    """The statement that reads a user's documents ``d``; ``%(user)s`` is the user's id."""
    return f"{_SELECT} AND {condition}"


def insert_document(db: Database, user_id: str, document: Document) -> bool:
    """Add a document row; False if this user already has a document with the same SHA-256 (D7)."""
    told = {name: getattr(document, name) for name in _GIVEN}
    lists = {"aliases": list(document.aliases), "tags": list(document.tags)}
    return db.run(user_id, *add("documents", user_id=user_id, status="queued", **told, **lists)) == 1


def find_document(db: Database, user_id: str, document_id: str) -> Document | None:
    row = db.row(user_id, f"{_SELECT} AND d.id = %(id)s", {"user": user_id, "id": document_id})
    return made_one(Document, row)


def find_document_by_sha256(db: Database, user_id: str, sha256: str) -> Document | None:
    row = db.row(user_id, f"{_SELECT} AND d.sha256 = %(sha)s", {"user": user_id, "sha": sha256})
    return made_one(Document, row)


def list_documents(db: Database, user_id: str, *, ids: Sequence[str] | None = None) -> list[Document]:
    """The user's documents, by set name, title and version; optionally only some ids."""
    sql = (
        f"{_SELECT} AND (%(ids)s::uuid[] IS NULL OR d.id = ANY(%(ids)s::uuid[]))"
        " ORDER BY s.name NULLS LAST, lower(d.title), d.version, d.created_at"
    )
    values = {"user": user_id, "ids": None if ids is None else uuids(ids)}
    return made(Document, db.rows(user_id, sql, values))


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
    values = {"title": title, "version": version, "type": type, "aliases": list(aliases), "tags": list(tags)}
    key = {"id": document_id, "user_id": user_id}
    return db.run(user_id, *update("documents", key, is_titled=True, set_id=set_id, updated_at=NOW, **values)) == 1


def move_to_set(db: Database, user_id: str, ids: Sequence[str], set_id: str | None) -> int:
    """Put documents into a set, or into none; how many there were (D2)."""
    return db.run(user_id, *update("documents", {"id": list(ids), "user_id": user_id}, set_id=set_id, updated_at=NOW))


def change_tags(db: Database, user_id: str, ids: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> int:
    """Add tags to documents and take others away, the rest in their order; how many documents there were (D10)."""
    sql = (
        "UPDATE documents SET updated_at = now(), tags = ARRAY(SELECT t FROM unnest(tags || %s::text[])"
        " WITH ORDINALITY AS u(t, n) WHERE t <> ALL(%s::text[]) GROUP BY t ORDER BY min(n))"
        " WHERE id = ANY(%s::uuid[]) AND user_id = %s"
    )
    return db.run(user_id, sql, (list(add), list(remove), list(ids), user_id))


def set_previous_version(db: Database, user_id: str, document_id: str, previous_id: str | None) -> None:
    """Say which document this one is the next version of (D8)."""
    key = {"id": document_id, "user_id": user_id}
    db.run(user_id, *update("documents", key, previous_version_id=previous_id, updated_at=NOW))


def load_pages(db: Database, user_id: str, document_id: str) -> list[Page]:
    sql = (
        "SELECT p.number, p.text FROM pages p JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id"
        " WHERE p.document_id = %s AND p.user_id = %s ORDER BY p.number"
    )
    return [Page(**row) for row in db.rows(user_id, sql, (document_id, user_id))]


def load_page_texts(db: Database, user_id: str, wanted: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Texts of several (document id, page number) pairs, in one query; missing ones are absent."""
    sql = (
        "SELECT p.document_id, p.number, p.text FROM pages p"
        " JOIN unnest(%s::uuid[], %s::int[]) AS w(document_id, number) USING (document_id, number)"
        " JOIN documents d ON d.id = p.document_id AND d.user_id = p.user_id WHERE p.user_id = %s"
    )
    rows = db.rows(user_id, sql, ([d for d, _ in wanted], [n for _, n in wanted], user_id))
    return {(row["document_id"], row["number"]): row["text"] for row in rows}


_SETS = "SELECT id, name, colour FROM sets WHERE user_id = %s"


def list_sets(db: Database, user_id: str) -> list[DocumentSet]:
    return [DocumentSet(**row) for row in db.rows(user_id, f"{_SETS} ORDER BY lower(name)", (user_id,))]


def ensure_set(db: Database, user_id: str, name: str, colour: str) -> DocumentSet:
    """The set of that name (case-insensitive), created with ``colour`` on first use (D2)."""
    with db.as_user(user_id) as c:
        c.execute(*add("sets", user_id=user_id, name=name.strip(), colour=colour))
        (row,) = c.execute(f"{_SETS} AND lower(name) = lower(%s)", (user_id, name.strip())).fetchall()
    return DocumentSet(**row)


def update_set(db: Database, user_id: str, set_id: str, name: str, colour: str) -> bool:
    """Rename and recolour; False if there is no such set. Raises InvalidInput: another set has that name
    (case-insensitive)."""
    try:
        return db.run(user_id, *update("sets", {"id": set_id, "user_id": user_id}, name=name, colour=colour)) == 1
    except UniqueViolation:
        raise InvalidInput(f"You already have a set called “{name}”. Please choose another name.") from None


def delete_set(db: Database, user_id: str, set_id: str) -> bool:
    """Delete a set; its documents stay, in no set. False if there is no such set."""
    return db.run(user_id, *delete("sets", id=set_id, user_id=user_id)) == 1
