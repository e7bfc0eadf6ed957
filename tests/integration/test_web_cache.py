"""Pages are remembered for a while, per person, and fetched once however many want them (W3, W7, X1)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from policypal.application.container import Container
from policypal.application.trash import Housekeeping
from policypal.db import users as users_db
from policypal.db import web_cache
from policypal.domain.users import User
from policypal.errors import AddressRefused
from policypal.web.addresses import Deadline
from policypal.web.cached import CachedPages
from policypal.web.harvest import Harvested, Harvester
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.support.web_servers import HTML, Reply, Site, article, hanging, redirect

RULE = "A bank must keep customer records for at least ten years after the end of the relationship."


@pytest.fixture(scope="module")
def _site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def site(_site: Site) -> Site:
    _site.reset()
    _site.page("/rule", article("Records", RULE, RULE, published="2025-03-04"))
    return _site


@pytest.fixture
def pages(app: Container, site: Site) -> CachedPages:
    return CachedPages(app.db, Harvester(1.0, allowed_hosts=frozenset({site.host})))


def age(app: Container, user: User, hours: float) -> None:
    with app.db.as_owner() as c:
        c.execute(
            "UPDATE web_page_cache SET expires_at = expires_at - make_interval(hours => %s) WHERE user_id = %s",
            (int(hours), user.id),
        )


def test_w3_a_page_is_fetched_once_a_week(app: Container, user: User, site: Site, pages: CachedPages) -> None:
    first = pages.read(user.id, site.url("/rule"))
    again = pages.read(user.id, site.url("/rule/?utm_source=x#top"))
    assert first.page is not None and again.page == first.page
    assert (first.is_cached, again.is_cached) == (False, True)
    assert again.url == site.url("/rule/?utm_source=x#top"), "as it was asked for"
    assert site.visits("/rule") == 1
    age(app, user, 7 * 24)
    assert not pages.read(user.id, site.url("/rule")).is_cached
    assert site.visits("/rule") == 2


def test_w3_an_unreadable_page_is_tried_again_after_an_hour(
    app: Container, user: User, site: Site, pages: CachedPages
) -> None:
    url = site.page("/later", Reply(b"", 503, content_type=HTML))
    found = [pages.read(user.id, url) for _ in range(2)]
    assert [(f.page, f.problem.message if f.problem else "") for f in found] == [(None, "the site answered 503")] * 2
    assert site.visits("/later") == 1
    site.page("/later", article("Records", RULE, RULE))
    age(app, user, 1)
    assert pages.read(user.id, url).page is not None


def test_w4_a_refused_address_stays_refused(user: User, site: Site, pages: CachedPages) -> None:
    url = site.page("/trap", redirect("http://169.254.169.254/latest/"))
    first, again = pages.read(user.id, url), pages.read(user.id, url)
    assert first.is_refused and again.is_refused and again.is_cached
    assert isinstance(again.problem, AddressRefused)


def test_w7_many_who_want_one_page_fetch_it_once(app: Container, user: User, site: Site) -> None:
    pages = CachedPages(app.db, Harvester(LONGEST_WAIT_SECONDS, allowed_hosts=frozenset({site.host})))
    url = site.page("/slow", Reply(article("Records", RULE, RULE).encode(), content_type=HTML, drip=0.0005))
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda _: pages.read(user.id, url), range(12)))
    assert all(f.page is not None for f in found)
    assert sum(not f.is_cached for f in found) == 1
    assert (site.visits("/slow"), site.visits("/robots.txt")) == (1, 1)


def test_x1_everybody_has_their_own(app: Container, user: User, site: Site, pages: CachedPages) -> None:
    other = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(app.db, other)
    pages.read(user.id, site.url("/rule"))
    assert not pages.read(other.id, site.url("/rule")).is_cached


def test_w7_what_there_was_no_time_for_is_not_remembered(app: Container, user: User, site: Site) -> None:
    pages = CachedPages(app.db, Harvester(20.0, allowed_hosts=frozenset({site.host})))  # not its own time-out ends it
    url = site.page("/hang", hanging())
    started = time.monotonic()
    for until in (Deadline.after(0.2), Deadline.after(0)):
        late = pages.read(user.id, url, until=until)
        assert late.problem is not None and late.problem.message == "there was no time left to read it"
    assert time.monotonic() - started < 3
    site.page("/hang", article("Records", RULE, RULE))
    site.robots("")
    assert pages.read(user.id, url).page is not None


def test_d10_what_has_expired_is_cleared_away(app: Container, user: User, site: Site, pages: CachedPages) -> None:
    pages.read(user.id, site.url("/rule"))
    web_cache.keep_hits(app.db, user.id, "key", [], -1)
    web_cache.keep_hits(app.db, user.id, "another", [], 60)
    age(app, user, 8 * 24)
    Housekeeping(app.db, app.files).run(grace_seconds=3600)
    with app.db.as_user(user.id) as c:
        assert c.execute("SELECT key FROM web_page_cache").fetchall() == []
        assert c.execute("SELECT key FROM web_search_cache").fetchall() == [{"key": "another"}]


def test_x3_what_was_harvested_is_plain_data_and_back(site: Site) -> None:
    site.page("/trap", redirect("http://10.0.0.1/"))
    harvester = Harvester(1.0, allowed_hosts=frozenset({site.host}))
    for path in ("/rule", "/missing", "/trap"):
        found = harvester.read(site.url(path))
        again = Harvested.of_plain(found.plain())
        assert (again.page, again.is_refused, again.url) == (found.page, found.is_refused, found.url)
        assert type(again.problem) is type(found.problem)
