"""A browser's sign-in, kept where every replica finds it (R6).

The browser's secret is ``<user id>.<256 random bits>``. Stored are its digest, and the tokens encrypted under a key
derived from it, so that neither the table nor a backup of it signs anybody in. The user's id in front lets row-level
security apply to the look-up itself; a wrong one finds nothing.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass, field

from cryptography.fernet import Fernet

from policypal.db import sign_ins as sign_ins_db
from policypal.db.pool import Database
from policypal.domain.users import User

_SECRET = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Tokens:
    """What Supabase Auth gave. Times are seconds since the epoch by this machine's clock: from ``refresh_at`` on the
    access token wants renewing, from ``expires_at`` on it is refused."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    refresh_at: float
    expires_at: float


@dataclass(frozen=True, slots=True)
class Account:
    """A signed-in user. ``checked_at`` is when Supabase Auth last said who that is, in seconds since the epoch."""

    user: User
    tokens: Tokens
    checked_at: float


def is_secret(text: str) -> bool:
    """Whether ``text`` has the form of a browser's secret."""
    return _SECRET.fullmatch(text) is not None


def add(db: Database, account: Account) -> str:
    """Store a new sign-in; the secret that finds it again."""
    secret = f"{account.user.id}.{secrets.token_urlsafe(32)}"
    sign_ins_db.add(db, account.user.id, _digest(secret), _seal(secret, account))
    return secret


def load(db: Database, secret: str) -> Account | None:
    """The sign-in behind a secret; None if it is no secret, or that sign-in has ended."""
    if not is_secret(secret):
        return None
    return _unsealed(secret, sign_ins_db.load(db, _user_id(secret), _digest(secret)))


def claim(db: Database, secret: str, seconds: float) -> Account | None:
    """Become the only one, in all processes, who renews this sign-in, for so many seconds. None: not now."""
    return _unsealed(secret, sign_ins_db.claim(db, _user_id(secret), _digest(secret), seconds))


def replace(db: Database, secret: str, account: Account) -> None:
    """Store the renewed sign-in and end the claim."""
    sign_ins_db.replace(db, _user_id(secret), _digest(secret), _seal(secret, account))


def remove(db: Database, secret: str) -> None:
    """End the sign-in, for every tab of that browser."""
    if is_secret(secret):
        sign_ins_db.remove(db, _user_id(secret), _digest(secret))


def _user_id(secret: str) -> str:
    return secret.partition(".")[0]


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _cipher(secret: str) -> Fernet:
    key = hmac.digest(secret.encode(), b"PolicyPal sign-in, encryption", "sha256")
    return Fernet(base64.urlsafe_b64encode(key))


def _seal(secret: str, account: Account) -> bytes:
    return _cipher(secret).encrypt(json.dumps(asdict(account)).encode())


def _unsealed(secret: str, sealed: bytes | None) -> Account | None:
    if sealed is None:
        return None
    held = json.loads(_cipher(secret).decrypt(sealed))
    user = User(**{**held["user"], "roles": tuple(held["user"]["roles"])})
    return Account(user, Tokens(**held["tokens"]), held["checked_at"])
