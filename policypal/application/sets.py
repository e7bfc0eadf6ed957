"""Named, coloured groups of documents (D2)."""

from policypal.application.container import Container
from policypal.application.metadata import checked_set_name
from policypal.db import documents as sets_db
from policypal.domain.documents import SET_COLOURS, DocumentSet
from policypal.domain.identifiers import is_uuid
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound

_GONE = "This set does not exist any more."


def list_sets(app: Container, user: User) -> list[DocumentSet]:
    return sets_db.list_sets(app.db, user.id)


def find_set(app: Container, user: User, name: str) -> DocumentSet:
    """Raises NotFound: there is no set of that name."""
    for candidate in list_sets(app, user):
        if candidate.name.casefold() == name.strip().casefold():
            return candidate
    raise NotFound(f"There is no set called “{name}”.")


def edit_set(app: Container, user: User, set_id: str, *, name: str, colour: str) -> None:
    """Rename and recolour a set. Raises InvalidInput: the name is empty, too long or another set's, or the colour is
    none of the eight; NotFound: there is no such set."""
    name = checked_set_name(name)
    if not name:
        raise InvalidInput("Please give the set a name.")
    if colour not in SET_COLOURS:
        raise InvalidInput("Please choose one of the eight colours.")
    if not is_uuid(set_id) or not sets_db.update_set(app.db, user.id, set_id, name, colour):
        raise NotFound(_GONE)


def delete_set(app: Container, user: User, set_id: str) -> None:
    """Delete a set. Its documents stay in the library, in no set (D2). Raises NotFound: there is no such set."""
    if not is_uuid(set_id) or not sets_db.delete_set(app.db, user.id, set_id):
        raise NotFound(_GONE)
