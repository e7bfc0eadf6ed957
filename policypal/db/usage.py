"""What model calls consumed, and what they may cost (M7, U9). Months are calendar months in UTC."""

from dataclasses import asdict, dataclass, replace
from decimal import Decimal

from policypal.config import MonthlyLimits
from policypal.db.pool import NOW, Database, insert, made, put
from policypal.domain.usage import Budget, ModelCall, UsageDay, UsageTotal, first_of_next_month
from policypal.errors import BudgetExceeded

_SINCE_MONTH_BEGAN = "created_at >= this_month()::timestamp AT TIME ZONE 'UTC'"


def add_usage(db: Database, user_id: str, call: ModelCall, *, thread_id: str | None, run_id: str | None) -> None:
    told = {name: value for name, value in asdict(call).items() if name != "usage"}
    used = {name: value for name, value in asdict(call.usage).items() if name != "is_priced"}
    db.run(user_id, *insert("usage", user_id=user_id, thread_id=thread_id, run_id=run_id, **told, **used))


_SUMS = (
    "count(*)::int AS calls, coalesce(sum(input_tokens), 0)::bigint AS input_tokens,"
    " coalesce(sum(output_tokens), 0)::bigint AS output_tokens, coalesce(sum(cost_usd), 0) AS cost_usd FROM usage"
)


def usage_by_day(db: Database, user_id: str, *, days: int = 90) -> list[UsageDay]:
    """Usage of the last ``days`` days by day and model, latest first."""
    sql = (
        f"SELECT (created_at AT TIME ZONE 'UTC')::date AS day, model, {_SUMS} WHERE user_id = %s"
        " AND created_at > now() - make_interval(days => %s) GROUP BY 1, 2 ORDER BY 1 DESC, 2"
    )
    return made(UsageDay, db.rows(user_id, sql, (user_id, days)))


def usage_this_month(db: Database, user_id: str) -> UsageTotal:
    rows = db.rows(user_id, f"SELECT {_SUMS} WHERE user_id = %s AND {_SINCE_MONTH_BEGAN}", (user_id,))
    return made(UsageTotal, rows)[0]


def load_budget(db: Database, user_id: str, installation: MonthlyLimits) -> Budget:
    """The user's budget and what is spent of it. What all have used is only summed up where that has a limit."""
    sql = (
        "SELECT b.monthly_usd AS own_usd, coalesce(b.continue_without_model, false) AS continue_without_model,"
        f" (SELECT coalesce(sum(cost_usd), 0) FROM usage WHERE user_id = %(user)s AND {_SINCE_MONTH_BEGAN}) AS spent_usd,"
        " CASE WHEN %(limited)s THEN spent_by_all() ELSE 0 END AS spent_by_all_usd,"
        " CASE WHEN %(counted)s THEN unpriced_tokens_of_all() ELSE 0 END AS tokens_of_all"
        " FROM (SELECT 1) AS one LEFT JOIN budgets b ON b.user_id = %(user)s"
    )
    values = {"user": user_id, "limited": installation.usd is not None, "counted": installation.tokens is not None}
    return replace(made(Budget, db.rows(user_id, sql, values))[0], installation=installation)


def save_budget(db: Database, user_id: str, monthly_usd: Decimal | None, *, continue_without_model: bool) -> None:
    values = {"monthly_usd": monthly_usd, "continue_without_model": continue_without_model}
    db.run(user_id, *put("budgets", {"user_id": user_id}, updated_at=NOW, **values))


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
        if not load_budget(self.db, self.user_id, self.installation).covers(cost_usd):
            day = first_of_next_month()
            raise BudgetExceeded(
                "The next call to the model provider would exceed this month's budget, so it was not made. Raise the budget in "
                f"Settings, wait until {day.day} {day:%B}, or continue without a model: the extractive engine costs nothing."
            )

    def book(self, call: ModelCall) -> None:
        if call.usage.tokens:
            add_usage(self.db, self.user_id, call, thread_id=self.thread_id, run_id=self.run_id)
