"""One search, whichever provider can make it: the other one where one fails (R7, M8)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from policypal.db.pool import Database
from policypal.errors import WebSearchError
from policypal.web.counted import RETRIES, CountedSearch, decisive
from policypal.web.retries import RetryPolicy
from policypal.web.search import PublicQuery, WebHit, WebSearch

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """``failures`` are of providers that were asked before the one that answered."""

    hits: list[WebHit]
    provider: str
    failures: tuple[WebSearchError, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchWithFallback:
    """Asks the providers in order until one answers. ``quota`` is the searches per provider and calendar month,
    ``seconds`` the time one attempt may take, however slowly its answer drips."""

    db: Database
    providers: Sequence[WebSearch]
    quota: int
    seconds: float = 10.0
    retries: RetryPolicy = field(default=RETRIES)

    @property
    def counted(self) -> CountedSearch:
        """The same quota and patience for one provider at a time."""
        return CountedSearch(self.db, self.quota, self.seconds, self.retries)

    def search(self, user_id: str, query: PublicQuery, *, max_results: int) -> Found:
        """
        Raises:
            WebQuotaExceeded: every provider's searches of this month are used up.
            WebSearchError: no provider answered; the first one's failure that is not its quota.
        """
        failures: list[WebSearchError] = []
        for provider in self.providers:
            try:
                hits = self.counted.ask(user_id, provider, query, max_results=max_results).hits
            except WebSearchError as error:
                logger.warning("web search with %s failed (%s)", provider.label, error.code)
                failures.append(error)
            else:
                return Found(hits, provider.label, tuple(failures))
        raise decisive(failures)
