"""Several providers, asked in turn or at once, and one list made of what they found (G3, W1, W3)."""

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from policypal.concurrency import side_by_side
from policypal.domain.conversations import TraceEntry
from policypal.errors import WebQuotaExceeded, WebSearchError, WebSearchTimeout
from policypal.web.counted import Asking
from policypal.web.search import PublicQuery, WebHit, WebSearch
from policypal.web.urls import normalised_url

logger = logging.getLogger(__name__)

_RANK_OFFSET = 60
"""Of reciprocal rank fusion; the value of its authors. The larger, the more it counts that several lists agree."""
_LONGEST_SECONDS = 120.0
"""Every attempt of every provider ends by itself long before; this only bounds what nobody has foreseen."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of one provider."""

    provider: str
    hits: list[WebHit] = field(default_factory=list)
    seconds: float = 0.0
    is_cached: bool = False
    failure: WebSearchError | None = None

    def told(self, query: PublicQuery) -> TraceEntry:
        """As the run log has it (M5)."""
        detail: dict[str, Any] = {"query": query.text, "provider": self.provider, "results": len(self.hits)}
        if self.is_cached:
            detail["cache"] = "hit"
        if self.failure is not None:
            detail["problem"] = self.failure.message
        return TraceEntry("search", "web", self.seconds, detail)


@dataclass(frozen=True, slots=True)
class Found:
    """``hits`` of one provider, or fused of several: every page once, best first, their score relative to the best possible (1: first
    everywhere)."""

    hits: list[WebHit]
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class MetaSearch:
    """Several ``providers``, each asked by ``asking``: counted, tried again, perhaps cached. One that fails, or whose month is used up,
    takes nothing from the others."""

    providers: Sequence[WebSearch]
    asking: Asking

    def search_in_turn(self, user_id: str, query: PublicQuery, *, max_results: int) -> Found:
        """Ask them in order until one answers. Raises as :meth:`search`."""
        asked: list[Asked] = []
        for provider in self.providers:
            asked.append(self._asked(user_id, provider, query, max_results))
            if asked[-1].failure is None:
                return Found(asked[-1].hits, tuple(asked))
        raise _decisive(asked)

    def search(self, user_id: str, query: PublicQuery, *, max_results: int) -> Found:
        """The pages found for ``query`` by all of them side by side, at most ``max_results`` of each. Raises WebQuotaExceeded: every
        provider's searches of this month are used up; WebSearchError: no provider answered; the first one's failure that is not its
        quota."""
        calls = [partial(self._asked, user_id, p, query, max_results) for p in self.providers]
        outcomes = side_by_side(calls, _LONGEST_SECONDS)
        asked = [
            outcome.result() if outcome.done() else Asked(p.label, seconds=_LONGEST_SECONDS, failure=WebSearchTimeout())
            for p, outcome in zip(self.providers, outcomes, strict=True)
        ]
        if asked and all(a.failure for a in asked):
            raise _decisive(asked)
        return Found(fused(a.hits for a in asked), tuple(asked))

    def _asked(self, user_id: str, provider: WebSearch, query: PublicQuery, max_results: int) -> Asked:
        started = time.perf_counter()
        try:
            answer = self.asking.ask(user_id, provider, query, max_results=max_results)
        except WebSearchError as error:
            logger.warning("web search with %s failed (%s)", provider.label, error.code)
            return Asked(provider.label, seconds=time.perf_counter() - started, failure=error)
        return Asked(provider.label, answer.hits, time.perf_counter() - started, answer.is_cached)


def _decisive(asked: Sequence[Asked]) -> WebSearchError:
    """The one to tell of where every provider failed: the first that is not a used-up month, if there is one."""
    failures = [a.failure for a in asked if a.failure is not None]
    return next((f for f in failures if not isinstance(f, WebQuotaExceeded)), failures[0])


def fused(lists: Iterable[Sequence[WebHit]]) -> list[WebHit]:
    """One list by reciprocal ranks, every page once (:func:`normalised_url`): of providers, or of several queries.

    A page that several found keeps the address and title of the first, the longest excerpt and the first date.
    """
    ranked = [hits for hits in lists if hits]
    found: dict[str, list[WebHit]] = defaultdict(list)
    weight: dict[str, float] = defaultdict(float)
    for hits in ranked:
        for rank, (key, hit) in enumerate(_once(hits).items(), 1):
            found[key].append(hit)
            weight[key] += 1 / (_RANK_OFFSET + rank)
    best = len(ranked) / (_RANK_OFFSET + 1)
    one_list = [replace(_merged(same), score=round(weight[key] / best, 4)) for key, same in found.items()]
    return sorted(one_list, key=lambda hit: -hit.score)  # stable: among equals, the list that was asked first


def _once(hits: Sequence[WebHit]) -> dict[str, WebHit]:
    by_page: dict[str, WebHit] = {}
    for hit in hits:
        by_page.setdefault(normalised_url(hit.url), hit)
    return by_page


def _merged(same: Sequence[WebHit]) -> WebHit:
    published = next((hit.published for hit in same if hit.published), "")
    return replace(same[0], excerpt=max((hit.excerpt for hit in same), key=len), published=published)
