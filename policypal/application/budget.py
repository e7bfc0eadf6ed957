"""What models may cost in a month: set, looked at, charged (M7, U9)."""

from dataclasses import replace
from decimal import Decimal

from policypal.application.container import Container
from policypal.db import usage as usage_db
from policypal.db.usage import PersonalAccount
from policypal.domain.usage import Budget
from policypal.domain.users import User
from policypal.errors import InvalidInput
from policypal.search.hybrid import Search

MOST_USD = Decimal(1_000_000)


def load(app: Container, user: User) -> Budget:
    """The user's limits and what is spent of them this month."""
    return usage_db.load_budget(app.db, user.id, app.settings.monthly_limits)


def save(app: Container, user: User, monthly_usd: Decimal | None, *, continue_without_model: bool) -> None:
    """Set what the user's model calls may cost in a calendar month; None leaves it to the installation's limit.
    Raises InvalidInput: it is negative, or more than the installation allows."""
    limit = app.settings.monthly_budget_usd
    if monthly_usd is not None:
        if not (monthly_usd.is_finite() and 0 <= monthly_usd <= MOST_USD):
            raise InvalidInput(f"Please give an amount from 0 to {MOST_USD:,} dollars.")
        if limit is not None and monthly_usd > limit:
            raise InvalidInput(
                f"This installation allows at most ${limit:,.2f} a month (POLICYPAL_MONTHLY_BUDGET_USD)."
            )
    usage_db.save_budget(app.db, user.id, monthly_usd, continue_without_model=continue_without_model)


def account_of(
    app: Container, user_id: str, thread_id: str | None = None, run_id: str | None = None
) -> PersonalAccount:
    """What a user's model calls are charged to; thread and run say what for."""
    return PersonalAccount(app.db, user_id, app.settings.monthly_limits, thread_id, run_id)


def charged_search(app: Container, user: User) -> Search:
    """A search of the library whose embeddings are charged to the user."""
    return replace(app.search, embedder=app.embedder.charged_to(account_of(app, user.id)))


def goes_without_model(app: Container, user: User) -> bool:
    """Whether a message now has to do without a model, as the user wants it once the budget is used up."""
    if app.engine.name == "extractive":
        return False
    budget = load(app, user)
    return budget.is_used_up and budget.continue_without_model
