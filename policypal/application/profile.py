"""What a user told about the company; it tailors summaries, answers and audits (U9, A1, M7)."""

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
    cleaned = Profile(
        company=storable(profile.company).strip(),
        country=storable(profile.country).strip(),
        industry=storable(profile.industry).strip(),
        description=storable(profile.description).strip(),
        asked=profile.asked,
    )
    users.save_profile(app.db, user.id, cleaned)
