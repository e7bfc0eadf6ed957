"""Notes on the provisions of a document: made, changed, found again when the document was read again (D15)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from policypal.application import library
from policypal.application.container import Container
from policypal.audit.register import entry_words
from policypal.db import notes as notes_db
from policypal.db import provisions as provisions_db
from policypal.domain.identifiers import is_uuid
from policypal.domain.notes import Note, PageProvision, PlacedNote
from policypal.domain.provisions import Kind, Provision
from policypal.domain.text import fitting
from policypal.domain.users import User
from policypal.errors import NotFound

MAX_NOTE = 2_000
_QUOTED = 300
"""Characters of a provision that are kept with a note, for the day on which it is gone."""


def load(app: Container, user: User, document_id: str) -> list[PlacedNote]:
    """The notes on a document in reading order, last those whose provision is no longer in the text. Raises NotFound: no such document."""
    library.get_document(app, user, document_id)
    held = notes_db.list_notes(app.db, user.id, document_id)
    if not held:
        return []
    placed = _placed(held, provisions_db.load_provisions(app.db, user.id, document_id))
    return sorted(placed, key=lambda p: (p.provision is None, p.provision.ordinal if p.provision else 0))


def on_page(app: Container, user: User, document_id: str, page: int) -> list[PageProvision]:
    """The provisions on a page that say more than a heading, in reading order, each with its notes. Raises NotFound: no such document."""
    notes = load(app, user, document_id)
    stored, _ = provisions_db.provisions_on(app.db, user.id, [(document_id, page)])
    found = []
    for provision in stored.get(document_id, ()):
        here = [s for s in provision.sentences if s.page == page and s.kind is not Kind.HEADING]
        if here:
            ours = tuple(n for n in notes if n.provision and n.provision.ordinal == provision.ordinal)
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
    provisions = provisions_db.load_provisions(app.db, user.id, document_id)
    anchor, provision = next(((a, p) for a, p in _anchored(provisions).items() if p.ordinal == ordinal), ("", None))
    if provision is None:
        raise NotFound("This provision is no longer in the document, which may have been read again.")
    return notes_db.insert_note(
        app.db,
        user.id,
        document_id,
        anchor=anchor,
        label=provision.label,
        quote=_words(provision)[:_QUOTED],
        text=words,
    )


def edit(app: Container, user: User, note_id: str, text: str) -> None:
    """Change what a note says. Raises NotFound: no such note; InvalidInput: it is too long."""
    words = fitting(text, MAX_NOTE, "note")
    if not is_uuid(note_id) or not notes_db.update_note(app.db, user.id, note_id, words):
        raise NotFound("This note was deleted.")


def delete(app: Container, user: User, note_id: str) -> None:
    """Delete a note for good; one that is gone already is no error."""
    if is_uuid(note_id):
        notes_db.delete_note(app.db, user.id, note_id)


def _placed(notes: Sequence[Note], provisions: Sequence[Provision]) -> list[PlacedNote]:
    """A note stands at the provision with its words; else at the only one with its label, which then says something else."""
    anchored = _anchored(provisions)
    labels = Counter(p.label for p in provisions)
    labelled = {p.label: p for p in provisions if p.label and labels[p.label] == 1}
    return [
        PlacedNote(n, anchored[n.anchor]) if n.anchor in anchored
        else PlacedNote(n, labelled.get(n.label), is_reworded=n.label in labelled)
        for n in notes
    ]  # fmt: skip


def _anchored(provisions: Sequence[Provision]) -> Mapping[str, Provision]:
    """The provisions by their words; the same words again are told apart by how often they came before."""
    seen: Counter[str] = Counter()
    found: dict[str, Provision] = {}
    for provision in provisions:
        words = entry_words(_words(provision))
        seen[words] += 1
        found[f"{words}-{seen[words]}"] = provision
    return found


def _words(provision: Provision) -> str:
    return " ".join(" ".join(s.text.split()) for s in provision.sentences)
