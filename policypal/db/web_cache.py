"""What the web said a while ago, by user: hits of searches, and pages or why they cannot be read (W3)."""

from collections.abc import Sequence
from typing import Any

from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from policypal.db.pool import Connection, Database, put


def find_hits(db: Database, user_id: str, search_key: str) -> list[dict[str, Any]] | None:
    """What was found, unless it has expired; an empty list is an answer, too."""
    sql = "SELECT hits FROM web_search_cache WHERE user_id = %s AND key = %s AND expires_at > now()"
    row = db.row(user_id, sql, (user_id, search_key))
    return row["hits"] if row else None


def keep_hits(db: Database, user_id: str, search_key: str, hits: Sequence[dict[str, Any]], seconds: float) -> None:
    key, until = {"user_id": user_id, "key": search_key}, SQL("now() + make_interval(secs => {})").format(seconds)
    db.run(user_id, *put("web_search_cache", key, hits=Jsonb(list(hits)), expires_at=until))


def find_page(db: Database, user_id: str, page_key: str) -> dict[str, Any] | None:
    """The page or its problem, unless that has expired."""
    sql = "SELECT harvested FROM web_page_cache WHERE user_id = %s AND key = %s AND expires_at > now()"
    row = db.row(user_id, sql, (user_id, page_key))
    return row["harvested"] if row else None


def keep_page(db: Database, user_id: str, page_key: str, harvested: dict[str, Any], seconds: float) -> None:
    key, until = {"user_id": user_id, "key": page_key}, SQL("now() + make_interval(secs => {})").format(seconds)
    db.run(user_id, *put("web_page_cache", key, harvested=Jsonb(harvested), expires_at=until))


def remove_expired(db: Database) -> None:
    """Everybody's, at once: housekeeping."""
    with db.as_owner() as c:
        c.execute("DELETE FROM web_search_cache WHERE expires_at <= now()")
        c.execute("DELETE FROM web_page_cache WHERE expires_at <= now()")


_LOCK = 7_061_203  # any number that only the counting of web searches uses
_THIS_MONTH = "date_trunc('month', now() AT TIME ZONE 'UTC')::date"


def claim_search(db: Database, user_id: str, provider: str, quota: int) -> bool:
    """Count one search of ``provider``; False, and nothing counted, if the month's ``quota`` is used up.

    Counted before the call, so that two runs cannot share the last search; :func:`return_search` takes it back.
    """
    with db.as_user(user_id) as c:
        c.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        if _searches(c).get(provider, 0) >= quota:
            return False
        c.execute(
            f"INSERT INTO web_usage (user_id, provider, month, searches) VALUES (%s, %s, {_THIS_MONTH}, 1)"
            " ON CONFLICT (user_id, provider, month) DO UPDATE SET searches = web_usage.searches + 1",
            (user_id, provider),
        )
    return True


def return_search(db: Database, user_id: str, provider: str) -> None:
    """Take back a search that the provider did not carry out."""
    where = f"user_id = %s AND provider = %s AND month = {_THIS_MONTH} AND searches > 0"
    db.run(user_id, f"UPDATE web_usage SET searches = searches - 1 WHERE {where}", (user_id, provider))


def searches_this_month(db: Database, user_id: str) -> dict[str, int]:
    """Searches by provider, of all users together: they share the provider's quota."""
    with db.as_user(user_id) as c:
        return _searches(c)


def _searches(connection: Connection) -> dict[str, int]:
    rows = connection.execute(f"SELECT provider, searches FROM web_searches_in({_THIS_MONTH})").fetchall()
    return {row["provider"]: int(row["searches"]) for row in rows}
