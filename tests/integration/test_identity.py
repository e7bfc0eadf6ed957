"""Accounts at Supabase Auth: in, out, and everything that may go wrong between (R6, X1, X3, X4)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest

from policypal.accounts import sign_ins
from policypal.application import identity
from policypal.application.container import Container
from policypal.application.wiring import build_auth
from policypal.config import Settings
from policypal.db import users as users_db
from policypal.errors import (
    AccountBlocked,
    AccountExists,
    ConfigurationError,
    EmailNotConfirmed,
    IdentityError,
    InvalidInput,
    LinkExpired,
    PolicyPalError,
    SecondFactorUnsupported,
    SessionEnded,
    SignInUnavailable,
    SignUpClosed,
    TooManyAttempts,
    WeakPassword,
    WrongCredentials,
)
from tests.support.gotrue_server import KEY, GoTrueServer, gotrue_error
from tests.support.web_servers import Reply, dripping, failing, hanging, malformed, redirect

PASSWORD = "correct horse 9"


@pytest.fixture
def server() -> Iterator[GoTrueServer]:
    with GoTrueServer() as running:
        yield running


@pytest.fixture
def team(app: Container, server: GoTrueServer) -> Container:
    """The application with accounts at the protocol server."""
    return with_accounts(app, server)


@pytest.fixture
def email() -> str:
    return f"ada-{uuid4().hex[:8]}@example.org"


def with_accounts(app: Container, server: GoTrueServer, timeout: float = 2.0) -> Container:
    settings = Settings(_env_file=None, sign_in_timeout_seconds=timeout, **server.overrides())
    return replace(app, auth=build_auth(settings))


def _signed_up(team: Container, email: str) -> str:
    secret = identity.sign_up(team, email, PASSWORD)
    assert secret is not None
    return secret


def test_r6_a_new_account_is_signed_in_at_once_where_nothing_is_to_be_confirmed(team: Container, email: str) -> None:
    user = identity.resume(team, _signed_up(team, email))
    assert (user.email, user.is_local, user.roles) == (email, False, ())
    with team.db.as_user(user.id) as c:
        assert c.execute("SELECT email FROM users").fetchall() == [{"email": email}]


def test_r6_the_users_id_is_what_the_server_said_about_the_token(
    team: Container, server: GoTrueServer, email: str
) -> None:
    user = identity.resume(team, _signed_up(team, email))
    assert user.id == server.person(email).id
    assert server.asked("/user") == 1


def test_r6_a_token_that_was_tampered_with_stands_for_nobody(team: Container, email: str) -> None:
    held = sign_ins.load(team.db, _signed_up(team, email))
    assert held and team.auth
    head, payload, signature = held.tokens.access.split(".")
    for forged in ("abc", f"{head}.{payload}.{signature[::-1]}", f"{head}.{payload}."):
        with pytest.raises(SessionEnded):
            team.auth.user(forged)


def test_x1_roles_come_from_app_metadata_alone(team: Container, server: GoTrueServer, email: str) -> None:
    _signed_up(team, email)
    person = server.person(email)
    person.user_metadata = {"role": "owner", "roles": ["owner"]}
    assert identity.resume(team, identity.sign_in(team, email, PASSWORD)).roles == ()
    for given, understood in (
        ({"roles": ["reviewer", "admin"]}, ("reviewer", "admin")),
        ({"role": "admin"}, ("admin",)),
        ({"roles": {"admin": True}}, ()),
        ({"roles": [1, "reviewer"]}, ("reviewer",)),
    ):
        person.app_metadata = {"provider": "email", **given}
        assert identity.resume(team, identity.sign_in(team, email, PASSWORD)).roles == understood


def test_r6_with_confirmation_one_signs_in_after_opening_the_link(app: Container, email: str) -> None:
    with GoTrueServer(confirms=True) as server:
        team = with_accounts(app, server)
        assert identity.sign_up(team, email, PASSWORD) is None
        with pytest.raises(EmailNotConfirmed):
            identity.sign_in(team, email, PASSWORD)
        link = server.mails[-1].token_hash
        assert identity.resume(team, identity.open_link(team, link, "email")).email == email
        with pytest.raises(LinkExpired):
            identity.open_link(team, link, "email")
        assert identity.sign_up(team, email, PASSWORD) is None  # taken, which is not told


def test_r6_a_recovery_link_leads_to_a_new_password(team: Container, server: GoTrueServer, email: str) -> None:
    _signed_up(team, email)
    identity.request_password_reset(team, email)
    secret = identity.open_link(team, server.mails[-1].token_hash, "recovery")
    for refused, expected in (("abc", WeakPassword), (PASSWORD, InvalidInput), ("x" * 80, InvalidInput)):
        with pytest.raises(expected):
            identity.set_password(team, secret, refused)
    identity.set_password(team, secret, "a new password")
    with pytest.raises(WrongCredentials):
        identity.sign_in(team, email, PASSWORD)
    assert identity.resume(team, identity.sign_in(team, email, "a new password")).email == email


def test_r6_an_invitation_leads_in_where_sign_up_is_closed(team: Container, server: GoTrueServer, email: str) -> None:
    server.takes_sign_ups = False
    with pytest.raises(SignUpClosed):
        identity.sign_up(team, email, PASSWORD)
    secret = identity.open_link(team, server.invite(email).token_hash, "invite")
    identity.set_password(team, secret, PASSWORD)
    assert identity.resume(team, identity.sign_in(team, email, PASSWORD)).email == email


def test_x4_what_people_get_wrong_is_said(team: Container, server: GoTrueServer, email: str) -> None:
    _signed_up(team, email)
    for expected, attempt in (
        (AccountExists, lambda: identity.sign_up(team, email, PASSWORD)),
        (WeakPassword, lambda: identity.sign_up(team, f"b{email}", "abc")),
        (InvalidInput, lambda: identity.sign_up(team, f"b{email}", "x" * 80)),
        (InvalidInput, lambda: identity.sign_up(team, "nobody@nowhere", PASSWORD)),
        (InvalidInput, lambda: identity.sign_in(team, "nope", PASSWORD)),
        (InvalidInput, lambda: identity.sign_in(team, email, "")),
        (WrongCredentials, lambda: identity.sign_in(team, email, "wrong")),
        (WrongCredentials, lambda: identity.sign_in(team, f"nobody-{email}", "wrong")),
        (LinkExpired, lambda: identity.open_link(team, "invented", "recovery")),
    ):
        with pytest.raises(expected) as raised:
            attempt()
        assert raised.value.message.endswith(".")


def test_x4_a_blocked_account_and_one_with_a_second_factor_stay_outside(
    team: Container, server: GoTrueServer, email: str
) -> None:
    _signed_up(team, email)
    at = "2026-11-22T03:58:21.952757Z"
    factor = {"id": str(uuid4()), "status": "verified", "factor_type": "totp", "created_at": at, "updated_at": at}
    server.person(email).factors = [factor]
    with pytest.raises(SecondFactorUnsupported):
        identity.sign_in(team, email, PASSWORD)
    server.person(email).is_banned = True
    with pytest.raises(AccountBlocked):
        identity.sign_in(team, email, PASSWORD)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (failing(500), SignInUnavailable),
        (failing(503), SignInUnavailable),
        (failing(404), SignInUnavailable),
        (gotrue_error(500, "unexpected_failure", "Database error"), SignInUnavailable),
        (gotrue_error(504, "request_timeout", "Processing this request timed out"), SignInUnavailable),
        (gotrue_error(429, "over_request_rate_limit", "Request rate limit reached"), TooManyAttempts),
        (Reply(b'{"message":"API rate limit exceeded"}', 429), TooManyAttempts),
        (gotrue_error(400, "captcha_failed", "captcha protection: request disallowed"), ConfigurationError),
        (gotrue_error(422, "email_provider_disabled", "Email logins are disabled"), ConfigurationError),
        (gotrue_error(418, "something_new", "A code of tomorrow"), IdentityError),
        (malformed(), SignInUnavailable),
        (Reply(b"{}"), SignInUnavailable),
        (Reply(b"[]"), SignInUnavailable),
        (Reply(b""), SignInUnavailable),
        (Reply(b'{"code":["weak_password"]}', 422), IdentityError),
        (redirect("https://elsewhere.example/"), SignInUnavailable),
        (hanging(), SignInUnavailable),
        (dripping(every=0.05), SignInUnavailable),
    ],
    ids=lambda value: "",
)
def test_x4_trouble_at_the_service_is_said_in_time(
    app: Container, server: GoTrueServer, email: str, reply: Reply, expected: type[PolicyPalError]
) -> None:
    team = with_accounts(app, server, timeout=0.4)
    server.script(reply)
    with pytest.raises(expected) as raised:
        identity.sign_in(team, email, PASSWORD)
    assert type(raised.value) is expected
    assert "Traceback" not in raised.value.message and "http" not in raised.value.message


def test_x4_nobody_at_the_address_and_a_refused_key(app: Container, server: GoTrueServer, email: str) -> None:
    nobody = replace(
        app, auth=build_auth(Settings(_env_file=None, supabase_url="http://127.0.0.1:9", supabase_key=KEY))
    )
    with pytest.raises(SignInUnavailable):
        identity.sign_in(nobody, email, PASSWORD)
    wrong = Settings(_env_file=None, supabase_url=server.base_url, supabase_key="sb_publishable_other")
    with pytest.raises(ConfigurationError, match="SUPABASE_KEY"):
        identity.sign_in(replace(app, auth=build_auth(wrong)), email, PASSWORD)


def test_r6_a_password_reset_never_tells_whether_there_is_an_account(
    team: Container, server: GoTrueServer, email: str
) -> None:
    _signed_up(team, email)
    identity.request_password_reset(team, email)
    assert [m.to for m in server.mails] == [email]
    identity.request_password_reset(team, f"nobody-{email}")
    identity.request_password_reset(team, email)  # too soon: the server says 429, for accounts only
    server.script(gotrue_error(500, "unexpected_failure", "Error sending recovery email"))  # for accounts only, too
    identity.request_password_reset(team, email)
    identity.resend_confirmation(team, email)
    identity.resend_confirmation(team, f"nobody-{email}")
    server.script(gotrue_error(429, "over_request_rate_limit", "Request rate limit reached"))  # for everybody
    with pytest.raises(TooManyAttempts):
        identity.request_password_reset(team, email)


def test_x3_no_password_or_token_is_logged(
    team: Container, server: GoTrueServer, email: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="policypal"):
        secret = _signed_up(team, email)
        server.script(gotrue_error(418, "odd", f"about {email} with {PASSWORD}"))
        with pytest.raises(IdentityError):
            identity.sign_in(team, email, PASSWORD)
    held = sign_ins.load(team.db, secret)
    assert held
    for told in (caplog.text, repr(held)):
        assert not [s for s in (PASSWORD, secret, held.tokens.access, held.tokens.refresh) if s in told]


def test_r6_half_a_configuration_and_the_secret_key_are_refused() -> None:
    url = "https://example.supabase.co"
    service = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.x"
    anon = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.x"
    for wrong in ({"supabase_url": url}, {"supabase_key": anon}, {"supabase_url": url, "supabase_key": service},
                  {"supabase_url": url, "supabase_key": "sb_secret_x"}, {"supabase_url": "example", "supabase_key": anon}):  # fmt: skip
        with pytest.raises(ConfigurationError):
            build_auth(Settings(_env_file=None, **wrong))
    assert build_auth(Settings(_env_file=None, supabase_url=url, supabase_key=anon)) is not None
    assert build_auth(Settings(_env_file=None, supabase_url=url, supabase_key="sb_publishable_x")) is not None
    assert build_auth(Settings(_env_file=None)) is None


def test_x1_two_people_are_two_users_with_rows_of_their_own(team: Container, email: str) -> None:
    ada = identity.resume(team, _signed_up(team, email))
    bob = identity.resume(team, _signed_up(team, f"bob-{email}"))
    assert ada.id != bob.id
    with team.db.as_user(bob.id) as c:
        assert c.execute("SELECT count(*) AS n FROM sign_ins WHERE user_id = %s", (ada.id,)).fetchone() == {"n": 0}
    users_db.ensure_user(team.db, ada)
