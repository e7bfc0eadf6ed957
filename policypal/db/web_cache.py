"""What the web said a while ago, by user: hits of searches, and pages or why they cannot be read (W3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.types.json import Jsonb

from policypal.db.pool import Database


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
