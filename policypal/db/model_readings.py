"""What a model has made of the parts of large documents and of registers, so that nothing is paid for twice (A0, D12)."""

from collections.abc import Collection
from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database
from policypal.domain.register import ModelMark


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


def register_readings(db: Database, user_id: str, document_id: str) -> dict[str, dict[str, Any]]:
    """What was kept of the register of a document, by the keys of the requests: {"model", "marks"}."""
    sql = "SELECT key, told FROM model_readings WHERE user_id = %s AND document_id = %s AND told ? 'marks'"
    return {row["key"]: row["told"] for row in db.rows(user_id, sql, (user_id, document_id))}


def load_marks(db: Database, user_id: str, document_id: str) -> dict[str, ModelMark]:
    """What a model reads otherwise in the register of a document, by the entry it concerns."""
    held = register_readings(db, user_id, document_id).values()
    return {entry: ModelMark(**mark) for told in held for entry, mark in told["marks"].items()}


def delete_readings(db: Database, user_id: str, document_id: str, keys: Collection[str]) -> None:
    """Forget what was kept under these keys."""
    sql = "DELETE FROM model_readings WHERE user_id = %s AND document_id = %s AND key = ANY(%s)"
    db.run(user_id, sql, (user_id, document_id, list(keys)))
