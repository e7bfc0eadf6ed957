"""Who is at work, and what the answers should be tailored to (R6, U9)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class User:
    """An identity. ``id`` is a UUID; every row belongs to one (X1). ``roles`` are what an administrator gave (R6)."""

    id: str
    email: str
    is_local: bool = False
    roles: tuple[str, ...] = ()


MAX_FIELD_CHARACTERS = 200
MAX_DESCRIPTION_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Profile:
    """What a user told about the company; all optional."""

    company: str = ""
    country: str = ""
    industry: str = ""
    description: str = ""
    asked: bool = False


LOCAL_ANALYST = User(id="00000000-0000-4000-8000-000000000001", email="analyst@localhost", is_local=True)
