"""Sets: named, coloured groups of documents (D2)."""

from __future__ import annotations

from psycopg.errors import UniqueViolation

from policypal.db.pool import Database
from policypal.domain.documents import DocumentSet
from policypal.errors import InvalidInput


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
