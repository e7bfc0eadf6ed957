"""Tavily and Exa side by side: one list, failures of one that cost nothing of the other (W1, W3, M8, U9)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import uuid4

import pytest
from pydantic import SecretStr

from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.db import web_cache
from policypal.domain.users import User
from policypal.errors import WebQuotaExceeded, WebSearchAuthenticationFailed, WebSearchError, WebSearchTimeout
from policypal.web.cached import CachedSearch
from policypal.web.counted import CountedSearch
from policypal.web.exa import ExaSearch
from policypal.web.meta_search import Found, MetaSearch, fused
from policypal.web.retries import RetryPolicy
from policypal.web.search import PublicQuery, WebHit, WebSearch
from policypal.web.tavily import TavilySearch
from tests.support.web_servers import (
    EXA_KEY,
    TAVILY_KEY,
    ExaServer,
    TavilyServer,
    as_json,
    exa_error,
    failing,
    hanging,
    result,
    tavily_error,
)

Servers = tuple[TavilyServer, ExaServer]
QUICK = RetryPolicy(later=2, sleep=lambda seconds: None)


@pytest.fixture(scope="module")
def _servers() -> Iterator[Servers]:
    with TavilyServer() as tavily, ExaServer() as exa:
        yield tavily, exa


@pytest.fixture
def servers(_servers: Servers) -> Servers:
    tavily, exa = _servers
    tavily.reset()
    exa.reset()
    tavily.results = [
        result("https://www.example.org/rule/?utm_source=t", "Rule", "Short."),
        result("https://a.example/", "A", "From Tavily."),
    ]
    exa.results = [
        result("https://b.example/", "B", "From Exa."),
        result("http://example.org/rule#part", "The rule", "A longer excerpt.", "2025-03-04"),
    ]
    return tavily, exa


@pytest.fixture
def fresh(app: Container, user: User) -> Iterator[User]:
    with app.db.as_owner() as c:
        c.execute("DELETE FROM web_usage")
    yield user
    with app.db.as_owner() as c:
        c.execute("DELETE FROM web_usage")


def both(app: Container, servers: Servers, quota: int = 100, seconds: float = 20.0) -> MetaSearch:
    tavily, exa = servers
    providers: list[WebSearch] = [
        TavilySearch(SecretStr(TAVILY_KEY), tavily.base_url, seconds),
        ExaSearch(SecretStr(EXA_KEY), exa.base_url, seconds),
    ]
    return MetaSearch(providers, CountedSearch(app.db, quota, seconds, QUICK))


def failures(found: Found) -> dict[str, WebSearchError]:
    return {a.provider: a.failure for a in found.asked if a.failure is not None}


def cache_hits(found: Found) -> int:
    return sum(asked.is_cached for asked in found.asked)


def cached(app: Container, servers: Servers, quota: int = 100) -> MetaSearch:
    plain = both(app, servers, quota)
    return MetaSearch(plain.providers, CachedSearch(app.db, plain.asking))


def test_w3_what_both_found_comes_first_and_once(app: Container, fresh: User, servers: Servers) -> None:
    found = both(app, servers).search(fresh.id, PublicQuery("records"), max_results=5)
    best, *others = found.hits
    assert best.url == "https://www.example.org/rule/?utm_source=t"
    assert [h.url for h in others] == ["https://b.example/", "https://a.example/"]
    assert (best.title, best.excerpt, best.published) == ("Rule", "A longer excerpt.", "2025-03-04")
    assert len(found.hits) == 3 and failures(found) == {} and cache_hits(found) == 0
    assert [(a.provider, len(a.hits)) for a in found.asked] == [("Tavily", 2), ("Exa", 2)]


def test_w1_both_are_asked_at_the_same_time(app: Container, fresh: User, servers: Servers) -> None:
    tavily, exa = servers
    tavily.script(*[hanging()] * 3)
    exa.script(*[hanging()] * 2)
    exa.gauge, tavily.pause, exa.pause = tavily.gauge, 0.4, 0.4
    started = time.monotonic()
    found = both(app, servers, seconds=1.0).search(fresh.id, PublicQuery("records"), max_results=5)
    assert time.monotonic() - started < 5.0, "three time-outs of a second, not five"
    assert tavily.gauge.most == 2
    assert isinstance(failures(found)["Tavily"], WebSearchTimeout)
    assert [h.url for h in found.hits] == [r.url for r in exa.results]


@pytest.mark.parametrize("broken", [0, 1])
def test_m8_one_that_fails_takes_nothing_from_the_other(
    app: Container, fresh: User, servers: Servers, broken: int
) -> None:
    servers[broken].script(*[failing(500)] * 3)
    found = both(app, servers).search(fresh.id, PublicQuery("records"), max_results=5)
    name = ("Tavily", "Exa")[broken]
    assert list(failures(found)) == [name] and failures(found)[name].retryable
    assert {h.url for h in found.hits} == {r.url for r in servers[1 - broken].results}
    used = web_cache.searches_this_month(app.db, fresh.id)
    assert (used[name.lower()], sum(used.values())) == (0, 1)


def test_u9_a_spent_month_of_one_is_told_and_costs_no_request(app: Container, fresh: User, servers: Servers) -> None:
    for _ in range(2):
        web_cache.claim_search(app.db, fresh.id, "tavily", 2)
    found = both(app, servers, quota=2).search(fresh.id, PublicQuery("records"), max_results=5)
    assert isinstance(failures(found)["Tavily"], WebQuotaExceeded)
    assert not servers[0].requests and len(found.hits) == 2


def test_m8_when_all_fail_the_reason_that_matters_is_raised(app: Container, fresh: User, servers: Servers) -> None:
    for _ in range(2):
        web_cache.claim_search(app.db, fresh.id, "tavily", 2)
    servers[1].script(exa_error(401, "no", "INVALID_API_KEY"))
    with pytest.raises(WebSearchAuthenticationFailed):
        both(app, servers, quota=2).search(fresh.id, PublicQuery("records"), max_results=5)
    with pytest.raises(WebQuotaExceeded):
        both(app, servers, quota=0).search(fresh.id, PublicQuery("records"), max_results=5)


def test_w1_nothing_found_is_an_empty_list(app: Container, fresh: User, servers: Servers) -> None:
    for server in servers:
        server.script(as_json({"results": []}))
    found = both(app, servers).search(fresh.id, PublicQuery("xyzzy"), max_results=5)
    assert found.hits == [] and failures(found) == {}


def test_w3_lists_of_several_queries_are_fused_the_same_way() -> None:
    a, b, c = (WebHit(f"https://{n}.example/", n) for n in "abc")
    merged = fused([[a, b], [], [b, c], [b, b]])
    assert [h.title for h in merged] == ["b", "a", "c"]
    assert merged[0].score > merged[1].score > merged[2].score > 0
    assert fused([]) == []


# Remembered


def test_w3_the_same_query_is_asked_once_a_day(app: Container, fresh: User, servers: Servers) -> None:
    search = cached(app, servers)
    first = search.search(fresh.id, PublicQuery("Records  retention"), max_results=5)
    again = search.search(fresh.id, PublicQuery("records retention"), max_results=5)
    assert again.hits == first.hits and (cache_hits(first), cache_hits(again)) == (0, 2)
    assert [len(s.requests) for s in servers] == [1, 1]
    assert web_cache.searches_this_month(app.db, fresh.id) == {"tavily": 1, "exa": 1}
    search.search(fresh.id, PublicQuery("records retention"), max_results=4)
    assert [len(s.requests) for s in servers] == [2, 2], "fewer results are another question"


def test_w3_a_failure_is_not_remembered_and_keeps_no_answer_from_it(
    app: Container, fresh: User, servers: Servers
) -> None:
    servers[0].script(tavily_error(401, "no"))
    search = cached(app, servers)
    assert list(failures(search.search(fresh.id, PublicQuery("records"), max_results=5))) == ["Tavily"]
    again = search.search(fresh.id, PublicQuery("records"), max_results=5)
    assert failures(again) == {} and cache_hits(again) == 1
    assert [len(s.requests) for s in servers] == [2, 1]


def test_u9_what_is_remembered_is_found_when_the_month_is_spent(app: Container, fresh: User, servers: Servers) -> None:
    search = cached(app, servers, quota=1)
    search.search(fresh.id, PublicQuery("records"), max_results=5)
    assert cache_hits(search.search(fresh.id, PublicQuery("records"), max_results=5)) == 2
    with pytest.raises(WebQuotaExceeded):
        search.search(fresh.id, PublicQuery("another question"), max_results=5)


def test_x1_what_one_person_asked_is_not_known_to_another(app: Container, fresh: User, servers: Servers) -> None:
    other_user = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(app.db, other_user)
    search = cached(app, servers)
    search.search(fresh.id, PublicQuery("records"), max_results=5)
    assert cache_hits(search.search(other_user.id, PublicQuery("records"), max_results=5)) == 0


def test_w3_after_a_day_it_is_asked_again(app: Container, fresh: User, servers: Servers) -> None:
    search = cached(app, servers)
    search.search(fresh.id, PublicQuery("records"), max_results=5)
    with app.db.as_owner() as c:
        c.execute(
            "UPDATE web_search_cache SET expires_at = expires_at - interval '24 hours' WHERE user_id = %s", (fresh.id,)
        )
    assert cache_hits(search.search(fresh.id, PublicQuery("records"), max_results=5)) == 0
