"""What is at work in this installation, and what it has consumed (U9, R4, M7)."""

from dataclasses import dataclass, replace

from policypal.application.container import Container
from policypal.db import embeddings, web_cache
from policypal.db import usage as usage_db
from policypal.domain.usage import UsageDay, UsageTotal
from policypal.domain.users import User
from policypal.llm.prices import PRICES_AS_OF as PRICES_AS_OF
from policypal.llm.prices import is_price_known

_KEYLESS = "Extractive engine (no key needed): quotations and templates only"


@dataclass(frozen=True, slots=True)
class WebSearchStatus:
    """A configured provider of web search: ``used`` of its ``quota`` of searches in this calendar month, by all users."""

    label: str
    used: int
    quota: int


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """Which parts are at work."""

    engine_label: str
    web_search: tuple[WebSearchStatus, ...]


def status(app: Container, user: User) -> EngineStatus:
    """What answers, searches and stores at the moment."""
    return EngineStatus(
        engine_label=_KEYLESS
        if app.engine.name == "extractive"
        else "OpenAI engine: a language model writes, from your documents",
        web_search=_web_search(app, user),
    )


def _web_search(app: Container, user: User) -> tuple[WebSearchStatus, ...]:
    if app.web is None:
        return ()
    used = web_cache.searches_this_month(app.db, user.id)
    quota = app.settings.web_monthly_quota
    return tuple(WebSearchStatus(p.label, used.get(p.name, 0), quota) for p in app.web.searches.providers)


def by_day(app: Container, user: User, *, days: int = 90) -> list[UsageDay]:
    """Calls, tokens and dollars by day (UTC) and model, latest first."""
    used = usage_db.usage_by_day(app.db, user.id, days=days)
    return [replace(d, is_priced=is_price_known(d.model, app.settings.prices)) for d in used]


def this_month(app: Container, user: User) -> UsageTotal:
    """The totals of the calendar month (UTC)."""
    return usage_db.usage_this_month(app.db, user.id)


@dataclass(frozen=True, slots=True)
class Renewal:
    """``done`` of ``documents`` have the vectors of ``model``; searches use the index ``served_by`` until all have."""

    model: str
    done: int
    documents: int
    served_by: str

    @property
    def sentence(self) -> str:
        return (
            f"The search index is being renewed for {self.model}: {self.done} of {self.documents} documents done. Until"
            f" then, searches use {self.served_by}."
        )


def renewal(app: Container, user: User) -> Renewal | None:
    """Where the renewal of the user's index stands; None where nothing is to be renewed."""
    model = app.embedder.model
    missing, documents = embeddings.count_missing(app.db, user.id, model)
    if not missing:
        return None
    serving = app.search.serving(user.id)
    served_by = f"the index of {serving.embedder.model}" if serving.is_indexed else "the words of the passages"
    return Renewal(model, documents - missing, documents, served_by)
