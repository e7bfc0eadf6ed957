"""Supabase Auth (GoTrue) as its client meets it, on a local port: answers, error codes and headers as release 2.196 gives them
to API version 2024-01-01, with the gateway's check of the key in front. It misbehaves on request.

    with GoTrueServer(confirms=True) as auth:
        ...                                  # auth.overrides() are the settings that lead here
        auth.mails[-1].token_hash            # what the link in the last e-mail carries
        auth.script(failing(500))            # the next request only

Time is the server's own: ``auth.pass_time(3600)`` lets tokens expire and reuse intervals run out.
"""

from __future__ import annotations

import json
import secrets
import string
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import jwt

from tests.support.web_servers import LocalServer, Received, Reply

KEY = "sb_publishable_0123456789abcdefghijk_l"
_JWT_SECRET = "a-test-secret-of-at-least-thirty-two-characters"
_LETTERS = string.ascii_lowercase + string.digits


class Refusal(Exception):
    """An error answer."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        self.reply = gotrue_error(status, code, message, **more)


@dataclass
class Person:
    email: str
    password: str
    id: str = field(default_factory=lambda: str(uuid4()))
    is_confirmed: bool = False
    is_banned: bool = False
    app_metadata: dict[str, Any] = field(default_factory=lambda: {"provider": "email", "providers": ["email"]})
    user_metadata: dict[str, Any] = field(default_factory=dict)
    factors: list[dict[str, Any]] = field(default_factory=list)
    mailed_at: float = float("-inf")


@dataclass
class RefreshToken:
    session: str
    person: str
    parent: str = ""
    is_revoked: bool = False
    used_at: float = 0.0


@dataclass(frozen=True)
class Mail:
    to: str
    kind: str
    token_hash: str


class GoTrueServer(LocalServer):
    """``confirms`` asks for a confirmation by e-mail. ``lifetime`` of an access token, ``reuse_interval`` of a refresh token and
    ``mail_pause`` between two e-mails to one address are seconds; the defaults are a new project's."""

    def __init__(self, *, confirms: bool = False, lifetime: int = 3600) -> None:
        super().__init__()
        self.confirms, self.lifetime, self.reuse_interval, self.mail_pause = confirms, lifetime, 10, 60
        self.takes_sign_ups = True
        self.mails: list[Mail] = []
        self._people: dict[str, Person] = {}
        self._tokens: dict[str, RefreshToken] = {}
        self._lock = threading.RLock()
        self._passed = 0.0

    def overrides(self) -> dict[str, Any]:
        """Settings that lead here."""
        return {"supabase_url": self.base_url, "supabase_key": KEY}

    def person(self, email: str) -> Person:
        return self._people[email.lower()]

    def pass_time(self, seconds: float) -> None:
        self._passed += seconds

    def end_sessions(self, email: str) -> None:
        """What an administrator does, or a sign-out everywhere."""
        who = self.person(email).id
        self._tokens = {token: held for token, held in self._tokens.items() if held.person != who}

    def invite(self, email: str) -> Mail:
        """What an administrator does in the project's dashboard."""
        self._people[email.lower()] = person = Person(email.lower(), "")
        return self._mail(person, "invite")

    def asked(self, path: str) -> int:
        """How many requests went to a path, query included."""
        return sum(r.path.removeprefix("/auth/v1") == path for r in self.requests)

    def normal(self, request: Received) -> Reply:
        if request.headers.get("apikey") != KEY:
            hint = "Double check your Supabase `anon` or `service_role` API key."
            return Reply(json.dumps({"message": "Invalid API key", "hint": hint}).encode(), 401)
        url = urlsplit(request.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        name = f"{request.method} {url.path.removeprefix('/auth/v1')} {query.get('grant_type', '')}".strip()
        answer = self._answers().get(name)
        if answer is None:
            return Reply(b"404 page not found\n", 404, content_type="text/plain; charset=utf-8")
        with self._lock:
            try:
                return answer(request)
            except Refusal as refused:
                return refused.reply

    def _answers(self) -> dict[str, Any]:
        return {
            "POST /signup": self._sign_up,
            "POST /token password": self._password,
            "POST /token refresh_token": self._refresh,
            "GET /user": lambda r: _ok(_shown(self._bearer(r)[0])),
            "PUT /user": self._change,
            "POST /logout": self._log_out,
            "POST /recover": lambda r: self._send(r, "recovery"),
            "POST /resend": lambda r: self._send(r, "signup"),
            "POST /verify": self._verify,
            "GET /settings": lambda r: _ok(
                {"external": {"email": True, "phone": False}, "disable_signup": not self.takes_sign_ups,
                 "mailer_autoconfirm": not self.confirms}
            ),
        }  # fmt: skip

    def _sign_up(self, request: Received) -> Reply:
        if not self.takes_sign_ups:
            raise Refusal(422, "signup_disabled", "Signups not allowed for this instance")
        _check_password(request.body["password"])
        email = _address(request.body)
        held = self._people.get(email)
        if held is not None and held.is_confirmed:
            if not self.confirms:
                raise Refusal(422, "user_already_exists", "User already registered")
            return _ok({**_shown(Person(email, "")), "role": "", "identities": []})
        person = held or Person(email, request.body["password"], is_confirmed=not self.confirms)
        self._people[email] = person
        if person.is_confirmed:
            return self._granted(person)
        self._mail(person, "signup")
        return _ok(_shown(person))

    def _password(self, request: Received) -> Reply:
        person = self._people.get(request.body["email"].lower())
        if person is None or not person.password or person.password != request.body["password"]:
            raise Refusal(400, "invalid_credentials", "Invalid login credentials")
        if person.is_banned:
            raise Refusal(400, "user_banned", "User is banned")
        if not person.is_confirmed:
            raise Refusal(400, "email_not_confirmed", "Email not confirmed")
        answer = self._granted(person)
        return _ok({**json.loads(answer.body), "weak_password": None})

    def _refresh(self, request: Received) -> Reply:
        """A token works once. The parent of the active one works again (its answer may have been lost), and so does any for the
        reuse interval; an older one revokes the whole session."""
        given = request.body["refresh_token"]
        if len(given) != 12 or set(given) - set(_LETTERS):
            raise Refusal(400, "validation_failed", "Refresh token is not valid")
        held = self._tokens.get(given)
        if held is None:
            raise Refusal(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
        person = next(p for p in self._people.values() if p.id == held.person)
        if person.is_banned:
            raise Refusal(400, "user_banned", "Invalid Refresh Token: User Banned")
        family = {token: other for token, other in self._tokens.items() if other.session == held.session}
        active = next((token for token, other in family.items() if not other.is_revoked), "")
        if held.is_revoked and active and self._tokens[active].parent == given:
            return self._granted(person, held.session, active)
        if held.is_revoked and self._now() > held.used_at + self.reuse_interval:
            for other in family.values():
                other.is_revoked = True
            raise Refusal(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
        held.is_revoked, held.used_at = True, self._now()
        return self._granted(person, held.session, self._new_token(held.session, person, given))

    def _change(self, request: Received) -> Reply:
        person, _ = self._bearer(request)
        _check_password(request.body["password"])
        if request.body["password"] == person.password:
            raise Refusal(422, "same_password", "New password should be different from the old password.")
        person.password = request.body["password"]
        return _ok(_shown(person))

    def _log_out(self, request: Received) -> Reply:
        person, session = self._bearer(request)
        is_local = "scope=local" in request.path
        self._tokens = {
            token: held for token, held in self._tokens.items()
            if held.person != person.id or (is_local and held.session != session)
        }  # fmt: skip
        return Reply(b"", 204, content_type="")

    def _send(self, request: Received, kind: str) -> Reply:
        person = self._people.get(_address(request.body))
        if person is not None and not (kind == "signup" and person.is_confirmed):
            self._mail(person, kind)
        return _ok({})

    def _verify(self, request: Received) -> Reply:
        kind = {"email": "signup"}.get(request.body["type"], request.body["type"])
        mail = next((m for m in self.mails if (m.token_hash, m.kind) == (request.body["token_hash"], kind)), None)
        if mail is None:
            raise Refusal(403, "otp_expired", "Email link is invalid or has expired")
        self.mails.remove(mail)
        person = self._people[mail.to]
        person.is_confirmed = True
        return self._granted(person)

    def _mail(self, person: Person, kind: str) -> Mail:
        wait = person.mailed_at + self.mail_pause - self._now()
        if wait > 0:
            message = f"For security purposes, you can only request this after {wait:.0f} seconds."
            raise Refusal(429, "over_email_send_rate_limit", message)
        person.mailed_at = self._now()
        self.mails.append(Mail(person.email, kind, secrets.token_hex(28)))
        return self.mails[-1]

    def _bearer(self, request: Received) -> tuple[Person, str]:
        """Who the access token stands for, and in which session."""
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        claims = self._claims(given)
        person = next((p for p in self._people.values() if p.id == claims["sub"]), None)
        if person is None:
            raise Refusal(403, "user_not_found", "User from sub claim in JWT does not exist")
        if not any(held.session == claims["session_id"] for held in self._tokens.values()):
            raise Refusal(403, "session_not_found", "Session from session_id claim in JWT does not exist")
        if person.is_banned:
            raise Refusal(403, "user_banned", "User is banned")
        return person, claims["session_id"]

    def _claims(self, token: str) -> dict[str, Any]:
        wrong = "invalid JWT: unable to parse or verify signature"
        try:
            claims = jwt.decode(
                token,
                _JWT_SECRET,
                ["HS256"],
                audience="authenticated",
                options={"verify_exp": False, "verify_iat": False},
            )
        except jwt.PyJWTError as error:
            raise Refusal(403, "bad_jwt", f"{wrong}, {error}") from error
        if claims["exp"] <= self._now():
            raise Refusal(403, "bad_jwt", f"{wrong}, token has invalid claims: token is expired")
        return claims

    def _granted(self, person: Person, session: str = "", token: str = "") -> Reply:
        session = session or str(uuid4())
        token = token or self._new_token(session, person)
        now = int(self._now())
        claims = {
            "sub": person.id, "aud": "authenticated", "exp": now + self.lifetime, "iat": now, "email": person.email, "phone": "",
            "app_metadata": person.app_metadata, "user_metadata": person.user_metadata, "role": "authenticated", "aal": "aal1",
            "amr": [{"method": "password", "timestamp": now}], "session_id": session, "is_anonymous": False,
        }  # fmt: skip
        answer = {
            "access_token": jwt.encode(claims, _JWT_SECRET, "HS256"), "token_type": "bearer", "expires_in": self.lifetime,
            "expires_at": now + self.lifetime, "refresh_token": token, "user": _shown(person),
        }  # fmt: skip
        return _ok(answer)

    def _new_token(self, session: str, person: Person, parent: str = "") -> str:
        token = "".join(secrets.choice(_LETTERS) for _ in range(12))
        self._tokens[token] = RefreshToken(session, person.id, parent)
        return token

    def _now(self) -> float:
        return time.time() + self._passed


def gotrue_error(status: int, code: str, message: str, **more: Any) -> Reply:
    headers = {"X-Supabase-Api-Version": "2024-01-01"} | ({} if more else {"x-sb-error-code": code})
    return Reply(json.dumps({"code": code, "message": message, **more}).encode(), status, headers)


def _ok(value: Any) -> Reply:
    return Reply(json.dumps(value).encode())


def _address(body: dict[str, Any]) -> str:
    email = str(body["email"]).lower()
    name, _, host = email.partition("@")
    if not (name and "." in host):
        raise Refusal(400, "validation_failed", "Unable to validate email address: invalid format")
    return email


def _check_password(password: str) -> None:
    if len(password) > 72:
        raise Refusal(400, "validation_failed", "Password cannot be longer than 72 characters")
    if len(password) < 8:
        message = "Password should be at least 8 characters."
        raise Refusal(422, "weak_password", message, weak_password={"reasons": ["length"]})


def _shown(person: Person) -> dict[str, Any]:
    at = "2026-11-22T03:39:30.885512Z"
    identity = {
        "identity_id": person.id, "id": person.id, "user_id": person.id, "provider": "email", "email": person.email,
        "identity_data": {"email": person.email, "sub": person.id}, "last_sign_in_at": at, "created_at": at, "updated_at": at,
    }  # fmt: skip
    shown = {
        "id": person.id, "aud": "authenticated", "role": "authenticated", "email": person.email, "phone": "",
        "app_metadata": person.app_metadata, "user_metadata": person.user_metadata, "identities": [identity],
        "created_at": at, "updated_at": at, "is_anonymous": False,
    }  # fmt: skip
    confirmed = {"email_confirmed_at": at, "confirmed_at": at} if person.is_confirmed else {"confirmation_sent_at": at}
    return shown | confirmed | ({"factors": person.factors} if person.factors else {})
