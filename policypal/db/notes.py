"""Notes on provisions (D15). Those of a deleted document are read through its row, which row-level security hides."""

from collections.abc import Sequence
from uuid import uuid4

from policypal.db.pool import NOW, Database, add, made, made_one, update
from policypal.domain.notes import Note


def noted_documents(db: Database, user_id: str) -> set[str]:
    """The ids of the documents that have notes."""
    rows = db.rows(user_id, "SELECT DISTINCT document_id FROM provision_notes WHERE user_id = %s", (user_id,))
    return {r["document_id"] for r in rows}


def list_notes(db: Database, user_id: str, document_ids: Sequence[str]) -> dict[str, list[Note]]:
    """The notes on documents by their ids, the first made first."""
    sql = (
        "SELECT n.* FROM provision_notes n JOIN documents d ON d.id = n.document_id AND d.user_id = n.user_id"
        " WHERE n.document_id = ANY(%s::uuid[]) AND n.user_id = %s ORDER BY n.created_at, n.id"
    )
    rows = db.rows(user_id, sql, (list(document_ids), user_id))
    found: dict[str, list[Note]] = {}
    for row, note in zip(rows, made(Note, rows), strict=True):
        found.setdefault(row["document_id"], []).append(note)
    return found


def insert_note(
    db: Database, user_id: str, document_id: str, *, anchor: str, label: str, quote: str, text: str, note_id: str = ""
) -> str:
    """Store a note; its id. One with an id that is there already changes nothing."""
    identity = note_id or str(uuid4())
    told = {"anchor": anchor, "label": label, "quote": quote, "text": text}
    db.run(user_id, *add("provision_notes", id=identity, user_id=user_id, document_id=document_id, **told))
    return identity


def update_note(db: Database, user_id: str, note_id: str, text: str) -> bool:
    """Change what a note says; False where there is none."""
    return (
        db.run(user_id, *update("provision_notes", {"id": note_id, "user_id": user_id}, text=text, updated_at=NOW)) > 0
    )


def delete_note(db: Database, user_id: str, note_id: str) -> tuple[str, Note] | None:
    """Delete a note; the document it stood on and what it was, None where there is none."""
    row = db.row(user_id, "DELETE FROM provision_notes WHERE id = %s AND user_id = %s RETURNING *", (note_id, user_id))
    note = made_one(Note, row)
    return (row["document_id"], note) if row and note else None
