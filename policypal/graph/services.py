"""What the graph's nodes work with."""

from __future__ import annotations

from dataclasses import dataclass, replace

from policypal.db.pool import Database
from policypal.llm.extractive import ExtractiveEngine
from policypal.llm.task import Engine
from policypal.search.embeddings import Embedder, built_in_embedder
from policypal.search.hybrid import Search
from policypal.web.cached import CachedPages
from policypal.web.meta_search import MetaSearch
from policypal.web.research import WebResearch


@dataclass(frozen=True, slots=True)
class GraphServices:
    """``web``, and for research ``meta_search`` and ``pages``, are None where no provider is configured (R7)."""

    db: Database
    search: Search
    embedder: Embedder
    engine: Engine
    web: WebResearch | None = None
    meta_search: MetaSearch | None = None
    pages: CachedPages | None = None

    @property
    def by_rules(self) -> bool:
        """Whether the keyless engine is at work: templates and quotations only, of one language (R4)."""
        return isinstance(self.engine, ExtractiveEngine)

    def without_model(self) -> GraphServices:
        """The same library on the extractive engine: no model provider is contacted, so nothing is spent (R4, M7)."""
        local = built_in_embedder()
        return replace(self, engine=ExtractiveEngine(), embedder=local, search=Search(self.db, local))
