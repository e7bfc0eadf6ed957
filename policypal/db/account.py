"""A user's account for calls to a model provider, kept in the usage table (M7)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from policypal.db import usage
from policypal.db.pool import Database
from policypal.domain.usage import ModelCall, first_of_next_month
from policypal.errors import BudgetExceeded


@dataclass(frozen=True, slots=True)
class PersonalAccount:
    """A user's. ``installation_usd`` bounds what all users spend in a month. Calls that are under way at the same time do
    not see one another's cost, so a budget may be exceeded by the price of those."""

    db: Database
    user_id: str
    installation_usd: Decimal | None
    thread_id: str | None = None
    run_id: str | None = None

    def admit(self, cost_usd: Decimal) -> None:
        if cost_usd > 0 and not usage.load_budget(self.db, self.user_id, self.installation_usd).covers(cost_usd):
            day = first_of_next_month()
            raise BudgetExceeded(
                "The next call to the model provider would exceed this month's budget, so it was not made. Raise the budget in "
                f"Settings, wait until {day.day} {day:%B}, or continue without a model: the extractive engine costs nothing."
            )

    def book(self, call: ModelCall) -> None:
        if call.usage.tokens:
            usage.add_usage(self.db, self.user_id, call, thread_id=self.thread_id, run_id=self.run_id)
