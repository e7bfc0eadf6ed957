"""What the graph's nodes work with."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from policypal.db.pool import Database
from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import RetrievedPassage
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


class Tracing(Protocol):
    def trace(self, entry: TraceEntry) -> None: ...


@dataclass(frozen=True, slots=True)
class TracedSearch(Search):
    """A search that records its duration, its query and how many passages it found."""

    recorder: Tracing = field(kw_only=True)

    def find(self, user_id: str, query: str, **asked: Any) -> list[RetrievedPassage]:
        """As :meth:`Search.find`."""
        started = time.perf_counter()
        hits = Search.find(self, user_id, query, **asked)
        detail = {"query": query[:200], "passages": len(hits)}
        self.recorder.trace(TraceEntry("search", "library", time.perf_counter() - started, detail))
        return hits
