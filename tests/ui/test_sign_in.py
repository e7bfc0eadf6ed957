"""The sign-in page, on every page's address, and what is left of one person when another comes (U1, R6, X1)."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application.container import Container
from policypal.application.wiring import build_auth
from policypal.config import Settings
from policypal.domain.users import User
from policypal.ui import state
from tests.architecture.source_files import ROOT, interface_scripts
from tests.support.gotrue_server import GoTrueServer, gotrue_error
from tests.support.web_servers import failing
from tests.ui.conftest import assert_healthy, labels, texts

PASSWORD = "correct horse 9"
PITCH = "the sentence every answer rests on"


@pytest.fixture
def accounts(ui_app: Container, monkeypatch: pytest.MonkeyPatch) -> Iterator[GoTrueServer]:
    with GoTrueServer() as server:
        settings = Settings(_env_file=None, sign_in_timeout_seconds=2, **server.overrides())
        monkeypatch.setattr(ui_app, "auth", build_auth(settings))
        yield server


@pytest.fixture
def email() -> str:
    return f"ada-{uuid4().hex[:8]}@example.org"


def _opened(script: str = "app.py", **query: str) -> AppTest:
    tab = AppTest.from_file(str(ROOT / script), default_timeout=30)
    return _reopened(tab, **query)


def _opened_page(name: str, **query: str) -> AppTest:
    """A page in the frame of ``app.py``."""
    tab = _opened()
    tab.switch_page(f"pages/{name}.py")
    return _reopened(tab, **query)


def _reopened(tab: AppTest, **query: str) -> AppTest:
    tab.query_params.update(query)
    tab.session_state[state.PLAIN_COMPOSER] = True
    tab.run()
    assert_healthy(tab)
    return tab


def _click(tab: AppTest, label: str) -> AppTest:
    next(b for b in tab.button if b.label == label).click().run()
    assert_healthy(tab)
    return tab


def _fill(tab: AppTest, submit: str, email: str, password: str | None = None) -> AppTest:
    tab.text_input[0].set_value(email)
    if password is not None:
        tab.text_input[1].set_value(password)
    return _click(tab, submit)


def _signed_up(email: str, tab: AppTest | None = None) -> AppTest:
    tab = _click(tab or _opened(), "Create an account")
    return _fill(tab, "Create account", email, PASSWORD)


@pytest.mark.parametrize("script", [str(p.relative_to(ROOT)) for p in interface_scripts()])
def test_u1_whatever_the_address_a_signed_out_visitor_sees_the_sign_in_page(
    accounts: GoTrueServer, script: str
) -> None:
    tab = _opened(script)
    assert PITCH in texts(tab)
    assert {"Sign in", "Create an account", "Forgot your password?"} == set(labels(tab))
    assert not tab.chat_input and not tab.dataframe


def test_r6_without_accounts_there_is_the_local_analyst_and_no_way_out(ui_app: Container, analyst: User) -> None:
    tab = _opened()
    assert PITCH not in texts(tab) or tab.chat_input
    assert "Sign out" not in labels(tab)
    assert state.SIGN_IN not in tab.session_state


def test_r6_in_and_out_again(accounts: GoTrueServer, email: str) -> None:
    tab = _signed_up(email)
    assert "First, a word about your company" in texts(tab)
    assert email in texts(tab).replace("\\", "").replace("\u2060", "")
    _click(tab, "Sign out")
    assert "You are signed out" in texts(tab).replace("\\", "")
    assert accounts.asked("/logout?scope=local") == 1
    assert state.SIGN_IN not in tab.session_state
    tab = _fill(tab, "Sign in", email, PASSWORD)
    assert "Sign out" in labels(tab)


def test_u1_signing_in_leads_to_where_one_wanted_to_be(accounts: GoTrueServer, email: str) -> None:
    _signed_up(email)
    tab = _opened_page("documents", view="sets")
    assert {**tab.query_params} == {"view": "sets"}
    _fill(tab, "Sign in", email, PASSWORD)
    assert {**tab.query_params} == {"view": "sets"}
    assert "Sets" in texts(tab)


def test_r6_an_ended_session_is_said_and_the_address_stays(
    accounts: GoTrueServer, ui_app: Container, email: str
) -> None:
    tab = _signed_up(email)
    tab.query_params["plain"] = "1"
    with ui_app.db.as_user(accounts.person(email).id) as c:
        c.execute("DELETE FROM sign_ins")
    tab.run()
    assert "Your session has ended, please sign in again" in texts(tab).replace("\\", "")
    assert tab.query_params["plain"] == "1"
    assert "Sign out" in labels(_fill(tab, "Sign in", email, PASSWORD))


def test_x1_nothing_of_the_first_person_is_left_for_the_second(accounts: GoTrueServer, email: str) -> None:
    tab = _signed_up(email)
    tab.session_state[state.UNSENT] = {"thread": "t", "content": "a secret of Ada's"}
    tab.session_state["somewhere"] = "Ada was here"
    tab.query_params[state.PARAM_THREAD] = "t"
    first = tab.session_state[state.SIGN_IN]
    _click(tab, "Sign out")
    assert not tab.query_params
    tab = _signed_up(f"bob-{email}", tab)
    assert state.UNSENT not in tab.session_state and "somewhere" not in tab.session_state
    assert tab.session_state[state.SIGN_IN] != first
    assert "Ada" not in texts(tab)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (None, "e-mail address or the password is wrong"),
        (failing(500), "does not answer as it should"),
        (gotrue_error(429, "over_request_rate_limit", "Request rate limit reached"), "too many attempts"),
        (gotrue_error(400, "user_banned", "User is banned"), "has been blocked"),
    ],
    ids=["wrong", "down", "limited", "blocked"],
)
def test_x4_what_went_wrong_is_said_and_one_can_try_again(
    accounts: GoTrueServer, email: str, reply: object, told: str
) -> None:
    _signed_up(email)
    tab = _opened()
    if reply is not None:
        accounts.script(reply)  # type: ignore[arg-type]
    _fill(tab, "Sign in", email, "wrong")
    assert told in texts(tab).replace("\\", "")
    assert "Sign out" in labels(_fill(tab, "Sign in", email, PASSWORD))


def test_r6_an_address_to_be_confirmed_is_asked_for_and_can_be_asked_for_again(
    accounts: GoTrueServer, email: str
) -> None:
    accounts.confirms = True
    tab = _signed_up(email)
    assert "Confirm your e-mail address" in texts(tab)
    accounts.pass_time(61)
    _click(tab, "Send it again")
    assert [m.to for m in accounts.mails] == [email, email]
    tab = _fill(_click(tab, "Back to sign-in"), "Sign in", email, PASSWORD)
    assert "Confirm your e-mail address" in texts(tab)
    link = {state.PARAM_TOKEN: accounts.mails[-1].token_hash, state.PARAM_TOKEN_TYPE: "email"}
    tab = _click(_opened(**link), "Continue")
    assert "Sign out" in labels(tab) and not tab.query_params


def test_r6_a_forgotten_password_from_the_request_to_the_new_one(accounts: GoTrueServer, email: str) -> None:
    _signed_up(email)
    answers = []
    for address in (email, f"nobody-{email}"):
        tab = _fill(_click(_opened(), "Forgot your password?"), "Send the link", address)
        answers.append(texts(tab).replace("\\", "").replace("\u2060", "").replace(address, "…"))
    assert answers[0] == answers[1] and "If there is an account for …" in answers[0]
    link = {state.PARAM_TOKEN: accounts.mails[-1].token_hash, state.PARAM_TOKEN_TYPE: "recovery"}
    tab = _click(_opened(**link), "Continue")
    tab.text_input[0].set_value("abc")
    assert "too short" in texts(_click(tab, "Save password"))
    tab.text_input[0].set_value("a new password")
    assert "First, a word about your company" in texts(_click(tab, "Save password"))
    tab = _click(_opened(**link), "Continue")
    assert "has expired or was used before" in texts(tab)
    assert "Sign out" in labels(_fill(_opened(), "Sign in", email, "a new password"))
