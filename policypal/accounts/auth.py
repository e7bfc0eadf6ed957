"""Supabase Auth, through its own client (R6). The only place, with the file store, that imports supabase."""

import base64
import json
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TypeVar

import httpx
from pydantic import SecretStr, ValidationError
from supabase import AuthApiError, AuthError, AuthRetryableError, AuthWeakPasswordError, SupabaseAuthClient
from supabase_auth.types import AuthResponse, EmailOtpType, Session
from supabase_auth.types import User as SupabaseUser

from policypal.accounts.sign_ins import Account, Tokens
from policypal.concurrency import started
from policypal.domain.users import User
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

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

RENEW_BEFORE_SECONDS = 60.0

_BY_CODE: dict[str, type[PolicyPalError]] = {
    "invalid_credentials": WrongCredentials,
    "email_not_confirmed": EmailNotConfirmed,
    "user_already_exists": AccountExists,
    "email_exists": AccountExists,
    "signup_disabled": SignUpClosed,
    "user_banned": AccountBlocked,
    "otp_expired": LinkExpired,
    "over_request_rate_limit": TooManyAttempts,
    "over_email_send_rate_limit": TooManyAttempts,
    "refresh_token_not_found": SessionEnded,
    "refresh_token_already_used": SessionEnded,
    "session_not_found": SessionEnded,
    "session_expired": SessionEnded,
    "user_not_found": SessionEnded,
    "bad_jwt": SessionEnded,
}
_SAID: dict[str, PolicyPalError] = {
    "email_address_invalid": InvalidInput("This e-mail address is not accepted. Please use another one."),
    "same_password": InvalidInput("The new password is the old one. Please choose another."),
    "email_provider_disabled": ConfigurationError(
        "Signing in with e-mail and password is switched off in the Supabase project (Authentication, Sign In / Providers)."
    ),
    "email_address_not_authorized": ConfigurationError(
        "The Supabase project may not send e-mail to this address: it has no mail server of its own yet (see docs/deploy.md)."
    ),
    "captcha_failed": ConfigurationError(
        "The Supabase project asks for a CAPTCHA, which PolicyPal cannot show. Please ask your administrator to switch it off."
    ),
}


class Auth:
    """Sign-up, sign-in and renewal. Every call uses a client of its own, so that no two people share a session.

    ``timeout`` is the most seconds one call may take in all.

    Raises (every method): SignInUnavailable, TooManyAttempts, ConfigurationError, or what the method names.
    """

    def __init__(self, url: str, key: SecretStr, timeout: float) -> None:
        _check(url, key.get_secret_value())
        self.timeout = timeout
        self._url = f"{url.rstrip('/')}/auth/v1"
        self._key = key
        no_cookies = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))  # a proxy's cookie is nobody's identity
        self._http = httpx.Client(timeout=timeout, cookies=no_cookies)

    def sign_up(self, email: str, password: str) -> Account | None:
        """Create an account. None: the address has to be confirmed first, or (which is not told) is taken. Raises
        AccountExists, WeakPassword, SignUpClosed, InvalidInput."""
        answer = self._ask(lambda c: c.sign_up({"email": email, "password": password}))
        return self._account(answer.session) if answer.session else None

    def sign_in(self, email: str, password: str) -> Account:
        """Raises WrongCredentials, EmailNotConfirmed, AccountBlocked, SecondFactorUnsupported."""
        return self._granted(self._ask(lambda c: c.sign_in_with_password({"email": email, "password": password})))

    def refresh(self, refresh_token: str) -> Account:
        """New tokens for a refresh token, which works once. Raises SessionEnded: it is expired, revoked or used up;
        AccountBlocked, SecondFactorUnsupported: the account was changed since."""
        try:
            return self._granted(self._ask(lambda c: c.refresh_session(refresh_token)))
        except InvalidInput as error:  # not a token at all
            raise SessionEnded from error

    def user(self, access_token: str) -> User:
        """Who an access token stands for: the server verifies it, roles come from ``app_metadata`` alone. Raises
        SessionEnded: it is not valid any more, or was never."""
        answer = self._ask(lambda c: c.get_user(access_token))
        if answer is None:
            raise SessionEnded
        return _user(answer.user)

    def sign_out(self, access_token: str) -> None:
        """Revoke this session (not the user's others). One that has ended already is no failure."""
        try:
            self._ask(lambda c: c.admin.sign_out(access_token, "local"))
        except SessionEnded:
            return

    def request_password_reset(self, email: str) -> None:
        """Have a link sent, if the address has an account. Whether it has cannot be told from what this raises.
        Raises InvalidInput: this is no e-mail address."""
        self._ask(lambda c: _quietly(lambda: c.reset_password_for_email(email)))

    def resend_confirmation(self, email: str) -> None:
        """Have the confirmation sent again, if there is something to confirm. Raises as the method above."""
        self._ask(lambda c: _quietly(lambda: c.resend({"type": "signup", "email": email})))

    def redeem(self, token_hash: str, kind: EmailOtpType) -> Account:
        """Sign in with what a link in an e-mail carries. Raises LinkExpired: the link is old, used or invented."""
        return self._granted(self._ask(lambda c: c.verify_otp({"token_hash": token_hash, "type": kind})))

    def set_password(self, tokens: Tokens, password: str) -> None:
        """Raises WeakPassword, InvalidInput: nothing was changed."""

        def changed(client: SupabaseAuthClient) -> None:
            client.set_session(tokens.access, tokens.refresh)
            client.update_user({"password": password})

        self._ask(changed)

    def takes_sign_ups(self) -> bool:
        """Whether people can create accounts themselves; asks the service, which proves the address and the key."""

        def asked(_: SupabaseAuthClient) -> bool:
            answer = self._http.get(f"{self._url}/settings", headers={"apiKey": self._key.get_secret_value()})
            if answer.status_code in (401, 403):
                raise _key_refused()
            return not answer.raise_for_status().json()["disable_signup"]

        return self._ask(asked)

    def _account(self, session: Session) -> Account:
        now = time.time()
        lifetime = float(session.expires_in)
        refresh_at = now + max(lifetime - RENEW_BEFORE_SECONDS, lifetime / 2)
        tokens = Tokens(session.access_token, session.refresh_token, refresh_at, now + lifetime)
        return Account(self.user(session.access_token), tokens, now)

    def _granted(self, answer: AuthResponse) -> Account:
        if answer.session is None:
            raise SignInUnavailable
        return self._account(answer.session)

    def _ask(self, question: Callable[[SupabaseAuthClient], Answer]) -> Answer:
        """Put a question to the server; a line that only drips is given up on, too."""
        call = started(lambda: question(self._client()), "policypal-sign-in")
        wait([call], timeout=self.timeout)
        if not call.done():
            raise SignInUnavailable("The sign-in service did not answer in time. Please try again in a moment.")
        with _translated():
            return call.result()

    def _client(self) -> SupabaseAuthClient:
        key = self._key.get_secret_value()
        return SupabaseAuthClient(
            url=self._url,
            headers={"apiKey": key, "Authorization": f"Bearer {key}"},
            auto_refresh_token=False,
            persist_session=False,
            flow_type="implicit",
            http_client=self._http,
        )


def _check(url: str, key: str) -> None:
    """Raises ConfigurationError: no URL, or a key that opens everything and therefore must not be used for signing
    people in."""
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError("SUPABASE_URL has to begin with https:// (or http:// on this machine).")
    if key.startswith("sb_secret_") or _role_in(key) == "service_role":
        raise ConfigurationError(
            "SUPABASE_KEY holds the secret (service_role) key. Signing in needs the publishable (anon) key."
        )


def _role_in(key: str) -> str:
    """The role a key of the older form (a JWT) says it has; empty for other forms."""
    parts = key.split(".")
    if len(parts) != 3:
        return ""
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return ""
    return str(claims.get("role", "")) if isinstance(claims, dict) else ""


def _user(found: SupabaseUser) -> User:
    if any(factor.status == "verified" for factor in found.factors or []):
        raise SecondFactorUnsupported
    given = found.app_metadata.get("roles", found.app_metadata.get("role", ()))
    roles = (given,) if isinstance(given, str) else given
    is_list = isinstance(roles, list | tuple)
    return User(found.id, found.email or "", roles=tuple(r for r in roles if isinstance(r, str)) if is_list else ())


def _quietly(send: Callable[[], object]) -> None:
    """Have an e-mail sent. The server answers 429 and 500 only for addresses it knows; those answers stay here."""
    try:
        send()
    except AuthRetryableError:
        raise
    except AuthApiError as error:
        if error.code != "over_email_send_rate_limit" and error.status < 500:
            raise
        logger.warning("an e-mail was not sent: status %s, code %s", error.status, error.code)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except AuthWeakPasswordError as error:
        raise _weak(error.reasons) from error
    except AuthRetryableError as error:
        logger.info("Supabase Auth cannot be reached (status %s)", error.status)
        raise SignInUnavailable from error
    except AuthApiError as error:
        raise _typed(error) from error
    except (
        AuthError,
        ValidationError,
        httpx.HTTPError,
        ValueError,
        KeyError,
        TypeError,
    ) as error:  # an answer that is none
        logger.info("Supabase Auth answered what cannot be read (%s)", type(error).__name__)
        raise SignInUnavailable from error


def _typed(error: AuthApiError) -> PolicyPalError:
    code = error.code or ""
    if code in _SAID:
        return _SAID[code]
    if code in _BY_CODE:
        return _BY_CODE[code]()
    if error.status == 429:
        return TooManyAttempts()
    if code == "validation_failed":
        return _invalid(error.message)
    logger.warning("Supabase Auth refused a request: status %s, code %s", error.status, code or "none")
    if error.status == 401:
        return _key_refused()
    return SignInUnavailable() if error.status >= 500 else IdentityError()


def _key_refused() -> ConfigurationError:
    return ConfigurationError("The sign-in service refused SUPABASE_KEY. Please check SUPABASE_URL and SUPABASE_KEY.")


def _invalid(message: str) -> InvalidInput:
    if "longer than 72" in message:
        return InvalidInput("Please choose a password of at most 72 characters.")
    return InvalidInput("Please enter a valid e-mail address and a password.")


def _weak(reasons: list[str]) -> WeakPassword:
    """The server's reasons, in words."""
    if "pwned" in reasons:
        return WeakPassword("This password is known from a data leak. Please choose another one.")
    if "length" in reasons:
        return WeakPassword("This password is too short. Please choose a longer one.")
    if "characters" in reasons:
        return WeakPassword("Please use lower-case and upper-case letters, digits and symbols in your password.")
    return WeakPassword()
