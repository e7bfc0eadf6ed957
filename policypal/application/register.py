"""The register of obligations of a document: read, changed, exported (D12)."""

from collections.abc import Collection
from dataclasses import replace
from uuid import uuid4

from policypal.application import library, notes
from policypal.application.container import Container
from policypal.audit import register as register_service
from policypal.db import provisions as provisions_db
from policypal.domain.documents import Document
from policypal.domain.provisions import Kind
from policypal.domain.register import Register, RegisterChange, RegisterEntry
from policypal.domain.text import fitting, storable
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from policypal.text.provisions import READER_VERSION

MAX_TEXT = 3_000
MAX_NOTE = 2_000
MAX_PARTY = 200

csv_of, xlsx_of, sheet_of = (
    register_service.register_csv,
    register_service.register_xlsx,
    register_service.register_sheet,
)


def load(app: Container, user: User, document_id: str) -> Register:
    """The register of a document, with what was changed in it. Raises NotFound: no such document."""
    document = library.get_document(app, user, document_id)
    return _register(app, user, document)


def _register(app: Container, user: User, document: Document) -> Register:
    read = provisions_db.load_provisions(app.db, user.id, document.id)
    changes = provisions_db.load_changes(app.db, user.id, document.id)
    return Register(document, register_service.entries_of(read, changes), document.reader_version >= READER_VERSION)


def change(
    app: Container, user: User, document_id: str, entry: str, *, kind: Kind | None = None, party: str | None = None,
    note: str | None = None, is_struck: bool | None = None,
) -> None:  # fmt: skip
    """Change an entry: what it is, whom it binds, a note, whether it is struck. None leaves a thing as it is.

    Raises:
        NotFound: no such document or entry; it may have gone when the document was read again.
        InvalidInput: a note or party that is too long.
    """
    held = _entry(load(app, user, document_id), entry)
    before = _change_of(app, user, document_id, held)
    changed = replace(
        before,
        kind=kind or before.kind,
        party=before.party if party is None else fitting(party, MAX_PARTY, "party"),
        note=before.note if note is None else fitting(note, MAX_NOTE, "note"),
        is_struck=before.is_struck if is_struck is None else is_struck,
    )
    provisions_db.save_change(app.db, user.id, document_id, changed)


def merge(app: Container, user: User, document_id: str, entries: Collection[str], into: str) -> None:
    """Count several entries as one: ``entries`` no longer count, ``into`` does.

    Raises:
        NotFound: no such document or entry.
        InvalidInput: ``into`` is itself merged, or nothing else was named.
    """
    register = load(app, user, document_id)
    target = _entry(register, into)
    others = [_entry(register, e) for e in entries if e != into]
    if not others or target.merged_into:
        raise InvalidInput("Please choose at least two entries, and one of them to keep, which is not itself merged.")
    for other in others:
        provisions_db.save_change(
            app.db, user.id, document_id, replace(_change_of(app, user, document_id, other), merged_into=into)
        )


def add(
    app: Container,
    user: User,
    document_id: str,
    text: str,
    *,
    kind: Kind = Kind.OBLIGATION,
    party: str = "",
    note: str = "",
) -> str:
    """Add an obligation the reading does not have; its id.

    Raises:
        NotFound: no such document.
        InvalidInput: no text, or one that is too long.
    """
    library.get_document(app, user, document_id)
    words = fitting(text, MAX_TEXT, "text")
    if not words:
        raise InvalidInput("Please say what the obligation is.")
    entry = str(uuid4())
    added = RegisterChange(
        entry,
        words,
        is_added=True,
        kind=kind,
        party=fitting(party, MAX_PARTY, "party"),
        note=fitting(note, MAX_NOTE, "note"),
    )
    provisions_db.save_change(app.db, user.id, document_id, added)
    return entry


def restore(app: Container, user: User, document_id: str, entry: str) -> None:
    """Take back what was changed of an entry; what was added goes. Raises NotFound: no such document."""
    library.get_document(app, user, document_id)
    provisions_db.delete_change(app.db, user.id, document_id, storable(entry))


def with_notes(app: Container, user: User, register: Register) -> Register:
    """The register with the notes on the document's provisions, for its files. Raises NotFound: the document is gone."""
    return replace(register, notes=tuple(notes.load(app, user, register.document.id)))


def _entry(register: Register, entry: str) -> RegisterEntry:
    found = next((e for e in register.entries if e.entry == entry), None)
    if found is None:
        raise NotFound("This entry is no longer in the register; the document may have been read again.")
    return found


def _change_of(app: Container, user: User, document_id: str, entry: RegisterEntry) -> RegisterChange:
    """What was changed of an entry so far."""
    held = provisions_db.load_changes(app.db, user.id, document_id).get(entry.entry)
    return held or RegisterChange(entry.entry, entry.full)
