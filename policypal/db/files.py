"""What the file store needs to know of the database."""

from __future__ import annotations

from policypal.db.pool import Database


def installation_id(db: Database) -> str:
    """The id that tells this database's file store from another's."""
    with db.as_owner() as c:
        row = c.execute("SELECT id FROM installation").fetchone()
    assert row is not None
    return str(row["id"])
