"""Sixty sources for a report: few requests at once, none twice, and bad ones cost time, not the run (W4, W7, issue 5)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from policypal.application.container import Container
from policypal.domain.users import User
from policypal.web.cached import CachedPages
from policypal.web.harvest import MAX_PAGE_BYTES, MOST_AT_ONCE, Harvested, Harvester
from tests.support.web_servers import (
    HTML,
    Gauge,
    Reply,
    Site,
    article,
    compressed,
    dripping,
    endless,
    hanging,
    redirect,
)

SECONDS = 10.0
"""As in the benchmark: what waits for them leaves a crowded machine the time to read the others."""
RULE = "Institution number {n} must report a major incident to its competent authority within {n} hours."
MORE = "The report names the affected services, the number of clients and the measures that were taken."

BROKEN = {
    "/broken/error": (Reply(b"", 500, content_type=HTML), "the site answered 500"),
    "/broken/gone": (Reply(b"gone", 410, content_type=HTML), "the site answered 410"),
    "/broken/hangs": (hanging(), "it did not answer in time"),
    "/broken/hangs-too": (hanging(), "it did not answer in time"),
    "/broken/endless": (endless(), "it is too large"),
    "/broken/bomb": (compressed(b"a" * (MAX_PAGE_BYTES * 20)), "it is too large"),
    "/broken/film": (Reply(b"\x00" * 100, content_type="video/mp4"), "it is not a text page (video/mp4)"),
    "/broken/private": (redirect("http://10.0.0.1/admin"), "the host has an address that is not public"),
    "/broken/circle": (redirect("/broken/circle"), "too many redirects"),
    "/broken/forbidden": (Reply(b"", content_type=HTML), "the site does not allow robots to read it"),
}


@pytest.fixture
def sites() -> Iterator[list[Site]]:
    """Three sites with one count of the requests they are serving."""
    gauge = Gauge()
    with ExitStack() as stack:
        sites = [stack.enter_context(Site()) for _ in range(3)]
        for site in sites:
            site.gauge, site.pause = gauge, 0.05
            site.robots("User-agent: *\nDisallow: /broken/forbidden")
        yield sites


def publish(sites: list[Site]) -> tuple[list[str], dict[str, str]]:
    """Sixty addresses over three sites, one of them slow; and what is wrong with ten of them."""
    urls = [
        sites[n % 3].page(f"/rule/{n}", article(f"Incidents {n}", RULE.format(n=n), MORE)) for n in range(49)
    ]  # fmt: skip
    broken = {sites[n % 3].page(path, reply): said for n, (path, (reply, said)) in enumerate(BROKEN.items())}
    slow = sites[0].page("/slow", dripping(every=0.2))
    mixed = [url for pair in zip(urls, [slow, *broken], strict=False) for url in pair]
    return [*mixed, *(url for url in urls if url not in mixed)], {**broken, slow: "it did not answer in time"}


def read_all(pages: CachedPages, user: User, urls: list[str]) -> list[Harvested]:
    """As a fan-out does: everything at once."""
    with ThreadPoolExecutor(len(urls)) as pool:
        return list(pool.map(lambda url: pages.read(user.id, url), urls))


def test_w4_sixty_sources_one_slow_and_ten_broken(app: Container, user: User, sites: list[Site]) -> None:
    urls, wrong = publish(sites)
    assert len(set(urls)) == 60 and len(wrong) == 11
    pages = CachedPages(app.db, Harvester(SECONDS, allowed_hosts=frozenset(s.host for s in sites)))

    pages.read(user.id, sites[1].page("/first", article("First", RULE, MORE)))  # loads the parser, once per process

    started = time.monotonic()
    found = read_all(pages, user, urls)
    took = time.monotonic() - started

    assert took <= SECONDS + 5
    assert {f.url: f.problem.message for f in found if f.problem is not None} == wrong
    assert sum(f.page is not None for f in found) == 49
    assert 4 <= sites[0].gauge.most <= MOST_AT_ONCE == 8
    asked = [(site.host, r.path) for site in sites for r in site.requests if r.path != "/broken/circle"]
    assert len(asked) == len(set(asked)), "no page and no robots.txt is asked for twice"
    assert not [path for _, path in asked if path == "/broken/forbidden"]

    requests = [len(site.requests) for site in sites]
    again = read_all(pages, user, urls)
    assert all(f.is_cached for f in again) and [len(site.requests) for site in sites] == requests
    assert [f.page for f in again] == [f.page for f in found]


def test_w4_two_runs_share_the_eight_places(app: Container, user: User, sites: list[Site]) -> None:
    sites[0].pause = 0.1
    for n in range(24):
        sites[0].page(f"/rule/{n}", article(f"Incidents {n}", RULE.format(n=n), MORE))
    harvesters = [Harvester(5.0, allowed_hosts=frozenset({sites[0].host})) for _ in range(2)]
    with ThreadPoolExecutor(24) as pool:
        found = list(pool.map(lambda n: harvesters[n % 2].read(sites[0].url(f"/rule/{n}")), range(24)))
    assert all(f.page is not None for f in found)
    assert 4 <= sites[0].gauge.most <= MOST_AT_ONCE
