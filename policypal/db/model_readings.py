"""What a model has made of the parts of large documents and of registers, so that nothing is paid for twice (A0, D12)."""

from collections.abc import Collection
from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database
from policypal.domain.register import ModelMark


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


def register_readings(db: Database, user_id: str, document_id: str) -> dict[str, dict[str, Any]]:
    """What was kept of the register of a document, by the keys of the requests: {"model", "marks"}."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT key, told FROM model_readings WHERE user_id = %s AND document_id = %s AND told ? 'marks'",
            (user_id, document_id),
        ).fetchall()
    return {row["key"]: row["told"] for row in rows}


def load_marks(db: Database, user_id: str, document_id: str) -> dict[str, ModelMark]:
    """What a model reads otherwise in the register of a document, by the entry it concerns."""
    held = register_readings(db, user_id, document_id).values()
    return {entry: ModelMark(**mark) for told in held for entry, mark in told["marks"].items()}


def delete_readings(db: Database, user_id: str, document_id: str, keys: Collection[str]) -> None:
    """Forget what was kept under these keys."""
    with db.as_user(user_id) as c:
        c.execute(
            "DELETE FROM model_readings WHERE user_id = %s AND document_id = %s AND key = ANY(%s)",
            (user_id, document_id, list(keys)),
        )
