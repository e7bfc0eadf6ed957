"""Notes on provisions (D15). Those of a deleted document are read through its row, which row-level security hides."""

from uuid import uuid4

from policypal.db.pool import Database
from policypal.domain.notes import Note


def list_notes(db: Database, user_id: str, document_id: str) -> list[Note]:
    """The notes on a document, the first made first."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT n.id, n.anchor, n.label, n.quote, n.text, n.updated_at FROM provision_notes n"
            " JOIN documents d ON d.id = n.document_id AND d.user_id = n.user_id"
            " WHERE n.document_id = %s AND n.user_id = %s ORDER BY n.created_at, n.id",
            (document_id, user_id),
        ).fetchall()
    return [Note(str(r["id"]), r["anchor"], r["label"], r["quote"], r["text"], r["updated_at"]) for r in rows]


def insert_note(db: Database, user_id: str, document_id: str, *, anchor: str, label: str, quote: str, text: str) -> str:
    """Store a new note; its id."""
    note_id = str(uuid4())
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO provision_notes (id, user_id, document_id, anchor, label, quote, text) VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (note_id, user_id, document_id, anchor, label, quote, text),
        )
    return note_id


def update_note(db: Database, user_id: str, note_id: str, text: str) -> bool:
    """Change what a note says; False where there is none."""
    with db.as_user(user_id) as c:
        done = c.execute(
            "UPDATE provision_notes SET text = %s, updated_at = now() WHERE id = %s AND user_id = %s",
            (text, note_id, user_id),
        )
    return done.rowcount > 0


def delete_note(db: Database, user_id: str, note_id: str) -> None:
    with db.as_user(user_id) as c:
        c.execute("DELETE FROM provision_notes WHERE id = %s AND user_id = %s", (note_id, user_id))
