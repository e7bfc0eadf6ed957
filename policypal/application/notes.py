"""Notes on the provisions of a document: made, changed, found again when it was read again or has a new edition (D15)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from policypal.application import library
from policypal.application.container import Container
from policypal.audit.register import entry_words
from policypal.db import notes as notes_db
from policypal.db import provisions as provisions_db
from policypal.db.pool import Database
from policypal.domain.documents import Document
from policypal.domain.identifiers import is_uuid
from policypal.domain.notes import PageProvision, PlacedNote
from policypal.domain.provisions import Kind, Provision
from policypal.domain.text import fitting
from policypal.domain.users import User
from policypal.domain.versions import version_families
from policypal.errors import NotFound

MAX_NOTE = 2_000
_QUOTED = 300
"""Characters of a provision that are kept with a note, for the day on which it is gone."""


class _Reading(NamedTuple):
    """What one reading made of a document; ``written`` changes with the next one."""

    db: Database
    user_id: str
    document_id: str
    written: str


class _Places(NamedTuple):
    """Where the provisions of a reading stand in its order: by their words, the same words again told apart by how often they came
    before, and by the labels that only one has."""

    anchors: Mapping[str, int]
    labels: Mapping[str, int]


_NOWHERE = _Places({}, {})


class Removed(NamedTuple):
    """A deleted note, as the page keeps it for an undo."""

    document_id: str
    id: str
    anchor: str
    label: str
    quote: str
    text: str


def load(app: Container, user: User, document_id: str) -> list[PlacedNote]:
    """The notes on a document in reading order, with those of its earlier editions whose words stand in it; then those whose
    provision is no longer in the text, and last what was noted on other words of earlier editions. Raises NotFound: no such document."""
    placed = list(_placed(app, user, library.get_document(app, user, document_id)))
    wanted: dict[str, list[int]] = {}
    for note, ordinal in placed:
        if ordinal is not None:
            wanted.setdefault(note.document_id, []).append(ordinal)
    found = {i: provisions_db.provisions_numbered(app.db, user.id, i, ordinals) for i, ordinals in wanted.items()}
    notes = [n if at is None else replace(n, provision=found[n.document_id].get(at)) for n, at in placed]
    return sorted(
        notes,
        key=lambda n: (n.document_id != document_id, n.provision is None, n.provision.ordinal if n.provision else 0),
    )


def on_page(app: Container, user: User, document_id: str, page: int) -> list[PageProvision]:
    """The provisions on a page that say more than a heading, in reading order, each with its notes. Raises NotFound: no such document."""
    notes: dict[int, list[PlacedNote]] = {}
    for note, ordinal in _placed(app, user, library.get_document(app, user, document_id)):
        if ordinal is not None and note.document_id == document_id:
            notes.setdefault(ordinal, []).append(note)
    stored, _ = provisions_db.provisions_on(app.db, user.id, [(document_id, page)])
    found = []
    for provision in stored.get(document_id, ()):
        here = [s for s in provision.sentences if s.page == page and s.kind is not Kind.HEADING]
        if here:
            ours = tuple(replace(n, provision=provision) for n in notes.get(provision.ordinal, ()))
            found.append(PageProvision(provision, min(s.start for s in here), max(s.end for s in here), ours))
    return found


def add(app: Container, user: User, document_id: str, ordinal: int, text: str = "") -> str:
    """Note something on the provision with this number in the document's order, or mark it only; the note's id.

    Raises:
        NotFound: no such document or provision; it may have been read again.
        InvalidInput: the note is too long.
    """
    library.get_document(app, user, document_id)
    words = fitting(text, MAX_NOTE, "note")
    provision = provisions_db.provisions_numbered(app.db, user.id, document_id, [ordinal]).get(ordinal)
    anchor = next((a for a, n in _places(app, user, document_id).anchors.items() if n == ordinal), "")
    if provision is None or not anchor:
        raise NotFound("This provision is no longer in the document, which may have been read again.")
    quote = _words(provision)[:_QUOTED]
    return notes_db.insert_note(
        app.db, user.id, document_id, anchor=anchor, label=provision.label, quote=quote, text=words
    )


def edit(app: Container, user: User, note_id: str, text: str) -> None:
    """Change what a note says. Raises NotFound: no such note; InvalidInput: it is too long."""
    words = fitting(text, MAX_NOTE, "note")
    if not is_uuid(note_id) or not notes_db.update_note(app.db, user.id, note_id, words):
        raise NotFound("This note was deleted.")


def delete(app: Container, user: User, note_id: str) -> Removed | None:
    """Delete a note; what :func:`put_back` needs. One that is gone already is no error."""
    removed = notes_db.delete_note(app.db, user.id, note_id) if is_uuid(note_id) else None
    if removed is None:
        return None
    document_id, note = removed
    return Removed(document_id, note.id, note.anchor, note.label, note.quote, note.text)


def put_back(app: Container, user: User, removed: Removed) -> None:
    """Take a deletion back; twice is once. Raises NotFound: the document is gone."""
    library.get_document(app, user, removed.document_id)
    notes_db.insert_note(
        app.db, user.id, removed.document_id, anchor=removed.anchor, label=removed.label, quote=removed.quote,
        text=removed.text, note_id=removed.id,
    )  # fmt: skip


def _placed(app: Container, user: User, document: Document) -> Iterator[tuple[PlacedNote, int | None]]:
    """The notes on a document and its earlier editions, with the numbers of the provisions they stand at: those with their words; in its
    own edition also the only one with its label, which then says something else."""
    editions = _editions(app, user, document)
    held = notes_db.list_notes(app.db, user.id, [d.id for d in editions])
    here = _places(app, user, document.id) if held else _NOWHERE
    for edition in editions:
        name = "" if edition is document else edition.version or edition.display_title
        for note in held.get(edition.id, ()):
            if name and note.anchor in here.anchors:
                yield PlacedNote(note, document.id, None, edition=name, is_carried=True), here.anchors[note.anchor]
                continue
            there = _places(app, user, edition.id) if name else here
            is_reworded = note.anchor not in there.anchors and note.label in there.labels
            ordinal = there.anchors.get(note.anchor, there.labels.get(note.label))
            yield PlacedNote(note, edition.id, None, is_reworded=is_reworded, edition=name), ordinal


def _editions(app: Container, user: User, document: Document) -> Sequence[Document]:
    """The document, then its earlier editions, the latest first; itself alone where nothing else is noted on."""
    if notes_db.noted_documents(app.db, user.id) <= {document.id}:
        return [document]
    family = version_families(library.list_documents(app, user)).get(document.id, ())
    position = next((n for n, d in enumerate(family) if d.id == document.id), len(family))
    return [document, *family[position + 1 :]]


def _places(app: Container, user: User, document_id: str) -> _Places:
    written = provisions_db.latest_reading(app.db, user.id, document_id)
    return _places_of(_Reading(app.db, user.id, document_id, written))


@lru_cache(maxsize=64)
def _places_of(reading: _Reading) -> _Places:
    """Looked for once per reading and process: every draw of a page asks, and the words of all provisions have to be read for it."""
    provisions = provisions_db.load_provisions(reading.db, reading.user_id, reading.document_id)
    seen: Counter[str] = Counter()
    anchors: dict[str, int] = {}
    for provision in provisions:
        words = entry_words(_words(provision))
        seen[words] += 1
        anchors[f"{words}-{seen[words]}"] = provision.ordinal
    labels = Counter(p.label for p in provisions)
    return _Places(anchors, {p.label: p.ordinal for p in provisions if p.label and labels[p.label] == 1})


def _words(provision: Provision) -> str:
    return " ".join(" ".join(s.text.split()) for s in provision.sentences)
