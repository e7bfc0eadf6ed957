"""What the web said a while ago, by user: hits of searches, and pages or why they cannot be read (W3)."""

from collections.abc import Sequence
from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Connection, Database


def find_hits(db: Database, user_id: str, search_key: str) -> list[dict[str, Any]] | None:
    """What was found, unless it has expired; an empty list is an answer, too."""
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT hits FROM web_search_cache WHERE user_id = %s AND key = %s AND expires_at > now()",
            (user_id, search_key),
        ).fetchone()
    return list(row["hits"]) if row else None


def keep_hits(db: Database, user_id: str, search_key: str, hits: Sequence[dict[str, Any]], seconds: float) -> None:
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO web_search_cache (user_id, key, hits, expires_at)"
            " VALUES (%s, %s, %s, now() + make_interval(secs => %s))"
            " ON CONFLICT (user_id, key) DO UPDATE SET hits = excluded.hits, expires_at = excluded.expires_at",
            (user_id, search_key, Jsonb(list(hits)), seconds),
        )


def find_page(db: Database, user_id: str, page_key: str) -> dict[str, Any] | None:
    """The page or its problem, unless that has expired."""
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT harvested FROM web_page_cache WHERE user_id = %s AND key = %s AND expires_at > now()",
            (user_id, page_key),
        ).fetchone()
    return dict(row["harvested"]) if row else None


def keep_page(db: Database, user_id: str, page_key: str, harvested: dict[str, Any], seconds: float) -> None:
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO web_page_cache (user_id, key, harvested, expires_at)"
            " VALUES (%s, %s, %s, now() + make_interval(secs => %s))"
            " ON CONFLICT (user_id, key) DO UPDATE SET harvested = excluded.harvested, expires_at = excluded.expires_at",
            (user_id, page_key, Jsonb(harvested), seconds),
        )


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
    with db.as_user(user_id) as c:
        c.execute(
            "UPDATE web_usage SET searches = searches - 1"
            f" WHERE user_id = %s AND provider = %s AND month = {_THIS_MONTH} AND searches > 0",
            (user_id, provider),
        )


def searches_this_month(db: Database, user_id: str) -> dict[str, int]:
    """Searches by provider, of all users together: they share the provider's quota."""
    with db.as_user(user_id) as c:
        return _searches(c)


def _searches(connection: Connection) -> dict[str, int]:
    rows = connection.execute(f"SELECT provider, searches FROM web_searches_in({_THIS_MONTH})").fetchall()
    return {row["provider"]: int(row["searches"]) for row in rows}
