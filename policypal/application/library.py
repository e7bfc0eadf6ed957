"""What a person does with the documents of the library: list, find, edit, delete (section D)."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz, process

from policypal.application import trash
from policypal.application.container import Container
from policypal.application.metadata import checked_title, checked_version, set_id_of, tidy
from policypal.db import documents as documents_db
from policypal.domain.documents import SET_COLOURS, Document, DocumentStatus, DocumentType
from policypal.domain.identifiers import is_uuid, uuids
from policypal.domain.users import User
from policypal.domain.versions import in_force
from policypal.errors import InvalidInput, NotFound
from policypal.request.conversation_titles import by_initials

_LISTED, _NEAREST = 8, 3


def get_document(app: Container, user: User, document_id: str) -> Document:
    """Raises NotFound: no such document of this user."""
    document = documents_db.find_document(app.db, user.id, document_id) if is_uuid(document_id) else None
    if document is None:
        raise NotFound("This document is not in your library. It may have been deleted.")
    return document


def list_documents(app: Container, user: User, *, ids: Sequence[str] | None = None) -> list[Document]:
    """The library, by set and title."""
    return documents_db.list_documents(app.db, user.id, ids=ids)


def find_by_title(app: Container, user: User, title: str) -> Document:
    """The document a command names: by id, title, "title version", "Title (Version)" or alias, or by words of its title that
    fit no other; case-insensitively. Of several editions the one in force (G4).

    Raises:
        NotFound: nothing has that name; the message lists the nearest titles.
        InvalidInput: several documents have it; the message lists them.
    """
    documents = list_documents(app, user)
    wanted = " ".join(title.split()).casefold()
    matches = [d for d in documents if wanted in _names(d)] or [d for d in documents if _has_words(d, wanted)]
    newest = in_force([d for d in matches if d.status is DocumentStatus.READY] or matches)
    meant = [d for d in matches if d.id in newest]
    if not meant:
        raise NotFound(f"There is no document called “{title}” in your library.{_nearest(wanted, documents)}")
    if len(meant) > 1:
        names = ", ".join(d.display_title for d in meant[:_LISTED])
        more = f" and {len(meant) - _LISTED} more" if len(meant) > _LISTED else ""
        raise InvalidInput(
            f"“{title}” fits several documents: {names}{more}. Please add the version or more of the title."
        )
    return meant[0]


def edit(
    app: Container,
    user: User,
    document_id: str,
    *,
    title: str,
    version: str,
    type: DocumentType,
    set_name: str,
    set_colour: str = SET_COLOURS[0],
    aliases: Sequence[str],
    tags: Sequence[str],
) -> Document:
    """Change a document's metadata (D10). Raises InvalidInput: the title is empty or too long."""
    get_document(app, user, document_id)
    documents_db.update_metadata(
        app.db,
        user.id,
        document_id,
        title=checked_title(title),
        version=checked_version(version),
        type=type,
        set_id=set_id_of(app, user, set_name, set_colour),
        aliases=tidy(aliases),
        tags=tidy(tags),
    )
    return get_document(app, user, document_id)


def move_to_set(app: Container, user: User, ids: Sequence[str], name: str, colour: str = SET_COLOURS[0]) -> int:
    """Put documents into a set, which is made with ``colour`` if it is new, or, without a name, into none; how many (D2)."""
    return documents_db.move_to_set(app.db, user.id, uuids(ids), set_id_of(app, user, name, colour))


def change_tags(
    app: Container, user: User, ids: Sequence[str], *, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> int:
    """Add tags to documents and take others away; how many documents there were (D10)."""
    return documents_db.change_tags(app.db, user.id, uuids(ids), tidy(add), tidy(remove))


def delete(app: Container, user: User, document_id: str) -> None:
    """Delete a document; it can be taken back for some days (:mod:`policypal.application.trash`, D10). Raises
    NotFound: no such document of this user."""
    get_document(app, user, document_id)
    trash.delete(app, user, [document_id])


def _has_words(d: Document, wanted: str) -> bool:
    """Whether every word of ``wanted`` is a word of the document's names."""
    words = set(re.findall(r"\w+", wanted))
    return bool(words) and words <= set(re.findall(r"\w+", " ".join(_names(d))))


def _nearest(wanted: str, documents: Sequence[Document]) -> str:
    titles = list(dict.fromkeys(d.display_title for d in documents))
    found = process.extract(wanted, titles, scorer=fuzz.token_set_ratio, limit=_NEAREST, processor=str.casefold)
    return f" The nearest titles: {', '.join(name for name, *_ in found)}." if found else ""


def _names(d: Document) -> set[str]:
    names = {d.id, d.title, d.display_title, f"{d.title} {d.version}".strip(), *d.aliases}
    return {n.casefold() for n in names}


def other_names(document: Document) -> tuple[str, ...]:
    """What a document is found by besides its title: its aliases, and the initials that a law or a standard goes by."""
    return tuple(filter(None, [*document.aliases, by_initials(document.title)]))
