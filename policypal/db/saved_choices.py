"""What a person chose and keeps under a name, such as filters (A7)."""

from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database, delete, put, update


def list_choices(db: Database, user_id: str, kind: str) -> dict[str, dict[str, Any]]:
    """The choices of a kind by their names, in alphabetical order."""
    sql = "SELECT name, choice FROM saved_choices WHERE user_id = %s AND kind = %s ORDER BY lower(name), name"
    return {row["name"]: row["choice"] for row in db.rows(user_id, sql, (user_id, kind))}


def save_choice(db: Database, user_id: str, kind: str, name: str, choice: dict[str, Any]) -> None:
    """Keep a choice under a name; one of this name is replaced."""
    db.run(user_id, *put("saved_choices", {"user_id": user_id, "kind": kind, "name": name}, choice=Jsonb(choice)))


def rename_choice(db: Database, user_id: str, kind: str, name: str, new_name: str) -> None:
    """Give a choice another name, which must be free."""
    db.run(user_id, *update("saved_choices", {"user_id": user_id, "kind": kind, "name": name}, name=new_name))


def delete_choice(db: Database, user_id: str, kind: str, name: str) -> None:
    db.run(user_id, *delete("saved_choices", user_id=user_id, kind=kind, name=name))
