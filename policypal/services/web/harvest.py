"""Reads web pages the way a careful guest does: asks robots.txt, stays away from private addresses, takes little (W4)."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from policypal.errors import PageUnavailable, PolicyPalError
from policypal.services.patience import side_by_side
from policypal.services.web.addresses import Deadline
from policypal.services.web.fetch import Fetched, Limits, fetch
from policypal.services.web.page_text import WebPage, page_of
from policypal.services.web.robots import Robots

logger = logging.getLogger(__name__)

MAX_PAGE_BYTES = 2_000_000
_TEXT_PAGES = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
_EXTRACTION_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Harvested:
    """What came of one address: a page, or the reason why there is none."""

    url: str
    page: WebPage | None
    problem: PolicyPalError | None
    seconds: float


class Harvester:
    """Reads pages side by side.

    ``seconds`` is the time for one page with its robots.txt. ``allowed_hosts`` are "host:port" pairs that may be private:
    for tests against local servers, and for nothing else.
    """

    def __init__(self, seconds: float = 10.0, *, allowed_hosts: frozenset[str] = frozenset()) -> None:
        self._seconds = seconds
        self._allowed_hosts = allowed_hosts

    def harvest(self, urls: Sequence[str]) -> list[Harvested]:
        """Read the pages; one that cannot be had never keeps the others from being read."""
        robots = Robots(self._allowed_hosts)
        started = time.monotonic()
        reading = [partial(self._read, url, robots) for url in urls]
        outcomes = side_by_side(reading, self._seconds + _EXTRACTION_SECONDS)
        late = PageUnavailable("it did not answer in time")
        return [
            outcome.result() if outcome.done() else Harvested(url, None, late, time.monotonic() - started)
            for url, outcome in zip(urls, outcomes, strict=True)
        ]

    def _read(self, url: str, robots: Robots) -> Harvested:
        started = time.monotonic()
        try:
            page = page_of(self._fetched(url, robots))
        except PageUnavailable as problem:
            return Harvested(url, None, problem, time.monotonic() - started)
        except Exception as error:  # noqa: BLE001 - whatever one page does must not cost the others (W7)
            logger.warning("reading a web page failed (%s)", type(error).__name__)
            return Harvested(url, None, PageUnavailable("it could not be read"), time.monotonic() - started)
        return Harvested(url, page, None, time.monotonic() - started)

    def _fetched(self, url: str, robots: Robots) -> Fetched:
        deadline = Deadline.after(self._seconds)
        found = fetch(
            url, Limits(MAX_PAGE_BYTES, _TEXT_PAGES), deadline, allowed_hosts=self._allowed_hosts,
            may_visit=lambda address: robots.check(address, deadline),
        )  # fmt: skip
        if found.status != 200:
            raise PageUnavailable(f"the site answered {found.status}")
        return found
