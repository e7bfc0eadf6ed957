"""Who is at work: accounts at Supabase Auth, or the one local analyst (R6, X1)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from policypal.accounts import sign_ins
from policypal.accounts.sign_ins import Account
from policypal.accounts.sign_ins import is_secret as is_secret
from policypal.application.container import Container
from policypal.db import users as users_db
from policypal.domain.users import User
from policypal.errors import (
    AccountBlocked,
    ConfigurationError,
    InvalidInput,
    SecondFactorUnsupported,
    SessionEnded,
    SignInUnavailable,
    TooManyAttempts,
)

if TYPE_CHECKING:
    from policypal.accounts.auth import Auth

LinkKind = Literal["recovery", "email", "invite"]

RECHECK_SECONDS = 300.0
"""After so long the server is asked again who somebody is: a blocked user or a new role is noticed by then."""
_POLL_SECONDS = 0.05
_MOST_EMAIL = 254


def has_accounts(app: Container) -> bool:
    """Whether people sign in here. Otherwise everybody is the local analyst."""
    return app.auth is not None


def sign_up(app: Container, email: str, password: str) -> str | None:
    """Create an account and sign in; the browser's secret, or None if the e-mail address has to be confirmed first.
    Raises IdentityError, InvalidInput, ConfigurationError: with what to do about it."""
    account = _auth(app).sign_up(*_entered(email, password))
    return _begun(app, account) if account else None


def sign_in(app: Container, email: str, password: str) -> str:
    """Sign in; the secret by which :func:`resume` knows this browser. Raises as :func:`sign_up`."""
    return _begun(app, _auth(app).sign_in(*_entered(email, password)))


def resume(app: Container, secret: str) -> User:
    """Who signed in with this browser, their tokens renewed where that is due.

    Tabs, processes and replicas share a sign-in, and a refresh token works once: whoever claims the sign-in renews, the
    others go on with what is still valid or wait. Raises SessionEnded: signed out, expired or revoked;
    SignInUnavailable: renewing was due and the service does not answer; the sign-in is kept."""
    held = _held(app, secret)
    return held.user if _is_current(held) else _renewed(app, secret, held).user


def sign_out(app: Container, secret: str) -> None:
    """End this browser's sign-in, here first and then at the server. Raises SignInUnavailable: it has ended here,
    but the server could not be told."""
    held = sign_ins.load(app.db, secret)
    sign_ins.remove(app.db, secret)
    if held is None or app.auth is None:
        return
    if held.tokens.expires_at > time.time():
        app.auth.sign_out(held.tokens.access)
        return
    try:  # an expired token cannot revoke anything; a new one can
        app.auth.sign_out(app.auth.refresh(held.tokens.refresh).tokens.access)
    except SessionEnded:
        return


def request_password_reset(app: Container, email: str) -> None:
    """Have a link sent, if there is such an account; the answer is the same if there is none. Raises InvalidInput,
    TooManyAttempts, SignInUnavailable."""
    _auth(app).request_password_reset(_address(email))


def resend_confirmation(app: Container, email: str) -> None:
    """Have the confirmation e-mail sent again. Raises as :func:`request_password_reset`."""
    _auth(app).resend_confirmation(_address(email))


def open_link(app: Container, token_hash: str, kind: LinkKind) -> str:
    """Sign in with the link in an e-mail, which confirms the address; the browser's secret. Raises LinkExpired: it
    is old, used or invented."""
    return _begun(app, _auth(app).redeem(token_hash, kind))


def set_password(app: Container, secret: str, password: str) -> None:
    """Give the signed-in user a new password. Raises WeakPassword, InvalidInput: nothing was changed; SessionEnded,
    SignInUnavailable."""
    resume(app, secret)
    _auth(app).set_password(_held(app, secret).tokens, password)


def _auth(app: Container) -> Auth:
    if app.auth is None:
        raise ConfigurationError("There are no accounts here: SUPABASE_URL and SUPABASE_KEY are not set.")
    return app.auth


def _address(email: str) -> str:
    """An e-mail address as far as it can be judged from here; the server has the last word."""
    name, _, host = email.strip().rpartition("@")
    if not (name and host) or len(email) > _MOST_EMAIL:
        raise InvalidInput("Please enter your e-mail address, such as name@company.com.")
    return email.strip()


def _entered(email: str, password: str) -> tuple[str, str]:
    if not password:
        raise InvalidInput("Please enter your password.")
    return _address(email), password


def _begun(app: Container, account: Account) -> str:
    users_db.ensure_user(app.db, account.user)
    return sign_ins.add(app.db, account)


def _held(app: Container, secret: str) -> Account:
    held = sign_ins.load(app.db, secret) if app.auth else None
    if held is None:
        raise SessionEnded
    return held


def _is_current(held: Account) -> bool:
    now = time.time()
    return now < held.tokens.refresh_at and now < held.checked_at + RECHECK_SECONDS


def _is_usable(held: Account) -> bool:
    return time.time() < held.tokens.expires_at


def _renewed(app: Container, secret: str, held: Account) -> Account:
    wait_seconds = _auth(app).timeout * 3  # a renewal is up to two calls
    give_up = time.monotonic() + wait_seconds
    while (claimed := sign_ins.claim(app.db, secret, wait_seconds)) is None:
        if _is_usable(held):
            return held
        if time.monotonic() > give_up:
            raise SignInUnavailable
        time.sleep(_POLL_SECONDS)
        held = _held(app, secret)
        if _is_current(held):
            return held
    return claimed if _is_current(claimed) else _asked(app, secret, claimed)


def _asked(app: Container, secret: str, held: Account) -> Account:
    """Renew as the one who holds the claim. Where the service does not answer the claim is left to run out, so that not
    every click waits for it."""
    try:
        renewed = _verified(_auth(app), held)
    except (SessionEnded, AccountBlocked, SecondFactorUnsupported) as error:
        sign_ins.remove(app.db, secret)
        raise SessionEnded(error.message) from error
    except (SignInUnavailable, TooManyAttempts):
        if _is_usable(held):
            return held
        sign_ins.replace(app.db, secret, held)
        raise
    sign_ins.replace(app.db, secret, renewed)
    users_db.ensure_user(app.db, renewed.user)
    return renewed


def _verified(auth: Auth, held: Account) -> Account:
    if time.time() < held.tokens.refresh_at:
        account = Account(auth.user(held.tokens.access), held.tokens, time.time())
    else:
        account = auth.refresh(held.tokens.refresh)
    if account.user.id != held.user.id:
        raise SessionEnded
    return account
