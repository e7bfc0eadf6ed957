"""What the graph's nodes work with."""

from __future__ import annotations

from dataclasses import dataclass

from policypal.db.pool import Database
from policypal.services.embeddings import Embedder
from policypal.services.llm.task import Engine
from policypal.services.retrieval.hybrid import Search
from policypal.services.web.research import WebResearch


@dataclass(frozen=True, slots=True)
class AgentServices:
    """``web`` is None where no provider is configured (R7)."""

    db: Database
    search: Search
    embedder: Embedder
    engine: Engine
    web: WebResearch | None = None
