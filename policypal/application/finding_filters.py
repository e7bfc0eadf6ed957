"""Filters of findings that an analyst keeps under a name, for every report (A7)."""

from dataclasses import asdict

from policypal.application.container import Container
from policypal.db import saved_choices
from policypal.domain.text import fitting
from policypal.domain.triage import FindingFilter
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound

MAX_NAME = 60
_MOST = 50
_KIND = "finding_filter"


def saved(app: Container, user: User) -> dict[str, FindingFilter]:
    """The kept filters by their names, in alphabetical order."""
    held = saved_choices.list_choices(app.db, user.id, _KIND)
    return {name: FindingFilter.of(choice) for name, choice in held.items()}


def save(app: Container, user: User, name: str, wanted: FindingFilter) -> None:
    """Keep a filter; one of this name is replaced. Raises InvalidInput: no name or too long a one, nothing to filter, too many."""
    held = saved(app, user)
    clean = _name(name)
    if wanted == FindingFilter():
        raise InvalidInput("Choose a severity, a status or words first; this filter lets everything pass.")
    if clean not in held and len(held) >= _MOST:
        raise InvalidInput(f"At most {_MOST} filters can be kept. Please delete one first.")
    saved_choices.save_choice(app.db, user.id, _KIND, clean, asdict(wanted))


def rename(app: Container, user: User, name: str, new_name: str) -> None:
    """Give a kept filter another name.

    Raises:
        InvalidInput: no name, too long a one, or one that another filter has.
        NotFound: no such filter.
    """
    clean, held = _name(new_name), saved(app, user)
    if name not in held:
        raise NotFound("This filter was deleted.")
    if clean != name and clean in held:
        raise InvalidInput(f"There is a filter called “{clean}” already.")
    saved_choices.rename_choice(app.db, user.id, _KIND, name, clean)


def delete(app: Container, user: User, name: str) -> None:
    """Forget a kept filter; one that is gone already is no error."""
    saved_choices.delete_choice(app.db, user.id, _KIND, name)


def _name(given: str) -> str:
    clean = " ".join(fitting(given, MAX_NAME, "name").split())
    if not clean:
        raise InvalidInput("Please give the filter a name.")
    return clean
