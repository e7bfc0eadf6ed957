"""What model calls consumed, and what they may cost (M7, U9). Months are calendar months in UTC."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from policypal.config import MonthlyLimits
from policypal.db import usage
from policypal.db.pool import Database
from policypal.domain.usage import Budget, ModelCall, UsageDay, UsageTotal, first_of_next_month
from policypal.errors import BudgetExceeded

_SINCE_MONTH_BEGAN = "created_at >= this_month()::timestamp AT TIME ZONE 'UTC'"


def add_usage(db: Database, user_id: str, call: ModelCall, *, thread_id: str | None, run_id: str | None) -> None:
    used = call.usage
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO usage (user_id, thread_id, run_id, task, engine, model, prompt_version, input_tokens,"
            " output_tokens, cost_usd, seconds) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                user_id, thread_id, run_id, call.task, call.engine, call.model, call.prompt_version, used.input_tokens,
                used.output_tokens, used.cost_usd, call.seconds,
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


def usage_this_month(db: Database, user_id: str) -> UsageTotal:
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT count(*)::int AS calls, coalesce(sum(input_tokens), 0)::bigint AS input_tokens,"
            " coalesce(sum(output_tokens), 0)::bigint AS output_tokens, coalesce(sum(cost_usd), 0) AS cost_usd"
            f" FROM usage WHERE user_id = %s AND {_SINCE_MONTH_BEGAN}",
            (user_id,),
        ).fetchone()
    assert row is not None
    return UsageTotal(**row)


def load_budget(db: Database, user_id: str, installation: MonthlyLimits) -> Budget:
    """The user's budget and what is spent of it. What all have used is only summed up where that has a limit."""
    with db.as_user(user_id) as c:
        row = c.execute(
            "SELECT b.monthly_usd, coalesce(b.continue_without_model, false) AS continue_without_model,"
            f" (SELECT coalesce(sum(cost_usd), 0) FROM usage WHERE user_id = %(user)s AND {_SINCE_MONTH_BEGAN}) AS own,"
            " CASE WHEN %(limited)s THEN spent_by_all() ELSE 0 END AS everybody,"
            " CASE WHEN %(counted)s THEN unpriced_tokens_of_all() ELSE 0 END AS tokens"
            " FROM (SELECT 1) AS one LEFT JOIN budgets b ON b.user_id = %(user)s",
            {"user": user_id, "limited": installation.usd is not None, "counted": installation.tokens is not None},
        ).fetchone()
    assert row is not None
    return Budget(
        row["monthly_usd"], installation, row["own"], row["everybody"], row["tokens"], row["continue_without_model"]
    )


def save_budget(db: Database, user_id: str, monthly_usd: Decimal | None, *, continue_without_model: bool) -> None:
    with db.as_user(user_id) as c:
        c.execute(
            "INSERT INTO budgets (user_id, monthly_usd, continue_without_model) VALUES (%s, %s, %s)"
            " ON CONFLICT (user_id) DO UPDATE SET monthly_usd = excluded.monthly_usd,"
            " continue_without_model = excluded.continue_without_model, updated_at = now()",
            (user_id, monthly_usd, continue_without_model),
        )


@dataclass(frozen=True, slots=True)
class PersonalAccount:
    """A user's. ``installation`` bounds what all users use in a month. Calls that are under way at the same time do
    not see one another's cost, so a budget may be exceeded by the price of those."""

    db: Database
    user_id: str
    installation: MonthlyLimits
    thread_id: str | None = None
    run_id: str | None = None

    def admit(self, cost_usd: Decimal) -> None:
        if cost_usd == 0 and self.installation.tokens is None:
            return
        if not usage.load_budget(self.db, self.user_id, self.installation).covers(cost_usd):
            day = first_of_next_month()
            raise BudgetExceeded(
                "The next call to the model provider would exceed this month's budget, so it was not made. Raise the budget in "
                f"Settings, wait until {day.day} {day:%B}, or continue without a model: the extractive engine costs nothing."
            )

    def book(self, call: ModelCall) -> None:
        if call.usage.tokens:
            usage.add_usage(self.db, self.user_id, call, thread_id=self.thread_id, run_id=self.run_id)
