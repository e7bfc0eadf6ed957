"""What a model has made of the parts of large documents, so that no part is paid for twice (A0)."""

from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database


def find_reading(db: Database, user_id: str, document_id: str, reading_key: str) -> dict[str, Any] | None:
    """What was kept under a key of a document; None where nothing was."""
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT told FROM model_readings WHERE user_id = %s AND document_id = %s AND key = %s",
            (user_id, document_id, reading_key),
        ).fetchone()
    return dict(row["told"]) if row else None


def keep_reading(db: Database, user_id: str, document_id: str, reading_key: str, told: dict[str, Any]) -> None:
    """Keep it, unless the document is gone meanwhile."""
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO model_readings (user_id, document_id, key, told)"
            " SELECT %(user)s, id, %(key)s, %(told)s FROM documents WHERE user_id = %(user)s AND id = %(document)s"
            " ON CONFLICT (document_id, key) DO UPDATE SET told = excluded.told",
            {"user": user_id, "document": document_id, "key": reading_key, "told": Jsonb(told)},
        )
