"""Tavily and Exa on their own clients, retries, fallback and the monthly quota (R7, M8, U9)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import uuid4

import pytest
from pydantic import SecretStr

from policypal.application.container import Container
from policypal.application.wiring import build_web_providers
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.db import web_cache
from policypal.domain.users import User
from policypal.errors import (
    WebQuotaExceeded,
    WebSearchAuthenticationFailed,
    WebSearchError,
    WebSearchOutputInvalid,
    WebSearchRateLimited,
    WebSearchTimeout,
)
from policypal.gate.numbering import with_numbers
from policypal.web.counted import CountedSearch
from policypal.web.exa import ExaSearch
from policypal.web.harvest import Harvested
from policypal.web.meta_search import MetaSearch
from policypal.web.page_text import WebPage, content_hash
from policypal.web.passages import web_passages
from policypal.web.retries import RetryPolicy
from policypal.web.search import PublicQuery, WebHit, WebSearch, web_hit
from policypal.web.tavily import TavilySearch
from tests.support.web_servers import (
    EXA_KEY,
    TAVILY_KEY,
    ExaServer,
    LocalServer,
    Reply,
    TavilyServer,
    as_json,
    exa_error,
    failing,
    hanging,
    malformed,
    redirect,
    result,
    tavily_error,
)

RESULTS = [
    result("https://example.org/rule", "Records", "A bank must keep records for ten years.", "2025-03-04", 0.91),
    result("https://example.com/news", "News", "The Authority extended the period.", None, 0.4),
    result("javascript:alert(1)", "Trap", "Click me"),
]


@dataclass
class Provider:
    """A provider with the server behind it."""

    search: WebSearch
    server: TavilyServer | ExaServer


@pytest.fixture(scope="module")
def _servers() -> Iterator[tuple[TavilyServer, ExaServer]]:
    with TavilyServer() as tavily, ExaServer() as exa:
        yield tavily, exa


@pytest.fixture
def tavily(_servers: tuple[TavilyServer, ExaServer]) -> Provider:
    server = _servers[0]
    server.reset()
    server.results = list(RESULTS)
    return Provider(TavilySearch(SecretStr(TAVILY_KEY), server.base_url + "/", 0.5), server)


@pytest.fixture
def exa(_servers: tuple[TavilyServer, ExaServer]) -> Provider:
    server = _servers[1]
    server.reset()
    server.results = list(RESULTS)
    return Provider(ExaSearch(SecretStr(EXA_KEY), server.base_url + "/", 0.5), server)


@pytest.fixture(params=["tavily", "exa"])
def provider(request: pytest.FixtureRequest) -> Provider:
    found: Provider = request.getfixturevalue(request.param)
    return found


def test_g3_both_speak_their_protocol(provider: Provider) -> None:
    hits = provider.search.search(PublicQuery("record retention"), max_results=5)
    assert [h.url for h in hits] == ["https://example.org/rule", "https://example.com/news"]
    assert hits[0] == WebHit(
        "https://example.org/rule", "Records", "A bank must keep records for ten years.", "2025-03-04", 0.91
    )
    (request,) = provider.server.requests
    assert request.body["query"] == "record retention"
    if isinstance(provider.server, TavilyServer):
        assert request.body["search_depth"] == "basic", "one credit"
    else:
        assert request.body["contents"] == {"highlights": True}


_STATUS = [
    (401, WebSearchAuthenticationFailed),
    (429, WebSearchRateLimited),
    (500, WebSearchError),
    (503, WebSearchError),
    (404, WebSearchError),
]


@pytest.mark.parametrize(("status", "kind"), _STATUS)
def test_m8_failures_are_typed_and_never_repeat_the_provider(
    provider: Provider, status: int, kind: type[WebSearchError]
) -> None:
    make = tavily_error if isinstance(provider.server, TavilyServer) else lambda s, m: exa_error(s, m, "TAG")
    provider.server.script(make(status, "Something about the key"))
    with pytest.raises(kind) as caught:
        provider.search.search(PublicQuery("x"), max_results=3)
    assert type(caught.value) is kind
    assert caught.value.retryable is (status in (429, 500, 503))
    assert TAVILY_KEY not in caught.value.message and EXA_KEY not in caught.value.message


def test_r7_a_plans_limit_and_spent_credits_are_a_spent_quota(tavily: Provider, exa: Provider) -> None:
    limits = [tavily_error(status, "This request exceeds your plan's set usage limit") for status in (432, 433)]
    spent = exa_error(402, "Out of credits", "NO_MORE_CREDITS")
    for provider, reply in ((tavily, limits[0]), (tavily, limits[1]), (exa, spent)):
        provider.server.script(reply)
        with pytest.raises(WebQuotaExceeded):
            provider.search.search(PublicQuery("x"), max_results=3)


@pytest.mark.parametrize(
    "reply",
    [
        malformed(), Reply(b""), Reply(b"<html>status code 401</html>", content_type="text/html"), as_json([]), as_json({"results": None}),
        as_json({"results": "many"}), as_json("no"), as_json(None),
    ],
)  # fmt: skip
def test_m8_an_answer_that_cannot_be_understood(provider: Provider, reply: Reply) -> None:
    provider.server.script(reply)
    with pytest.raises(WebSearchOutputInvalid):
        provider.search.search(PublicQuery("x"), max_results=3)


@pytest.mark.parametrize("results", [[], [{}], [{"url": None, "title": 7}], [{"url": "ftp://x/", "id": "x"}]])
def test_g3_results_without_a_usable_address_are_left_out(tavily: Provider, results: list[object]) -> None:
    tavily.server.script(as_json({"results": results}))
    assert tavily.search.search(PublicQuery("x"), max_results=3) == []


def test_m8_a_provider_that_hangs(provider: Provider) -> None:
    provider.server.script(hanging())
    with pytest.raises(WebSearchTimeout):
        provider.search.search(PublicQuery("x"), max_results=3)


def test_m8_a_provider_that_is_not_there() -> None:
    for search in (TavilySearch(SecretStr("k"), "http://127.0.0.1:9"), ExaSearch(SecretStr("k"), "http://127.0.0.1:9")):
        with pytest.raises(WebSearchError) as caught:
            search.search(PublicQuery("x"), max_results=3)
        assert caught.value.retryable


def test_x3_tavilys_key_does_not_follow_a_redirect(tavily: Provider) -> None:
    with LocalServer() as elsewhere:
        tavily.server.script(redirect(elsewhere.base_url + "/search", 307))
        with pytest.raises(WebSearchError):
            tavily.search.search(PublicQuery("x"), max_results=3)
        assert not elsewhere.requests


# Fallback, retries, quota


WAITED: list[float] = []
PATIENT = RetryPolicy(later=2, sleep=WAITED.append)


@pytest.fixture
def someone(app: Container) -> Iterator[User]:
    """A new user, and a month in which nobody has searched: the quota is the installation's."""
    user = User(id=str(uuid4()), email="web@example.org")
    users_db.ensure_user(app.db, user)
    yield user
    with app.db.as_owner() as c:
        c.execute("DELETE FROM web_usage")


def both(app: Container, *providers: Provider, quota: int = 1000, seconds: float = 2.0) -> MetaSearch:
    return MetaSearch([p.search for p in providers], CountedSearch(app.db, quota, seconds, PATIENT))


def test_m8_two_retries_then_the_other_provider(app: Container, someone: User, tavily: Provider, exa: Provider) -> None:
    WAITED.clear()
    tavily.server.script(failing(500), tavily_error(429, "slow down"), failing(503))
    found = both(app, tavily, exa).search_in_turn(someone.id, PublicQuery("x"), max_results=3)
    assert (found.asked[-1].provider, len(tavily.server.requests), len(exa.server.requests)) == ("Exa", 3, 1)
    assert [a.failure.code for a in found.asked if a.failure] == ["web_search"]
    assert len(WAITED) == 2
    assert web_cache.searches_this_month(app.db, someone.id) == {"tavily": 0, "exa": 1}


def test_m8_a_retry_that_succeeds_counts_once(app: Container, someone: User, tavily: Provider) -> None:
    tavily.server.script(failing(500))
    found = both(app, tavily).search_in_turn(someone.id, PublicQuery("x"), max_results=3)
    assert found.asked[-1].provider == "Tavily" and len(tavily.server.requests) == 2
    assert web_cache.searches_this_month(app.db, someone.id) == {"tavily": 1}


def test_r7_a_refused_key_is_not_tried_again(app: Container, someone: User, tavily: Provider, exa: Provider) -> None:
    tavily.server.script(tavily_error(401, "no"))
    assert (
        both(app, tavily, exa).search_in_turn(someone.id, PublicQuery("x"), max_results=3).asked[-1].provider == "Exa"
    )
    assert len(tavily.server.requests) == 1


def test_r7_the_other_provider_takes_over_when_the_quota_is_spent(
    app: Container, someone: User, tavily: Provider, exa: Provider
) -> None:
    searches = both(app, tavily, exa, quota=2)
    assert [
        searches.search_in_turn(someone.id, PublicQuery("x"), max_results=3).asked[-1].provider for _ in range(4)
    ] == ["Tavily"] * 2 + ["Exa"] * 2
    with pytest.raises(WebQuotaExceeded) as caught:
        searches.search_in_turn(someone.id, PublicQuery("x"), max_results=3)
    assert caught.value.message == "⚠️ Web Search Limit Reached (2/month)."
    assert not caught.value.retryable
    assert (len(tavily.server.requests), len(exa.server.requests)) == (2, 2), "a spent quota costs no request"


def test_u9_the_quota_is_shared_and_the_rows_are_not(app: Container, someone: User, tavily: Provider) -> None:
    other = User(id=str(uuid4()), email="other@example.org")
    users_db.ensure_user(app.db, other)
    searches = both(app, tavily, quota=2)
    searches.search_in_turn(someone.id, PublicQuery("x"), max_results=3)
    searches.search_in_turn(other.id, PublicQuery("x"), max_results=3)
    with pytest.raises(WebQuotaExceeded):
        searches.search_in_turn(someone.id, PublicQuery("x"), max_results=3)
    assert web_cache.searches_this_month(app.db, other.id) == {"tavily": 2}
    with app.db.as_user(other.id) as c:
        assert [r["user_id"] for r in c.execute("SELECT user_id::text FROM web_usage").fetchall()] == [other.id]


def test_u9_two_runs_cannot_share_the_last_search(app: Container, someone: User, tavily: Provider) -> None:
    with ThreadPoolExecutor(4) as pool:
        claims = list(pool.map(lambda _: web_cache.claim_search(app.db, someone.id, "tavily", 3), range(8)))
    assert sum(claims) == 3


def test_u9_last_months_searches_do_not_count(app: Container, someone: User) -> None:
    with app.db.as_user(someone.id) as c:
        c.execute(
            "INSERT INTO web_usage VALUES (%s, 'tavily', date_trunc('month', now() - interval '40 days')::date, 999)",
            (someone.id,),
        )
    assert web_cache.claim_search(app.db, someone.id, "tavily", 1)
    assert web_cache.searches_this_month(app.db, someone.id) == {"tavily": 1}


def test_m8_a_dripping_answer_ends_in_time(app: Container, someone: User, tavily: Provider) -> None:
    slow = Reply(b'{"results": [' + b" " * 5000 + b"]}", drip=0.05)
    tavily.server.script(slow, slow, slow)
    with pytest.raises(WebSearchTimeout):
        both(app, tavily, seconds=0.3).search_in_turn(someone.id, PublicQuery("x"), max_results=3)
    used = web_cache.searches_this_month(app.db, someone.id)
    assert used == {"tavily": 1}, "the provider may well have counted it, too"


class _Surprising:
    """A client that fails with something nobody has foreseen."""

    name, label = "surprising", "Surprising"

    def search(self, query: PublicQuery, *, max_results: int) -> list[WebHit]:
        raise RecursionError(f"{query} {TAVILY_KEY}")


def test_m8_a_client_that_fails_in_an_unknown_way_is_a_failed_search(
    app: Container, someone: User, exa: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    searches = MetaSearch([_Surprising(), exa.search], CountedSearch(app.db, 10, 2.0, PATIENT))
    assert searches.search_in_turn(someone.id, PublicQuery("secret"), max_results=3).asked[-1].provider == "Exa"
    assert TAVILY_KEY not in caplog.text and "secret" not in caplog.text


def test_x3_neither_keys_nor_queries_are_logged(
    app: Container, someone: User, tavily: Provider, exa: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    tavily.server.script(*[failing(500)] * 3)
    exa.server.script(exa_error(401, "no", "INVALID_API_KEY"))
    with pytest.raises(WebSearchError):
        both(app, tavily, exa).search_in_turn(someone.id, PublicQuery("our secret merger"), max_results=3)
    told = "\n".join(r.getMessage() for r in caplog.records)
    assert "web search with Tavily failed" in told
    assert not [s for s in (TAVILY_KEY, EXA_KEY, "merger") if s in told]


def test_r7_tavily_is_asked_first(tmp_path: object) -> None:
    def names(**keys: str) -> list[str]:
        return [p.name for p in build_web_providers(Settings(_env_file=None, **keys))]

    assert names() == []
    assert names(exa_api_key="k") == ["exa"]
    assert names(exa_api_key="k", tavily_api_key="k") == ["tavily", "exa"]


# Passages


def _page(url: str, text: str) -> Harvested:
    return Harvested(url, WebPage(url, "Page", "2025-01-01", text, content_hash(text)), None, 0.1)


def test_g3_passages_are_chosen_by_the_query() -> None:
    hit = WebHit("https://example.org/a", "A", "excerpt of a that is long enough to be used here")
    filler = "Opening hours are from nine to five on every working day of the week except on holidays. " * 12
    text = f"{filler}\n\nA bank must keep customer records for ten years.\n\n{filler}"
    (best, *_) = web_passages("customer records", [hit], [_page(hit.url, text)], limit=8)
    assert "customer records for ten years" in best.text
    assert text[best.start : best.start + len(best.text)] == best.text
    assert not best.is_excerpt and best.label == "A (example.org, 2025-01-01)"


@pytest.mark.parametrize("listed", ["Guidance 4 on incidents", "Guidance 4 on incidents | Authority", "example.org"])
def test_c2_a_pages_own_title_is_no_sentence_that_can_be_cited(listed: str) -> None:
    told = "A bank must report a serious incident within 4 hours."
    text = f"Guidance 4 on incidents\n\n{told}"
    page = WebPage("https://example.org/a", "Guidance 4 on incidents", "2025-01-01", text, content_hash(text))
    hit = WebHit(page.url, listed)
    (passage,) = web_passages("serious incident", [hit], [Harvested(page.url, page, None, 0.1)], limit=8)
    assert passage.text == told == text[passage.start :]
    assert with_numbers(1, passage.text) == f"[1.1] {told}"


def test_c2_a_page_that_begins_with_what_it_says_is_read_from_its_beginning() -> None:
    for text in (
        "A bank must keep records.\n\nIt keeps them for ten years in all.",
        "Page of records that banks must keep for years",
        "Page\n\nMost records that banks must keep.",
    ):
        (passage,) = web_passages(
            "records", [WebHit("https://a.example/", "A")], [_page("https://a.example/", text)], limit=8
        )
        assert (passage.start, passage.text) == (0, text)


def test_w4_an_unread_page_speaks_through_the_excerpt_and_copies_speak_once() -> None:
    words = "A bank must keep customer records for ten years after the end."
    hits = [web_hit(f"https://{n}.example/", n, words) for n in ("one", "two")]
    passages = web_passages("customer records", [h for h in hits if h], [], limit=8)
    assert [(p.url, p.is_excerpt, p.text) for p in passages] == [("https://one.example/", True, words)]


def test_g3_no_page_crowds_out_the_others() -> None:
    long = "\n\n".join(f"Customer records of kind {n} are kept for {n} years. " * 15 for n in range(2, 9))
    hits = [WebHit("https://a.example/", "A"), WebHit("https://b.example/", "B")]
    pages = [_page(hits[0].url, long), _page(hits[1].url, "Customer records are destroyed after that period ends.")]
    urls = [p.url for p in web_passages("customer records years", hits, pages, limit=8)]
    assert urls.count("https://a.example/") == 2 and "https://b.example/" in urls
