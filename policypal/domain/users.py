"""Who is at work, and what the answers should be tailored to (R6, U9)."""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed: how much, and the files and threads whose remains lie outside these tables. ``reports`` are those of
    audits and the threads of research."""

    documents: int
    conversations: int
    reports: int
    files: tuple[str, ...]
    threads: tuple[str, ...]
