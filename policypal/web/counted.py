"""One search of one provider: counted against the month's quota, tried again, and over in time (R7, M8, U9)."""

import logging
from dataclasses import dataclass, field
from typing import Protocol

from policypal.concurrency import side_by_side
from policypal.db import web_cache
from policypal.db.pool import Database
from policypal.errors import WebQuotaExceeded, WebSearchError, WebSearchOutputInvalid, WebSearchTimeout
from policypal.web.retries import Failure, Retry, RetryPolicy
from policypal.web.search import PublicQuery, WebHit, WebSearch

logger = logging.getLogger(__name__)

RETRIES = RetryPolicy(later=2, first_wait_seconds=0.5, longest_wait_seconds=3.0)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a provider found. ``is_cached``: it had been asked before, and was not asked again."""

    hits: list[WebHit]
    is_cached: bool = False


class Asking(Protocol):
    """A way to ask one provider."""

    def ask(self, user_id: str, provider: WebSearch, query: PublicQuery, *, max_results: int) -> Answered:
        """Raises WebSearchError: or one of its kinds: the provider did not answer, or its month is used up."""
        ...


@dataclass(frozen=True, slots=True)
class CountedSearch:
    """``quota`` is the searches per provider and calendar month, ``seconds`` the time one attempt may take, however slowly
    its answer drips."""

    db: Database
    quota: int
    seconds: float = 10.0
    retries: RetryPolicy = field(default=RETRIES)

    def ask(self, user_id: str, provider: WebSearch, query: PublicQuery, *, max_results: int) -> Answered:
        """Raises WebQuotaExceeded: the provider's searches of this month are used up; WebSearchError: it did not
        answer, after retries."""
        if not web_cache.claim_search(self.db, user_id, provider.name, self.quota):
            raise WebQuotaExceeded(f"⚠️ Web Search Limit Reached ({self.quota}/month).")
        try:
            return Answered(self.retries.run(lambda: self._attempt(provider, query, max_results)))
        except (WebSearchTimeout, WebSearchOutputInvalid):  # it may well have searched, and counted
            raise
        except WebSearchError:
            web_cache.return_search(self.db, user_id, provider.name)
            raise

    def _attempt(self, provider: WebSearch, query: PublicQuery, max_results: int) -> list[WebHit] | Failure:
        (outcome,) = side_by_side([lambda: provider.search(query, max_results=max_results)], self.seconds)
        if not outcome.done():
            return Failure(WebSearchTimeout(), Retry.LATER)
        try:
            return outcome.result()
        except WebSearchError as error:
            return Failure(error, Retry.LATER if error.retryable else Retry.NEVER)
        except Exception:  # noqa: BLE001 - somebody else's client, which may fail in ways it does not document
            logger.warning("the client of %s failed unexpectedly", provider.label)
            return Failure(WebSearchOutputInvalid())
