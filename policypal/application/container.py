"""What the application's functions work with."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from policypal.db import users as users_db
from policypal.domain.users import LOCAL_ANALYST, User

if TYPE_CHECKING:  # these need a container themselves, or take long to import
    from policypal.accounts.auth import Auth
    from policypal.application.jobs import Jobs
    from policypal.application.runner import Runner
    from policypal.application.uploads import Uploads
    from policypal.config import Settings
    from policypal.db.embedded import EmbeddedPostgres
    from policypal.db.pool import Database
    from policypal.domain.conversations import ConversationKind
    from policypal.graph.agent.agent import Agent
    from policypal.graph.checkpoint import Checkpoints
    from policypal.graph.research.researcher import Researcher
    from policypal.graph.services import GraphServices
    from policypal.graph.thread_graph import ThreadGraph
    from policypal.ingest.pipeline import Ingestion
    from policypal.llm.task import Engine
    from policypal.search.embeddings import Embedder
    from policypal.search.hybrid import Search
    from policypal.storage import FileStore
    from policypal.web.research import WebResearch

logger = logging.getLogger(__name__)


@dataclass
class Container:
    """What the application's functions work with. Create with :func:`policypal.application.wiring.build_container`, end with :meth:`close`."""

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
    runner: Runner
    web: WebResearch | None
    auth: Auth | None
    uploads: Uploads

    @cached_property
    def agent(self) -> Agent:
        """Made on first use: it takes two seconds, for which a command that lists documents should not wait."""
        from policypal.graph.agent.agent import Agent

        return Agent(self.graph_services, self.checkpoints)

    @cached_property
    def researcher(self) -> Researcher:
        """Made on first use, like the agent."""
        from policypal.graph.research.researcher import Researcher

        return Researcher(self.graph_services, self.checkpoints)

    @cached_property
    def graph_services(self) -> GraphServices:
        """What the graphs work with; of the web, research has a memory of what was found and read (W3)."""
        from policypal.graph.services import GraphServices
        from policypal.web.cached import CachedPages, CachedSearch
        from policypal.web.meta_search import MetaSearch

        web, services = self.web, GraphServices(self.db, self.search, self.embedder, self.engine, self.web)
        if web is None:
            return services
        remembering = MetaSearch(web.searches.providers, CachedSearch(self.db, web.searches.asking))
        return replace(services, meta_search=remembering, pages=CachedPages(self.db, web.harvester))

    def preload(self) -> None:
        """Make what the first message would wait for, while somebody reads the first page and writes it. Whatever fails here
        fails again, and is told, where it is needed."""
        try:
            from policypal.request import utterances

            _ = self.agent
            utterances.prepare()
        except Exception:
            logger.info("loading ahead failed", exc_info=True)

    def graph_of(self, kind: ConversationKind) -> ThreadGraph:
        """The graph that works on conversations of this kind."""
        return self.researcher if kind == "research" else self.agent

    def close(self) -> None:
        """Stop the worker, wait for running answers, and let go of the database."""
        self.jobs.stop()
        self.runner.close()
        self.db.close()
        if self.embedded is not None:
            self.embedded.stop()


def local_analyst(app: Container) -> User:
    """The single user of an installation without sign-in (R6)."""
    users_db.ensure_user(app.db, LOCAL_ANALYST)
    return LOCAL_ANALYST
