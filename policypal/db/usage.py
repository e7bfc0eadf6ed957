"""What model calls consumed (M7, U9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from policypal.db.pool import Database
from policypal.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class UsageDay:
    """One line of the usage table: a day (UTC), a model, its calls, tokens and dollars."""

    day: date
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal


def add_usage(
    db: Database,
    user_id: str,
    *,
    thread_id: str | None,
    run_id: str | None,
    task: str,
    engine: str,
    model: str,
    prompt_version: str,
    usage: Usage,
    seconds: float,
) -> None:
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO usage (user_id, thread_id, run_id, task, engine, model, prompt_version, input_tokens,"
            " output_tokens, cost_usd, seconds) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                user_id, thread_id, run_id, task, engine, model, prompt_version,
                usage.input_tokens, usage.output_tokens, usage.cost_usd, seconds,
            ),
        )  # fmt: skip


def usage_by_day(db: Database, user_id: str, *, days: int = 90) -> list[UsageDay]:
    """Usage of the last ``days`` days by day and model, latest first."""
    with db.as_user(user_id) as c:
        rows: list[dict[str, Any]] = c.execute(
            "SELECT (created_at AT TIME ZONE 'UTC')::date AS day, model, count(*)::int AS calls,"
            " sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,"
            " sum(cost_usd) AS cost_usd FROM usage"
            " WHERE user_id = %s AND created_at > now() - make_interval(days => %s)"
            " GROUP BY 1, 2 ORDER BY 1 DESC, 2",
            (user_id, days),
        ).fetchall()
    return [UsageDay(**row) for row in rows]


def spent_this_month(db: Database, user_id: str) -> Decimal:
    """Dollars spent in the current calendar month (UTC); for the budget guard (M7)."""
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT coalesce(sum(cost_usd), 0) AS spent FROM usage WHERE user_id = %s"
            " AND created_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'",
            (user_id,),
        ).fetchone()
    assert row is not None
    return Decimal(row["spent"])
