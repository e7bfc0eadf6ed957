"""What is at work in this installation, and what it has consumed (U9, R4, M7)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from policypal.application.container import Container
from policypal.db import usage as usage_db
from policypal.db import web_usage
from policypal.domain.usage import UsageDay, UsageTotal
from policypal.domain.users import User
from policypal.export.reports import csv_file
from policypal.llm.prices import PRICES_AS_OF as PRICES_AS_OF
from policypal.llm.prices import is_price_known, own_prices

CSV_COLUMNS = ("day_utc", "model", "calls", "input_tokens", "output_tokens", "cost_usd")
_KEYLESS = "Extractive engine (no key needed): quotations and templates only"
KEPT_DAYS = 366
"""How far back the export goes."""


@dataclass(frozen=True, slots=True)
class WebSearchStatus:
    """A configured provider of web search: ``used`` of its ``quota`` of searches in this calendar month, by all users."""

    label: str
    used: int
    quota: int


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """Which parts are at work."""

    engine: str
    engine_label: str
    web_search: tuple[WebSearchStatus, ...]


def status(app: Container, user: User) -> EngineStatus:
    """What answers, searches and stores at the moment."""
    keyless = app.engine.name == "extractive"
    return EngineStatus(
        engine=app.engine.name,
        engine_label=_KEYLESS if keyless else "OpenAI engine: a language model writes, from your documents",
        web_search=_web_search(app, user),
    )


def _web_search(app: Container, user: User) -> tuple[WebSearchStatus, ...]:
    if app.web is None:
        return ()
    used = web_usage.searches_this_month(app.db, user.id)
    quota = app.settings.web_monthly_quota
    return tuple(WebSearchStatus(p.label, used.get(p.name, 0), quota) for p in app.web.searches.providers)


def by_day(app: Container, user: User, *, days: int = 90) -> list[UsageDay]:
    """Calls, tokens and dollars by day (UTC) and model, latest first."""
    own = own_prices(app.settings)
    used = usage_db.usage_by_day(app.db, user.id, days=days)
    return [replace(d, is_priced=is_price_known(d.model, own)) for d in used]


def this_month(app: Container, user: User) -> UsageTotal:
    """The totals of the calendar month (UTC)."""
    return usage_db.usage_this_month(app.db, user.id)


def export_csv(app: Container, user: User) -> bytes:
    """The last year's usage as CSV, latest day first."""
    days = by_day(app, user, days=KEPT_DAYS)
    return csv_file(
        CSV_COLUMNS,
        ((d.day, d.model, d.calls, d.input_tokens, d.output_tokens, f"{d.cost_usd:f}") for d in days),
    )
