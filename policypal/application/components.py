"""Whether the configured parts work, tried from inside the running application (R8, U9). Never shows a secret (X3)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from policypal.application import doctor
from policypal.application.budget import account_of
from policypal.application.container import Container
from policypal.application.doctor import Check
from policypal.domain.users import Profile, User
from policypal.errors import PolicyPalError
from policypal.llm.prices import is_price_known, own_prices
from policypal.llm.routing import ModelRoutes
from policypal.research.disclosure import public_query
from policypal.search.embeddings import built_in_embedder
from policypal.web.fallback import SearchWithFallback
from policypal.web.search import WebSearch

_SENTENCE = "A bank must keep its records."


@dataclass(frozen=True, slots=True)
class Component:
    """Something of an installation that can be configured. ``setting`` names the variable that turns it on, ``is_set`` says
    whether it is; ``use`` is what it does, or what happens without it. ``cost`` is what trying it costs, if anything."""

    name: str
    label: str
    setting: str
    is_set: bool
    use: str
    cost: str = ""


def components(app: Container) -> list[Component]:
    """The parts in the order in which people meet them."""
    s, has_key = app.settings, app.settings.has_model_key
    is_bought = app.embedder.model != built_in_embedder().model
    quota = "Uses one search of this month's quota"
    return [
        Component(
            "model", "Language model", "OPENAI_API_KEY", has_key, _model_use(app), "Costs one short answer per model"
        ),
        Component(
            "embeddings",
            "Embeddings",
            doctor.EMBEDDING_SETTING if has_key else "OPENAI_API_KEY",
            is_bought,
            _embeddings_use(app),
        ),
        Component("tavily", "Web search: Tavily", "TAVILY_API_KEY", s.tavily_api_key is not None, _web_use(app), quota),
        Component("exa", "Web search: Exa", "EXA_API_KEY", s.exa_api_key is not None, _web_use(app), quota),
        Component(
            "supabase",
            "Sign-in and file store",
            "SUPABASE_URL and SUPABASE_KEY",
            s.supabase_url is not None,
            _supabase_use(app),
        ),
        Component("database", "Database", "DATABASE_URL", s.database_url is not None, _database_use(app)),
    ]


def can_be_checked(part: Component) -> bool:
    """Embeddings and the database are always there: built in where nothing is set."""
    return part.is_set or part.name in ("embeddings", "database")


def check(app: Container, user: User, name: str) -> list[Check]:
    """Try one part; never raises, because the failure is what was asked for."""
    try:
        return list(_CHECKS[name](app, user))
    except PolicyPalError as error:
        return [Check(error.title, "problem", error.message)]


def _model_use(app: Container) -> str:
    if not app.settings.has_model_key:
        return "Without a key the extractive engine answers with quotations and templates, at no cost"
    routes = ModelRoutes(app.settings.models)
    models = " and ".join(dict.fromkeys(routes.model_for(task) for task in ("answer", "audit")))
    where = "at OPENAI_BASE_URL" if app.settings.openai_base_url else "at OpenAI"
    use = f"Writes answers, summaries, comparisons and audits: {models}, {where}"
    return f"{use}. {unpriced}" if (unpriced := unpriced_models(app)) else use


def unpriced_models(app: Container) -> str:
    """What is to be known of models in use whose price is not; empty where there are none."""
    if not app.settings.has_model_key:
        return ""
    own = own_prices(app.settings)
    unknown = [m for m in ModelRoutes(app.settings.models).models() if not is_price_known(m, own)]
    if not unknown:
        return ""
    return (
        f"No price is known of {' and '.join(unknown)}: tokens are counted, dollars are not, and no budget stops such calls. "
        "POLICYPAL_PRICES gives prices"
    )


def _embeddings_use(app: Container) -> str:
    reason = doctor.why_built_in(app.embedder)
    is_built_in = app.embedder.model == built_in_embedder().model
    where = "on this machine, built in" if is_built_in else "at the model provider"
    return f"Finds passages by meaning: {app.embedder.model}, {where}{f'. {reason}'.rstrip('.') if reason else ''}"


def _web_use(app: Container) -> str:
    return "Lets answers cite the web where that is asked for"


def _supabase_use(app: Container) -> str:
    people = "People sign in with Supabase Auth" if app.auth is not None else "One local analyst, no sign-in"
    files = "Supabase Storage" if app.settings.supabase_service_key is not None else "the data folder"
    return f"{people}; files in {files}"


def _database_use(app: Container) -> str:
    server, vector = app.db.version()
    where = "embedded, in the data folder" if app.embedded is not None else "your own server"
    return f"PostgreSQL {server} with pgvector {vector}, {where}"


def _model(app: Container, user: User) -> Sequence[Check]:
    return doctor.language_models(app.settings, account_of(app, user.id))


def _embeddings(app: Container, user: User) -> Sequence[Check]:
    started = time.perf_counter()
    vectors = app.embedder.charged_to(account_of(app, user.id)).embed([_SENTENCE])
    milliseconds = (time.perf_counter() - started) * 1000
    return [Check("Embeddings", "ok", f"{app.embedder.model}: {vectors.shape[1]} dimensions in {milliseconds:.0f} ms")]


def _web(name: str) -> Callable[[Container, User], Sequence[Check]]:
    def search(app: Container, user: User) -> Sequence[Check]:
        provider = _provider(app, name)
        if app.web is None or provider is None:
            return doctor.examine_one(app.settings, "Web search")
        alone = SearchWithFallback([provider], app.web.searches.asking)
        query = public_query("regulation of banks", [], Profile())
        hits = alone.search(user.id, query, max_results=1).hits if query is not None else []
        return [Check(provider.label, "ok", f"{provider.label} searched with the key and found {len(hits)} page(s)")]

    return search


def _provider(app: Container, name: str) -> WebSearch | None:
    providers = app.web.searches.providers if app.web is not None else ()
    return next((p for p in providers if p.name == name), None)


def _supabase(app: Container, user: User) -> Sequence[Check]:
    return doctor.examine_one(app.settings, "Sign-in and file store")


def _database(app: Container, user: User) -> Sequence[Check]:
    return doctor.examine_one(app.settings, "Database")


_CHECKS: dict[str, Callable[[Container, User], Sequence[Check]]] = {
    "model": _model,
    "embeddings": _embeddings,
    "tavily": _web("tavily"),
    "exa": _web("exa"),
    "supabase": _supabase,
    "database": _database,
}
