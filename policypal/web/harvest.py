"""Reads web pages the way a careful guest does: asks robots.txt, stays away from private addresses, takes little (W4)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from policypal.concurrency import side_by_side
from policypal.errors import AddressRefused, PageUnavailable
from policypal.web.addresses import Deadline
from policypal.web.fetch import Fetched, Limits, fetch
from policypal.web.page_text import WebPage, page_of, prepare
from policypal.web.robots import Robots

logger = logging.getLogger(__name__)

MAX_PAGE_BYTES = 2_000_000
_TEXT_PAGES = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
_EXTRACTION_SECONDS = 5.0

MOST_AT_ONCE = 8
"""Pages that are read one by one, of the whole process at any time (W4)."""
_places = threading.BoundedSemaphore(MOST_AT_ONCE)


@dataclass(frozen=True, slots=True)
class Harvested:
    """What came of one address: a page, or the reason why there is none. ``is_cached``: nothing was fetched for it now."""

    url: str
    page: WebPage | None
    problem: PageUnavailable | None
    seconds: float
    is_cached: bool = False

    @property
    def is_refused(self) -> bool:
        """Its address is not a public one: it must not even be named."""
        return isinstance(self.problem, AddressRefused)

    def told(self) -> dict[str, str | int]:
        """What a run log says of it (M5)."""
        if self.is_refused:
            return {"problem": "an address that is not public"}
        told: dict[str, str | int] = {"url": self.url[:200]}
        if self.page is not None:
            told["characters"] = len(self.page.text)
        if self.problem is not None:
            told["problem"] = self.problem.message
        if self.is_cached:
            told["cache"] = "hit"
        return told

    def plain(self) -> dict[str, Any]:
        """As plain data, for a cache or a state; :meth:`of_plain` reads it back."""
        problem = self.problem
        told = (
            {"message": problem.message, "refused": self.is_refused, "retryable": problem.retryable}
            if problem
            else None
        )
        page = asdict(self.page) if self.page is not None else None
        return {"url": self.url, "page": page, "problem": told, "seconds": self.seconds, "is_cached": self.is_cached}

    @classmethod
    def of_plain(cls, data: Mapping[str, Any]) -> Harvested:
        page, told = data["page"], data["problem"]
        problem = None
        if told is not None:
            kind = AddressRefused if told["refused"] else PageUnavailable
            problem = kind(told["message"], retryable=told["retryable"])
        read = WebPage(**page) if page is not None else None
        return cls(data["url"], read, problem, data["seconds"], data["is_cached"])


class Harvester:
    """Reads pages: a handful side by side, or many one by one.

    ``seconds`` is the time for one page with its robots.txt. ``allowed_hosts`` are "host:port" pairs that may be private:
    for tests against local servers, and for nothing else.
    """

    def __init__(self, seconds: float = 10.0, *, allowed_hosts: frozenset[str] = frozenset()) -> None:
        self._seconds = seconds
        self._allowed_hosts = allowed_hosts
        self._robots = Robots(allowed_hosts)

    def harvest(self, urls: Sequence[str]) -> list[Harvested]:
        """Read the pages; one that cannot be had never keeps the others from being read."""
        return self._side_by_side(urls, Robots(self._allowed_hosts), self._seconds)

    def read(self, url: str, *, until: Deadline | None = None) -> Harvested:
        """Read one page of many: it waits for one of the eight places of the process, and asks each site's robots.txt once
        for all of them. ``until`` ends everything that was begun together; a page it leaves no time for has a problem that
        says ``retryable``."""
        if not _places.acquire(timeout=until.left() if until is not None else None):
            return _without_time(url)
        try:
            seconds = self._seconds if until is None else min(self._seconds, until.left())
            (found,) = self._side_by_side([url], self._robots, seconds)
        finally:
            _places.release()  # one that was abandoned has no time left for a request
        is_cut_short = found.page is None and until is not None and not until.left()
        return _without_time(url) if is_cut_short and not found.is_refused else found

    def _side_by_side(self, urls: Sequence[str], robots: Robots, seconds: float) -> list[Harvested]:
        prepare()
        reading = [partial(self._read, url, robots, seconds) for url in urls]
        outcomes = side_by_side(reading, seconds + _EXTRACTION_SECONDS)
        late = PageUnavailable("it did not answer in time")  # and was abandoned
        return [
            outcome.result() if outcome.done() else Harvested(url, None, late, seconds)
            for url, outcome in zip(urls, outcomes, strict=True)
        ]

    def _read(self, url: str, robots: Robots, seconds: float) -> Harvested:
        started = time.monotonic()
        try:
            page = page_of(self._fetched(url, robots, seconds))
        except PageUnavailable as problem:
            return Harvested(url, None, problem, time.monotonic() - started)
        except Exception as error:  # noqa: BLE001 - whatever one page does must not cost the others (W7)
            logger.warning("reading a web page failed (%s)", type(error).__name__)
            return Harvested(url, None, PageUnavailable("it could not be read"), time.monotonic() - started)
        return Harvested(url, page, None, time.monotonic() - started)

    def _fetched(self, url: str, robots: Robots, seconds: float) -> Fetched:
        deadline = Deadline.after(seconds)
        found = fetch(
            url, Limits(MAX_PAGE_BYTES, _TEXT_PAGES), deadline, allowed_hosts=self._allowed_hosts,
            may_visit=lambda address: robots.check(address, deadline),
        )  # fmt: skip
        if found.status != 200:
            raise PageUnavailable(f"the site answered {found.status}")
        return found


def _without_time(url: str) -> Harvested:
    return Harvested(url, None, PageUnavailable("there was no time left to read it", retryable=True), 0.0)
