"""What becomes of a sign-in: renewed by one of many, kept through trouble, ended for good (R6, X1)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest

from policypal.accounts import sign_ins
from policypal.accounts.sign_ins import Account
from policypal.application import identity
from policypal.application.container import Container
from policypal.db.pool import Database
from policypal.domain.users import User
from policypal.errors import SessionEnded, SignInUnavailable
from tests.integration.test_identity import PASSWORD, with_accounts
from tests.support.gotrue_server import GoTrueServer, gotrue_error
from tests.support.web_servers import failing, hanging

LIFETIME = 3600
REFRESH = "/token?grant_type=refresh_token"


@pytest.fixture
def server() -> Iterator[GoTrueServer]:
    with GoTrueServer(lifetime=LIFETIME) as running:
        yield running


@pytest.fixture
def team(app: Container, server: GoTrueServer) -> Container:
    return with_accounts(app, server)


@pytest.fixture
def email() -> str:
    return f"ada-{uuid4().hex[:8]}@example.org"


@pytest.fixture
def secret(team: Container, email: str) -> str:
    made = identity.sign_up(team, email, PASSWORD)
    assert made is not None
    return made


@pytest.fixture
def later(team: Container, server: GoTrueServer, secret: str) -> Callable[[float], None]:
    """Let so many seconds pass, here and at the server."""

    def passed(seconds: float) -> None:
        held = _held(team, secret)
        tokens = held.tokens
        tokens = replace(tokens, refresh_at=tokens.refresh_at - seconds, expires_at=tokens.expires_at - seconds)
        sign_ins.replace(team.db, secret, Account(held.user, tokens, held.checked_at - seconds))
        server.pass_time(seconds)

    return passed


def _held(team: Container, secret: str) -> Account:
    held = sign_ins.load(team.db, secret)
    assert held is not None
    return held


def _all_at_once(calls: list[Callable[[], User]]) -> list[User]:
    ready = threading.Barrier(len(calls))

    def run(call: Callable[[], User]) -> User:
        ready.wait(5)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_r6_nothing_is_asked_while_the_token_is_young(team: Container, server: GoTrueServer, secret: str) -> None:
    server.requests.clear()
    for _ in range(5):
        identity.resume(team, secret)
    assert server.requests == []


def test_r6_tokens_are_renewed_a_minute_before_they_expire(
    team: Container, server: GoTrueServer, secret: str, later: Callable[[float], None]
) -> None:
    before = _held(team, secret).tokens
    later(LIFETIME - 59)
    identity.resume(team, secret)
    after = _held(team, secret).tokens
    assert after.access != before.access and after.refresh != before.refresh
    assert server.asked(REFRESH) == 1
    assert after.expires_at - time.time() == pytest.approx(LIFETIME, abs=5)


@pytest.mark.parametrize("age", [LIFETIME - 30, LIFETIME + 30], ids=["nearly expired", "expired"])
def test_r6_of_many_scripts_and_replicas_one_renews(
    team: Container, server: GoTrueServer, secret: str, later: Callable[[float], None], age: float
) -> None:
    """Refresh tokens rotate: a second use could end the session for everybody."""
    server.reuse_interval = 0
    later(age)
    pool = Database(team.db.conninfo)
    pool.open()
    replica = replace(team, db=pool)
    calls = [lambda at=at: identity.resume(at, secret) for at in (team, replica) * 6]
    users = _all_at_once(calls)
    pool.close()
    assert len({u.id for u in users}) == 1
    assert server.asked(REFRESH) == 1
    assert identity.resume(team, secret).id == users[0].id


def test_r6_an_answer_that_was_lost_on_the_way_ends_nothing(
    team: Container, secret: str, later: Callable[[float], None]
) -> None:
    """The process was killed after the server renewed the token and before that was stored."""
    later(LIFETIME + 30)
    assert team.auth is not None
    team.auth.refresh(_held(team, secret).tokens.refresh)
    later(60)
    assert identity.resume(team, secret).email


def test_r6_the_claim_of_a_process_that_died_runs_out(
    team: Container, secret: str, later: Callable[[float], None]
) -> None:
    later(LIFETIME + 30)
    assert sign_ins.claim(team.db, secret, 0.4) is not None
    begun = time.monotonic()
    assert identity.resume(team, secret).email
    assert 0.3 < time.monotonic() - begun < 3


def test_r6_trouble_at_the_service_ends_nobodys_session(
    team: Container, server: GoTrueServer, secret: str, later: Callable[[float], None]
) -> None:
    later(LIFETIME - 30)
    server.script(hanging())
    assert identity.resume(team, secret).email  # the token is still good
    asked = len(server.requests)
    assert identity.resume(team, secret).email  # and not every click waits
    assert asked and len(server.requests) == asked
    later(60)
    server.script(failing(503), gotrue_error(429, "over_request_rate_limit", "Request rate limit reached"))
    with pytest.raises(SignInUnavailable):
        identity.resume(team, secret)
    later(0)
    with pytest.raises(Exception, match="attempts"):
        identity.resume(team, secret)
    assert identity.resume(team, secret).email  # back again


@pytest.mark.parametrize(
    "end",
    [
        lambda server, email: server.end_sessions(email),
        lambda server, email: setattr(server.person(email), "is_banned", True),
        lambda server, email: server.script(gotrue_error(400, "session_expired", "Invalid Refresh Token: Session Expired")),
        lambda server, email: server.script(gotrue_error(400, "refresh_token_already_used", "Already Used")),
    ],
    ids=["revoked", "blocked", "timed out", "used elsewhere"],
)  # fmt: skip
def test_r6_a_session_that_ended_at_the_server_ends_here(
    team: Container,
    server: GoTrueServer,
    email: str,
    secret: str,
    later: Callable[[float], None],
    end: Callable[[GoTrueServer, str], None],
) -> None:
    later(LIFETIME + 30)
    end(server, email)
    with pytest.raises(SessionEnded):
        identity.resume(team, secret)
    assert sign_ins.load(team.db, secret) is None


def test_r6_a_blocked_user_and_a_new_role_are_noticed_within_minutes(
    team: Container, server: GoTrueServer, email: str, secret: str, later: Callable[[float], None]
) -> None:
    server.person(email).app_metadata = {"roles": ["reviewer"]}
    assert identity.resume(team, secret).roles == ()
    later(identity.RECHECK_SECONDS + 1)
    assert identity.resume(team, secret).roles == ("reviewer",)
    server.person(email).is_banned = True
    later(identity.RECHECK_SECONDS + 1)
    with pytest.raises(SessionEnded, match="blocked"):
        identity.resume(team, secret)


def test_x1_a_renewed_token_of_somebody_else_is_nobodys(
    team: Container, server: GoTrueServer, email: str, secret: str, later: Callable[[float], None]
) -> None:
    other = identity.sign_up(team, f"bob-{email}", PASSWORD)
    assert other is not None
    tokens = replace(_held(team, other).tokens, refresh_at=0.0, expires_at=0.0)
    sign_ins.replace(team.db, secret, replace(_held(team, secret), tokens=tokens))
    with pytest.raises(SessionEnded):
        identity.resume(team, secret)


def test_r6_signing_out_revokes_this_session_and_no_other(
    team: Container, server: GoTrueServer, email: str, secret: str
) -> None:
    elsewhere = identity.sign_in(team, email, PASSWORD)
    refresh = _held(team, secret).tokens.refresh
    identity.sign_out(team, secret)
    assert server.asked("/logout?scope=local") == 1
    with pytest.raises(SessionEnded):
        identity.resume(team, secret)
    assert team.auth is not None
    with pytest.raises(SessionEnded):
        team.auth.refresh(refresh)
    assert identity.resume(team, elsewhere).email == email
    identity.sign_out(team, secret)  # twice is no failure


def test_r6_signing_out_with_an_expired_token_revokes_as_well(
    team: Container, server: GoTrueServer, secret: str, later: Callable[[float], None]
) -> None:
    later(LIFETIME + 30)
    refresh = _held(team, secret).tokens.refresh
    identity.sign_out(team, secret)
    assert team.auth is not None
    with pytest.raises(SessionEnded):
        team.auth.refresh(refresh)


def test_r6_signing_out_works_here_although_the_service_is_silent(
    team: Container, server: GoTrueServer, secret: str
) -> None:
    server.script(hanging())
    with pytest.raises(SignInUnavailable):
        identity.sign_out(team, secret)
    with pytest.raises(SessionEnded):
        identity.resume(team, secret)


def test_x3_the_table_signs_nobody_in(team: Container, secret: str) -> None:
    """Neither the secret nor a token can be read from what is stored."""
    held = _held(team, secret)
    with team.db.as_owner() as c:
        rows = c.execute("SELECT id, sealed FROM sign_ins WHERE user_id = %s", (held.user.id,)).fetchall()
    stored = b"".join(bytes(row["id"]) + bytes(row["sealed"]) for row in rows)
    for told in (secret, secret.partition(".")[2], held.tokens.access, held.tokens.refresh):
        assert told.encode() not in stored
    assert len(rows) == 1


def test_x1_a_secret_that_is_not_ones_own_finds_nothing(team: Container, email: str, secret: str) -> None:
    other = identity.resume(team, identity.sign_up(team, f"bob-{email}", PASSWORD) or "")
    random = secret.partition(".")[2]
    flipped = random[:-2] + ("AA" if random[-2:] != "AA" else "BB")
    for wrong in ("", "x", random, f"{other.id}.{random}", f"{uuid4()}.{random}", secret[:-1], secret + "A",
                  secret.upper(), f"{secret.partition('.')[0]}.{flipped}", f"{secret}\n", "\x00"):  # fmt: skip
        with pytest.raises(SessionEnded):
            identity.resume(team, wrong)
        identity.sign_out(team, wrong)
    assert identity.resume(team, secret).email == email
