"""The composition root: everything is wired here and nowhere else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from policypal.application import register
from policypal.config import Settings
from policypal.db.embedded import connect

# Read by langgraph at import: refuse to deserialise anything that is not on the allow-list (X3).
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

from policypal.application.container import Container
from policypal.application.jobs import Jobs
from policypal.application.runner import Runner
from policypal.application.uploads import Uploads
from policypal.config import BUILT_IN_EMBEDDINGS
from policypal.db import embeddings as embeddings_db
from policypal.db.migrate import migrate
from policypal.db.pool import Database
from policypal.db.probe import probe_direct, probe_pooled
from policypal.domain.users import User
from policypal.errors import PolicyPalError
from policypal.graph.checkpoint import Checkpoints
from policypal.ingest.pipeline import Ingestion
from policypal.llm.extractive import ExtractiveEngine
from policypal.llm.task import Engine
from policypal.search.embeddings import Embedder, built_in_embedder
from policypal.search.hybrid import Search
from policypal.storage import FileStore
from policypal.storage.local import LocalFileStore
from policypal.web.counted import CountedSearch
from policypal.web.harvest import Harvester
from policypal.web.meta_search import MetaSearch
from policypal.web.research import WebResearch
from policypal.web.search import WebSearch

if TYPE_CHECKING:
    from policypal.accounts.auth import Auth


def build_container(
    settings: Settings,
    *,
    run_worker: bool,
    private_web_hosts: frozenset[str] = frozenset(),
    process: str = "policypal-cli",
) -> Container:
    """Start the database if it is embedded, try its connections, migrate it, and wire everything.
    ``private_web_hosts`` ("host:port") may be read as web pages although they are not public: for tests, and
    therefore no setting. ``process`` is the name of the process's connections in the server's ``pg_stat_activity``.
    Raises DatabaseUnavailable, DiskFull, ConfigurationError: with what to do about it."""
    auth = build_auth(settings)
    embedded, db = connect(settings, process)
    try:
        migrate_all(db)
        probe_pooled(db)
        db.open()
    except PolicyPalError:
        if embedded is not None:
            embedded.stop()
        raise
    embedder = build_embedder(settings, db)
    files = build_files(settings)
    engine = build_engine(settings)
    search = Search(db, embedder)
    ingestion = Ingestion(db, files, embedder, settings)
    jobs = Jobs(
        db, ingestion, lambda user, document, stop: register.read_by_model(container, User(user, ""), document, stop)
    )
    checkpoints = Checkpoints(db)
    web = build_web_research(settings, db, private_web_hosts)
    container = Container(
        settings, embedded, db, files, embedder, engine, search, ingestion, jobs, checkpoints, Runner(db), web, auth, Uploads(),
    )  # fmt: skip
    jobs.start(run_worker=run_worker)
    return container


def migrate_all(db: Database) -> list[str]:
    """Bring PolicyPal's, the checkpointer's and the job queue's tables up to date; the names of what was applied."""
    probe_direct(db)  # a transaction pooler would let go of the locks the migrations take
    applied = migrate(db.direct_conninfo)
    Checkpoints.migrate(db.direct_conninfo)
    Jobs.migrate(db.direct_conninfo)
    return applied


def build_files(settings: Settings) -> FileStore:
    """Supabase Storage with an address and the server's key, the data folder without (R5)."""
    if settings.supabase_url is not None and settings.supabase_service_key is not None:
        from policypal.storage.supabase import SupabaseFileStore

        return SupabaseFileStore(settings.supabase_url, settings.supabase_service_key, settings.supabase_bucket)
    return LocalFileStore(settings.data_dir / "files")


def build_auth(settings: Settings) -> Auth | None:
    """Supabase Auth when it is configured; None means that the one local analyst works here (R6). Raises
    ConfigurationError: half of it is set, or a key that must not be used for this."""
    if not settings.has_sign_in or settings.supabase_url is None or settings.supabase_key is None:
        return None
    from policypal.accounts.auth import Auth

    return Auth(settings.supabase_url, settings.supabase_key, settings.sign_in_timeout_seconds)


def build_engine(settings: Settings) -> Engine:
    """The OpenAI engine with a key, the extractive engine without (R4)."""
    if settings.has_model_key:
        from policypal.llm.openai_engine import OpenAIEngine

        return OpenAIEngine(settings)
    return ExtractiveEngine()


def build_web_research(
    settings: Settings, db: Database, private_hosts: frozenset[str] = frozenset()
) -> WebResearch | None:
    """Tavily first, then Exa, as far as there are keys; None without any (R7)."""
    providers = build_web_providers(settings)
    if not providers:
        return None
    seconds = settings.web_timeout_seconds
    counted = CountedSearch(db, settings.web_monthly_quota, seconds + 2)
    return WebResearch(MetaSearch(providers, counted), Harvester(seconds, allowed_hosts=private_hosts))


def build_web_providers(settings: Settings) -> list[WebSearch]:
    """The providers with a key, in the order in which they are asked."""
    providers: list[WebSearch] = []
    seconds = settings.web_timeout_seconds
    if settings.tavily_api_key is not None:
        from policypal.web.tavily import TavilySearch

        providers.append(TavilySearch(settings.tavily_api_key, settings.tavily_base_url, seconds))
    if settings.exa_api_key is not None:
        from policypal.web.exa import ExaSearch

        providers.append(ExaSearch(settings.exa_api_key, settings.exa_base_url, seconds))
    return providers


def build_embedder(settings: Settings, db: Database | None = None) -> Embedder:
    """The endpoint's embeddings with a key, as far as it has any; the built-in model without, or if it is wanted (R3).
    ``db`` is the library whose vectors are kept while the endpoint does not answer."""
    if settings.has_model_key and settings.embedding_model != BUILT_IN_EMBEDDINGS:
        from policypal.llm.endpoint_embedder import EndpointEmbedder

        return EndpointEmbedder(settings, lambda name: None if db is None else embeddings_db.kept_as(db, name))
    return built_in_embedder()


def migrate_installation(settings: Settings) -> list[str]:
    """Bring the database of the settings up to date without starting the application; the migrations applied now.
    Raises DatabaseUnavailable, ConfigurationError: with what to do about it."""
    embedded, db = connect(settings, "policypal-cli")
    try:
        return migrate_all(db)
    finally:
        if embedded is not None:
            embedded.stop()
