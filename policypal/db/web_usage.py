"""How many web searches this month has seen (U9). Months are calendar months in UTC; a quota is the installation's."""

from __future__ import annotations

from policypal.db.pool import Connection, Database

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
