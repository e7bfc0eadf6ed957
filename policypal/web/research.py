"""Search, read, choose: everything between a query and the passages an answer may quote (W4, G3)."""

from dataclasses import dataclass

from policypal.domain.conversations import TraceEntry
from policypal.domain.web import WebPassage
from policypal.web.harvest import Harvester
from policypal.web.meta_search import MetaSearch
from policypal.web.passages import web_passages
from policypal.web.search import PublicQuery

MAX_RESULTS = 6
MAX_PASSAGES = 8


@dataclass(frozen=True, slots=True)
class WebFindings:
    """``log`` is what was done (M5)."""

    passages: list[WebPassage]
    log: list[TraceEntry]


@dataclass(frozen=True, slots=True)
class WebResearch:
    """The web as the graph uses it."""

    searches: MetaSearch
    harvester: Harvester

    def find(self, user_id: str, query: PublicQuery) -> WebFindings:
        """Search once, read the pages, choose passages. A page that cannot be read never makes this fail; one whose
        address is not public is not even named. Raises WebSearchError: or one of its kinds: no provider answered."""
        found = self.searches.search_in_turn(user_id, query, max_results=MAX_RESULTS)
        pages = self.harvester.harvest([hit.url for hit in found.hits])
        refused = {p.url for p in pages if p.is_refused}
        hits = [hit for hit in found.hits if hit.url not in refused]
        return WebFindings(
            passages=web_passages(query.text, hits, pages, limit=MAX_PASSAGES),
            log=[
                *(a.told(query) for a in found.asked),
                *(TraceEntry("search", "page", p.seconds, {**p.told()}) for p in pages),
            ],
        )
