"""What this installation is made of, and which of it is set (R8, U9). Never shows a secret (X3)."""

from dataclasses import dataclass

from policypal.application import doctor
from policypal.application.container import Container
from policypal.llm.prices import is_price_known
from policypal.llm.routing import MODELS_AS_OF, ModelRoutes
from policypal.search.embeddings import built_in_embedder


@dataclass(frozen=True, slots=True)
class Component:
    """Something of an installation that can be configured. ``setting`` names the variable that turns it on, ``is_set`` says
    whether it is; ``use`` is what it does, or what happens without it. ``is_built_in``: it is there where nothing is set."""

    label: str
    setting: str
    is_set: bool
    use: str
    is_built_in: bool = False


def components(app: Container) -> list[Component]:
    """The parts in the order in which people meet them."""
    s, has_key = app.settings, app.settings.has_model_key
    is_bought = app.embedder.model != built_in_embedder().model
    embeddings = doctor.EMBEDDING_SETTING if has_key else "OPENAI_API_KEY"
    web = "Lets answers cite the web where that is asked for"
    return [
        Component("Language model", "OPENAI_API_KEY", has_key, _model_use(app)),
        Component("Embeddings", embeddings, is_bought, _embeddings_use(app), is_built_in=True),
        Component("Web search: Tavily", "TAVILY_API_KEY", s.tavily_api_key is not None, web),
        Component("Web search: Exa", "EXA_API_KEY", s.exa_api_key is not None, web),
        Component(
            "Sign-in and file store", "SUPABASE_URL and SUPABASE_KEY", s.supabase_url is not None, _supabase_use(app)
        ),
        Component("Database", "DATABASE_URL", s.database_url is not None, _database_use(app), is_built_in=True),
    ]


def _model_use(app: Container) -> str:
    if not app.settings.has_model_key:
        return "Without a key the extractive engine answers with quotations and templates, at no cost"
    routes = ModelRoutes(app.settings.models)
    models = " and ".join(dict.fromkeys(routes.model_for(task) for task in ("answer", "audit")))
    where = "at OPENAI_BASE_URL" if app.settings.openai_base_url else "at OpenAI"
    chosen = (
        ""
        if app.settings.models
        else f" (PolicyPal's choice of {MODELS_AS_OF.day} {MODELS_AS_OF:%B %Y}; POLICYPAL_MODELS names others)"
    )
    use = f"Writes answers, summaries, comparisons and audits: {models}, {where}{chosen}"
    return f"{use}. {unpriced}" if (unpriced := unpriced_models(app)) else use


def unpriced_models(app: Container) -> str:
    """What is to be known of models in use whose price is not; empty where there are none."""
    if not app.settings.has_model_key:
        return ""
    unknown = [m for m in ModelRoutes(app.settings.models).models() if not is_price_known(m, app.settings.prices)]
    if not unknown:
        return ""
    return (
        f"No price is known of {' and '.join(unknown)}: tokens are counted, dollars are not. POLICYPAL_PRICES gives prices, "
        "and POLICYPAL_MONTHLY_BUDGET_TOKENS limits the tokens of such calls"
    )


def _embeddings_use(app: Container) -> str:
    reason = doctor.why_built_in(app.embedder)
    is_built_in = app.embedder.model == built_in_embedder().model
    where = "on this machine, built in" if is_built_in else "at the model provider"
    return f"Finds passages by meaning: {app.embedder.model}, {where}{f'. {reason}'.rstrip('.') if reason else ''}"


def _supabase_use(app: Container) -> str:
    people = "People sign in with Supabase Auth" if app.auth is not None else "One local analyst, no sign-in"
    files = "Supabase Storage" if app.settings.supabase_service_key is not None else "the data folder"
    return f"{people}; files in {files}"


def _database_use(app: Container) -> str:
    server, vector = app.db.version()
    where = "embedded, in the data folder" if app.embedded is not None else "your own server"
    return f"PostgreSQL {server} with pgvector {vector}, {where}"
