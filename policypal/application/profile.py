"""The profile and what this installation can do (U9, R4)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from policypal.db import usage as usage_db
from policypal.db import users, web_usage
from policypal.db.usage import UsageDay
from policypal.domain.text import storable
from policypal.domain.users import Profile, User
from policypal.errors import InvalidInput

if TYPE_CHECKING:
    from policypal.application.container import Container


@dataclass(frozen=True, slots=True)
class WebSearchStatus:
    """A configured provider of web search: ``used`` of its ``quota`` of searches in this calendar month, by all users."""

    label: str
    used: int
    quota: int


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """Which parts are at work. ``spent_usd`` is this month's, in dollars."""

    engine: str
    engine_label: str
    embedding_model: str
    database: str
    web_search: tuple[WebSearchStatus, ...]
    budget_usd: Decimal | None
    spent_usd: Decimal


def load(app: Container, user: User) -> Profile:
    return users.load_profile(app.db, user.id)


def save(app: Container, user: User, profile: Profile) -> None:
    """Raises:
    InvalidInput: a field is too long.
    """
    if max(len(profile.company), len(profile.country), len(profile.industry)) > 200 or len(profile.description) > 2000:
        raise InvalidInput(
            "Please keep company, country and industry below 200 and the description below 2000 characters."
        )
    cleaned = Profile(
        company=storable(profile.company).strip(),
        country=storable(profile.country).strip(),
        industry=storable(profile.industry).strip(),
        description=storable(profile.description).strip(),
        asked=profile.asked,
    )
    users.save_profile(app.db, user.id, cleaned)


def status(app: Container, user: User) -> EngineStatus:
    """What answers, searches and stores at the moment."""
    server, vector = app.db.version()
    keyless = app.engine.name == "extractive"
    return EngineStatus(
        engine=app.engine.name,
        engine_label="Extractive engine (no key needed)" if keyless else "OpenAI",
        embedding_model=app.embedder.model,
        database=f"PostgreSQL {server} with pgvector {vector}, {'embedded' if app.embedded else 'external'}",
        web_search=_web_search(app, user),
        budget_usd=app.settings.monthly_budget_usd,
        spent_usd=usage_db.spent_this_month(app.db, user.id),
    )


def _web_search(app: Container, user: User) -> tuple[WebSearchStatus, ...]:
    if app.web is None:
        return ()
    used = web_usage.searches_this_month(app.db, user.id)
    searches = app.web.searches
    return tuple(WebSearchStatus(p.label, used.get(p.name, 0), searches.quota) for p in searches.providers)


def usage(app: Container, user: User) -> list[UsageDay]:
    """Tokens and dollars by day and model of the last 90 days."""
    return usage_db.usage_by_day(app.db, user.id)
