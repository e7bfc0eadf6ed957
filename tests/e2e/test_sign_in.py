"""Two colleagues at one installation with accounts: in, an expired token, an ended session, out (U1, R6, X1)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.chat_page import PATIENCE_MS
from tests.e2e.conftest import new_window
from tests.e2e.server import Server
from tests.support.gotrue_server import KEY, GoTrueServer

pytestmark = pytest.mark.e2e

PASSWORD = "correct horse 9"
LIFETIME = 3
_SAMPLE = re.compile("Group Conduct and Information Policy")


@pytest.fixture(scope="module")
def accounts() -> Iterator[GoTrueServer]:
    with GoTrueServer(lifetime=LIFETIME) as running:
        yield running


@pytest.fixture(scope="module")
def team_server(tmp_path_factory: pytest.TempPathFactory, browser: Browser, accounts: GoTrueServer) -> Iterator[Server]:
    """The app with accounts, on an empty data folder."""
    folder = tmp_path_factory.mktemp("team") / "data"
    running = Server(folder, SUPABASE_URL=accounts.base_url, SUPABASE_KEY=KEY)
    yield running
    running.stop()


def _tab(browser: Browser, url: str) -> Page:
    """A browser of somebody's own."""
    page = new_window(browser).new_page()
    page.set_default_timeout(90_000)
    page.goto(url)
    return page


def _submit(tab: Page, button: str, email: str) -> None:
    submit = tab.get_by_role("button", name=button, exact=True)
    expect(submit).to_be_visible(timeout=PATIENCE_MS)
    expect(tab.locator("[data-stale='true']")).to_have_count(0)
    tab.get_by_role("textbox", name="E-mail address").fill(email)
    tab.get_by_role("textbox", name="Password").fill(PASSWORD)
    submit.click()


def _sign_up(tab: Page, email: str) -> None:
    tab.get_by_role("button", name="Create an account").click(timeout=PATIENCE_MS)
    expect(tab.get_by_role("button", name="Sign in", exact=True)).to_have_count(0)
    _submit(tab, "Create account", email)
    expect(_menu(tab, email)).to_be_visible(timeout=PATIENCE_MS)


def _menu(tab: Page, email: str) -> Locator:
    return tab.get_by_test_id("stSidebar").get_by_role("button", name=re.compile(email.partition("@")[0]))


def _sample(tab: Page) -> Locator:
    """A document of Ada's, wherever it is shown."""
    return tab.get_by_text(_SAMPLE).locator("visible=true")


def _session_cookies(tab: Page) -> list[dict[str, object]]:
    return [dict(c) for c in tab.context.cookies() if c["name"] == "policypal_session"]


def _wait_for_cookie(tab: Page, count: int) -> None:
    for _ in range(100):
        if len(_session_cookies(tab)) == count:
            return
        tab.wait_for_timeout(100)
    pytest.fail(f"the browser has {_session_cookies(tab)}")


def test_r6_two_colleagues_from_sign_up_to_sign_out(
    browser: Browser, team_server: Server, accounts: GoTrueServer
) -> None:
    ada = _tab(browser, team_server.url)
    expect(ada.get_by_text("the sentence every answer rests on").first).to_be_visible(timeout=PATIENCE_MS)
    _sign_up(ada, "ada@example.org")
    _wait_for_cookie(ada, 1)
    assert _session_cookies(ada)[0]["httpOnly"] and _session_cookies(ada)[0]["sameSite"] == "Strict"
    assert "policypal_session" not in ada.evaluate("document.cookie")

    # a reload, and a tab opened by a link, stay signed in
    expect(ada.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE_MS)
    ada.get_by_role("button", name="Skip for now").click()
    samples = ada.get_by_role("button", name="Add sample documents")
    samples.click()
    expect(samples).to_have_count(0, timeout=PATIENCE_MS)
    ada.goto(f"{team_server.url}/documents")
    expect(_menu(ada, "ada@example.org")).to_be_visible(timeout=PATIENCE_MS)
    expect(_sample(ada).first).to_be_visible(timeout=PATIENCE_MS)

    # X1: in another browser another person has another library
    bob = _tab(browser, f"{team_server.url}/documents")
    _sign_up(bob, "bob@example.org")
    expect(bob).to_have_url(re.compile("/documents$"))
    expect(bob.get_by_role("heading", name="Documents", level=1).first).to_be_visible(timeout=PATIENCE_MS)
    expect(_sample(bob)).to_have_count(0)

    # an expired token is renewed without a word
    renewals = accounts.asked("/token?grant_type=refresh_token")
    ada.wait_for_timeout(LIFETIME * 1000)
    ada.reload()
    expect(_sample(ada).first).to_be_visible(timeout=PATIENCE_MS)
    assert accounts.asked("/token?grant_type=refresh_token") > renewals

    # a session that ended at the server leads to the sign-in page, and back to where one was
    accounts.end_sessions("ada@example.org")
    ada.wait_for_timeout(LIFETIME * 1000)
    ada.reload()
    expect(ada.get_by_text("Your session has ended, please sign in again.").first).to_be_visible(timeout=PATIENCE_MS)
    expect(_sample(ada)).to_have_count(0)
    _wait_for_cookie(ada, 0)
    _submit(ada, "Sign in", "ada@example.org")
    expect(_sample(ada).first).to_be_visible(timeout=PATIENCE_MS)
    expect(ada).to_have_url(re.compile("/documents$"))

    # signing out ends it here and in the browser's other tabs; the next person finds nothing
    _wait_for_cookie(ada, 1)
    second = ada.context.new_page()
    second.goto(f"{team_server.url}/documents")
    expect(_menu(second, "ada@example.org")).to_be_visible(timeout=PATIENCE_MS)
    _menu(ada, "ada@example.org").click()
    ada.get_by_role("button", name="Sign out").click()
    expect(ada.get_by_text("You are signed out.").first).to_be_visible(timeout=PATIENCE_MS)
    _wait_for_cookie(ada, 0)
    second.reload()
    expect(second.get_by_role("button", name="Sign in", exact=True).first).to_be_visible(timeout=PATIENCE_MS)
    _submit(ada, "Sign in", "bob@example.org")
    expect(_menu(ada, "bob@example.org")).to_be_visible(timeout=PATIENCE_MS)
    expect(_sample(ada)).to_have_count(0)
    assert "Traceback" not in team_server.log()
    for tab in (ada, bob):
        tab.context.close()


def test_x3_no_other_site_can_set_the_cookie(browser: Browser, team_server: Server) -> None:
    tab = _tab(browser, team_server.url)
    secret = "00000000-0000-4000-8000-000000000001." + "A" * 43
    ask = f"fetch('/policypal/session', {{method: 'POST', headers: {{'X-PolicyPal-Session': '{secret}'}}}}).then(r => r.status)"
    assert tab.evaluate(ask.replace(secret, "made up")) == 403
    foreign = tab.context.request.post(
        f"{team_server.url}/policypal/session",
        headers={"X-PolicyPal-Session": secret, "Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"},
    )
    assert foreign.status == 403
    assert not _session_cookies(tab)
    assert tab.evaluate(ask) == 204
    tab.reload()  # well-formed and unknown: nobody
    expect(tab.get_by_text("Your session has ended").first).to_be_visible(timeout=PATIENCE_MS)
    tab.context.close()
