"""What a user told about the company; it tailors summaries, answers and audits (U9, A1, M7)."""

from dataclasses import asdict, replace
from typing import Any

from policypal.application.container import Container
from policypal.db import users
from policypal.domain.text import storable
from policypal.domain.users import MAX_DESCRIPTION_CHARACTERS, MAX_FIELD_CHARACTERS, Profile, User
from policypal.errors import InvalidInput


def load(app: Container, user: User) -> Profile:
    return users.load_profile(app.db, user.id)


def save(app: Container, user: User, profile: Profile) -> None:
    """Raises InvalidInput: a field is too long."""
    longest = max(len(profile.company), len(profile.country), len(profile.industry))
    if longest > MAX_FIELD_CHARACTERS or len(profile.description) > MAX_DESCRIPTION_CHARACTERS:
        raise InvalidInput(
            f"Please keep company, country and industry below {MAX_FIELD_CHARACTERS} and the description below "
            f"{MAX_DESCRIPTION_CHARACTERS} characters."
        )
    cleaned: Any = {name: storable(said).strip() for name, said in asdict(profile).items() if isinstance(said, str)}
    users.save_profile(app.db, user.id, replace(profile, **cleaned))
