"""What a model has made of the parts of large documents, so that no part is paid for twice (A0)."""

from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database


def find_reading(db: Database, user_id: str, document_id: str, reading_key: str) -> dict[str, Any] | None:
    """What was kept under a key of a document; None where nothing was."""
    sql = "SELECT told FROM model_readings WHERE user_id = %s AND document_id = %s AND key = %s"
    row = db.row(user_id, sql, (user_id, document_id, reading_key))
    return row["told"] if row else None


def keep_reading(db: Database, user_id: str, document_id: str, reading_key: str, told: dict[str, Any]) -> None:
    """Keep it, unless the document is gone meanwhile."""
    sql = (
        "INSERT INTO model_readings (user_id, document_id, key, told)"
        " SELECT user_id, id, %s, %s FROM documents WHERE user_id = %s AND id = %s"
        " ON CONFLICT (document_id, key) DO UPDATE SET told = excluded.told"
    )
    db.run(user_id, sql, (reading_key, Jsonb(told), user_id, document_id))
