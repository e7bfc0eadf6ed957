"""Search, read, choose: everything between a query and the passages an answer may quote (W4, G3)."""

import time
from dataclasses import dataclass

from policypal.domain.conversations import TraceEntry
from policypal.domain.web import WebPassage
from policypal.web.counted import SearchWithFallback
from policypal.web.harvest import Harvester
from policypal.web.passages import web_passages
from policypal.web.search import PublicQuery

MAX_RESULTS = 6
MAX_PASSAGES = 8


@dataclass(frozen=True, slots=True)
class WebFindings:
    """``unread`` pages speak through the provider's excerpt, if it gave one; ``log`` is what was done (M5)."""

    passages: list[WebPassage]
    results: int
    unread: int
    log: list[TraceEntry]


@dataclass(frozen=True, slots=True)
class WebResearch:
    """The web as the graph uses it."""

    searches: SearchWithFallback
    harvester: Harvester

    def find(self, user_id: str, query: PublicQuery) -> WebFindings:
        """Search once, read the pages, choose passages. A page that cannot be read never makes this fail; one whose
        address is not public is not even named. Raises WebSearchError: or one of its kinds: no provider answered."""
        started = time.perf_counter()
        found = self.searches.search(user_id, query, max_results=MAX_RESULTS)
        detail = {"query": query.text, "provider": found.provider, "results": len(found.hits)}
        failed = [TraceEntry("search", "web", 0.0, {"problem": f.message}) for f in found.failures]
        searched = TraceEntry("search", "web", time.perf_counter() - started, detail)
        pages = self.harvester.harvest([hit.url for hit in found.hits])
        refused = {p.url for p in pages if p.is_refused}
        hits = [hit for hit in found.hits if hit.url not in refused]
        return WebFindings(
            passages=web_passages(query.text, hits, pages, limit=MAX_PASSAGES),
            results=len(hits),
            unread=sum(p.page is None for p in pages) - len(refused),
            log=[*failed, searched, *(TraceEntry("search", "page", p.seconds, {**p.told()}) for p in pages)],
        )
