"""Notes on provisions (D15). Those of a deleted document are read through its row, which row-level security hides."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from policypal.db.pool import Database
from policypal.domain.notes import Note

_FIELDS = "n.id, n.document_id, n.anchor, n.label, n.quote, n.text, n.updated_at"


def noted_documents(db: Database, user_id: str) -> set[str]:
    """The ids of the documents that have notes."""
    with db.as_user(user_id) as c:
        rows = c.execute("SELECT DISTINCT document_id FROM provision_notes WHERE user_id = %s", (user_id,)).fetchall()
    return {str(r["document_id"]) for r in rows}


def list_notes(db: Database, user_id: str, document_ids: Sequence[str]) -> dict[str, list[Note]]:
    """The notes on documents by their ids, the first made first."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            f"SELECT {_FIELDS} FROM provision_notes n JOIN documents d ON d.id = n.document_id AND d.user_id = n.user_id"
            " WHERE n.document_id = ANY(%s::uuid[]) AND n.user_id = %s ORDER BY n.created_at, n.id",
            (list(document_ids), user_id),
        ).fetchall()
    found: dict[str, list[Note]] = {}
    for row in rows:
        found.setdefault(str(row["document_id"]), []).append(_note(row))
    return found


def insert_note(
    db: Database, user_id: str, document_id: str, *, anchor: str, label: str, quote: str, text: str, note_id: str = ""
) -> str:
    """Store a note; its id. One with an id that is there already changes nothing."""
    identity = note_id or str(uuid4())
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO provision_notes (id, user_id, document_id, anchor, label, quote, text) VALUES (%s, %s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (id) DO NOTHING",
            (identity, user_id, document_id, anchor, label, quote, text),
        )
    return identity


def update_note(db: Database, user_id: str, note_id: str, text: str) -> bool:
    """Change what a note says; False where there is none."""
    with db.as_user(user_id) as c:
        done = c.execute(
            "UPDATE provision_notes SET text = %s, updated_at = now() WHERE id = %s AND user_id = %s",
            (text, note_id, user_id),
        )
    return done.rowcount > 0


def delete_note(db: Database, user_id: str, note_id: str) -> tuple[str, Note] | None:
    """Delete a note; the document it stood on and what it was, None where there is none."""
    with db.as_user(user_id) as c:
        row = c.execute(
            f"DELETE FROM provision_notes n WHERE n.id = %s AND n.user_id = %s RETURNING {_FIELDS}", (note_id, user_id)
        ).fetchone()
    return (str(row["document_id"]), _note(row)) if row else None


def _note(row: dict[str, Any]) -> Note:
    return Note(str(row["id"]), row["anchor"], row["label"], row["quote"], row["text"], row["updated_at"])
