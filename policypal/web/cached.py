"""Neither asked nor fetched twice: searches and pages that are remembered for a while (W3, W7)."""

import hashlib
from dataclasses import asdict, dataclass, replace

from policypal.concurrency import Joint
from policypal.db import web_cache
from policypal.db.pool import Database
from policypal.web.addresses import Deadline
from policypal.web.counted import Answered, Asking
from policypal.web.harvest import Harvested, Harvester
from policypal.web.search import PublicQuery, WebHit, WebSearch
from policypal.web.urls import normalised_url

SEARCH_SECONDS = 24 * 3600.0
PAGE_SECONDS = 7 * 24 * 3600.0
UNREADABLE_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class CachedSearch:
    """Asks a provider what it has not been asked within a day. Its failures are not remembered, and an answer that is
    costs nothing of the month's quota."""

    db: Database
    asking: Asking

    def ask(self, user_id: str, provider: WebSearch, query: PublicQuery, *, max_results: int) -> Answered:
        """Raises WebSearchError: or one of its kinds: the provider did not answer, or its month is used up."""
        key = _digest(provider.name, str(max_results), " ".join(query.text.casefold().split()))
        known = web_cache.find_hits(self.db, user_id, key)
        if known is not None:
            return Answered([WebHit(**hit) for hit in known], is_cached=True)
        answer = self.asking.ask(user_id, provider, query, max_results=max_results)
        web_cache.keep_hits(self.db, user_id, key, [asdict(hit) for hit in answer.hits], SEARCH_SECONDS)
        return answer


_reading: Joint[Harvested] = Joint()
"""The pages that this process is reading."""


@dataclass(frozen=True, slots=True)
class CachedPages:
    """Reads a page that has not been read within a week; one that could not be read is tried again after an hour."""

    db: Database
    harvester: Harvester

    def read(self, user_id: str, url: str, *, until: Deadline | None = None) -> Harvested:
        """As :meth:`Harvester.read`; whoever wants a page that is being read waits for it. Raises
        DatabaseUnavailable: nothing else; what stands in the way of a page is its problem."""
        key = _digest(normalised_url(url))
        found, is_own = _reading.run((user_id, key), lambda: self._remembered(user_id, key, url, until))
        return replace(found, url=url, is_cached=found.is_cached or not is_own)

    def _remembered(self, user_id: str, key: str, url: str, until: Deadline | None) -> Harvested:
        known = web_cache.find_page(self.db, user_id, key)
        if known is not None:
            return replace(Harvested.of_plain(known), seconds=0.0, is_cached=True)
        found = self.harvester.read(url, until=until)
        if found.problem is None or not found.problem.retryable:
            seconds = UNREADABLE_SECONDS if found.page is None else PAGE_SECONDS
            web_cache.keep_page(self.db, user_id, key, found.plain(), seconds)
        return found


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
