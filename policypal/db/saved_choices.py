"""What a person chose and keeps under a name, such as filters (A7)."""

from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database


def list_choices(db: Database, user_id: str, kind: str) -> dict[str, dict[str, Any]]:
    """The choices of a kind by their names, in alphabetical order."""
    with db.as_user(user_id) as c:
        rows = c.execute(
            "SELECT name, choice FROM saved_choices WHERE user_id = %s AND kind = %s ORDER BY lower(name), name",
            (user_id, kind),
        ).fetchall()
    return {row["name"]: row["choice"] for row in rows}


def save_choice(db: Database, user_id: str, kind: str, name: str, choice: dict[str, Any]) -> None:
    """Keep a choice under a name; one of this name is replaced."""
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO saved_choices (user_id, kind, name, choice) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (user_id, kind, name) DO UPDATE SET choice = EXCLUDED.choice",
            (user_id, kind, name, Jsonb(choice)),
        )


def rename_choice(db: Database, user_id: str, kind: str, name: str, new_name: str) -> None:
    """Give a choice another name, which must be free."""
    with db.as_user(user_id) as c:
        c.execute(
            "UPDATE saved_choices SET name = %s WHERE user_id = %s AND kind = %s AND name = %s",
            (new_name, user_id, kind, name),
        )


def delete_choice(db: Database, user_id: str, kind: str, name: str) -> None:
    with db.as_user(user_id) as c:
        c.execute("DELETE FROM saved_choices WHERE user_id = %s AND kind = %s AND name = %s", (user_id, kind, name))
