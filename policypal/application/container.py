"""The composition root: everything is wired here and nowhere else."""

from __future__ import annotations

import os
from dataclasses import dataclass

# Read by langgraph at import: refuse to deserialise anything that is not on the allow-list (X3).
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

from policypal.application.jobs import Jobs
from policypal.application.runner import Runner
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.db.connect import connect
from policypal.db.embedded import EmbeddedPostgres
from policypal.db.migrate import migrate
from policypal.db.pool import Database
from policypal.domain.users import LOCAL_ANALYST, User
from policypal.graph.agent.agent import Agent
from policypal.graph.agent.services import AgentServices
from policypal.graph.checkpoint import Checkpoints
from policypal.services.embeddings import Embedder, WordLlamaEmbedder
from policypal.services.ingest.pipeline import Ingestion
from policypal.services.llm.extractive import ExtractiveEngine
from policypal.services.llm.task import Engine
from policypal.services.retrieval.hybrid import Search
from policypal.services.storage import FileStore, LocalFileStore


@dataclass
class Container:
    """What the application's functions work with. Create with :func:`build_container`, end with :meth:`close`."""

    settings: Settings
    embedded: EmbeddedPostgres | None
    db: Database
    files: FileStore
    embedder: Embedder
    engine: Engine
    search: Search
    ingestion: Ingestion
    jobs: Jobs
    checkpoints: Checkpoints
    agent: Agent
    runner: Runner

    def close(self) -> None:
        """Stop the worker, wait for running answers, and let go of the database."""
        self.jobs.stop()
        self.runner.close()
        self.checkpoints.close()
        self.db.close()
        if self.embedded is not None:
            self.embedded.stop()


def build_container(settings: Settings, *, run_worker: bool) -> Container:
    """Start the database if it is embedded, migrate it, and wire everything.

    Raises:
        DatabaseUnavailable, ConfigurationError: with what to do about it.
    """
    embedded, db = connect(settings)
    migrate_all(db)
    db.open()
    embedder = build_embedder(settings)
    files = LocalFileStore(settings.data_dir / "files")
    engine = build_engine(settings)
    search = Search(db, embedder)
    ingestion = Ingestion(db, files, embedder, settings)
    jobs = Jobs(db.direct_conninfo, ingestion)
    checkpoints = Checkpoints(db.direct_conninfo)
    checkpoints.open()
    agent = Agent(AgentServices(db, search, embedder, engine, settings.has_web_search), checkpoints)
    container = Container(
        settings, embedded, db, files, embedder, engine, search, ingestion, jobs, checkpoints, agent, Runner(db)
    )
    jobs.start(run_worker=run_worker)
    return container


def migrate_all(db: Database) -> list[str]:
    """Bring PolicyPal's, the checkpointer's and the job queue's tables up to date; the names of what was applied."""
    applied = migrate(db.direct_conninfo)
    Checkpoints.migrate(db.direct_conninfo)
    Jobs.migrate(db.direct_conninfo)
    return applied


def build_engine(settings: Settings) -> Engine:
    """The OpenAI engine with a key, the extractive engine without (R4)."""
    if settings.has_model_key:
        from policypal.services.llm.openai_engine import OpenAIEngine

        return OpenAIEngine(settings)
    return ExtractiveEngine()


def build_embedder(settings: Settings) -> Embedder:
    """OpenAI's embeddings with a key, the built-in model without (R3)."""
    if settings.has_model_key:
        from policypal.services.llm.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(settings)
    return WordLlamaEmbedder()


def local_analyst(app: Container) -> User:
    """The single user of an installation without sign-in (R6)."""
    users_db.ensure_user(app.db, LOCAL_ANALYST)
    return LOCAL_ANALYST
