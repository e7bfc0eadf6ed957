"""One search, whichever provider can make it: the other one where one fails (R7, M8)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from policypal.errors import WebSearchError
from policypal.web.counted import Asking, decisive
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
    """Asks the providers in order until one answers, each by ``asking``."""

    providers: Sequence[WebSearch]
    asking: Asking

    def search(self, user_id: str, query: PublicQuery, *, max_results: int) -> Found:
        """
        Raises:
            WebQuotaExceeded: every provider's searches of this month are used up.
            WebSearchError: no provider answered; the first one's failure that is not its quota.
        """
        failures: list[WebSearchError] = []
        for provider in self.providers:
            try:
                hits = self.asking.ask(user_id, provider, query, max_results=max_results).hits
            except WebSearchError as error:
                logger.warning("web search with %s failed (%s)", provider.label, error.code)
                failures.append(error)
            else:
                return Found(hits, provider.label, tuple(failures))
        raise decisive(failures)
