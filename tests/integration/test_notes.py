"""Notes on provisions: kept when the document is read again, and when their provision is reworded or gone (D15)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from openpyxl import load_workbook

from policypal.application import library, notes, register, trash
from policypal.application.container import Container
from policypal.db import provisions as provisions_db
from policypal.domain.documents import Document
from policypal.domain.provisions import Provision
from policypal.domain.users import User
from policypal.errors import InvalidInput, NotFound
from policypal.text.provisions import READER_VERSION
from tests.support.documents import add_text

_RULE = """Part 4 Incidents

4.1 A bank must report every serious incident to the Authority within 24 hours after discovery.
The report must name a contact.
4.2 The board must review the incident register at least once a year.
4.3 A bank must keep the register for five years.
"""


@pytest.fixture
def document(app: Container, user: User) -> Document:
    return add_text(app, user, "Incidents rule", _RULE)


def _provision(app: Container, user: User, document: Document, label: str) -> Provision:
    return next(p for p in provisions_db.load_provisions(app.db, user.id, document.id) if p.label == label)


def _note(app: Container, user: User, document: Document, label: str, text: str) -> str:
    return notes.add(app, user, document.id, _provision(app, user, document, label).ordinal, text)


def _store(app: Container, user: User, document: Document, provisions: Sequence[Provision]) -> None:
    with app.db.as_user(user.id) as c:
        provisions_db.insert_provisions(c, user.id, document.id, provisions, outline=[], version=READER_VERSION)


def _told(app: Container, user: User, document: Document) -> list[tuple[str, str, bool]]:
    held = notes.load(app, user, document.id)
    return [(n.note.text, n.provision.label if n.provision else "gone", n.is_reworded) for n in held]


def test_d15_notes_stand_in_reading_order_and_outlive_another_reading(
    app: Container, user: User, document: Document
) -> None:
    _note(app, user, document, "4.3", "  Ask records management  ")
    marked = _note(app, user, document, "4.1", "")
    app.ingestion.read_again(user.id, document.id)
    assert _told(app, user, document) == [("", "4.1", False), ("Ask records management", "4.3", False)]
    notes.edit(app, user, marked, "Shorter than the policy")
    assert _told(app, user, document)[0] == ("Shorter than the policy", "4.1", False)
    notes.delete(app, user, marked)
    notes.delete(app, user, marked)
    assert len(notes.load(app, user, document.id)) == 1


def test_d15_a_note_follows_its_words_when_provisions_are_numbered_anew(
    app: Container, user: User, document: Document
) -> None:
    _note(app, user, document, "4.2", "Once a year")
    held = provisions_db.load_provisions(app.db, user.id, document.id)
    _store(app, user, document, [replace(p, ordinal=n + 1) for n, p in enumerate(reversed(held))])
    assert _told(app, user, document) == [("Once a year", "4.2", False)]


def test_d15_a_reworded_provision_keeps_its_note_and_one_that_is_gone_loses_nothing(
    app: Container, user: User, document: Document
) -> None:
    _note(app, user, document, "4.1", "Two sentences")
    _note(app, user, document, "4.2", "The board")
    held = provisions_db.load_provisions(app.db, user.id, document.id)
    shorter = [replace(p, sentences=p.sentences[:1]) if p.label == "4.1" else p for p in held if p.label != "4.2"]
    _store(app, user, document, shorter)
    assert _told(app, user, document) == [("Two sentences", "4.1", True), ("The board", "gone", False)]
    (gone,) = (n.note for n in notes.load(app, user, document.id) if n.provision is None)
    assert gone.label == "4.2" and "review the incident register" in gone.quote
    _store(app, user, document, held)
    assert _told(app, user, document) == [("Two sentences", "4.1", False), ("The board", "4.2", False)]


def test_d15_the_provisions_of_a_page_come_with_their_notes_and_places(
    app: Container, user: User, document: Document
) -> None:
    _note(app, user, document, "4.1", "One")
    here = notes.on_page(app, user, document.id, 1)
    assert [(p.provision.label, [n.note.text for n in p.notes]) for p in here] == [("4.1", ["One"]), ("4.2", []), ("4.3", [])]  # fmt: skip
    page = provisions_db.load_reading(app.db, user.id, document.id)[0][0].text
    assert page[here[0].start : here[0].end].startswith("4.1 A bank") and page[: here[0].end].endswith("a contact.")


def test_d15_a_deleted_note_is_put_back_once(app: Container, user: User, document: Document) -> None:
    kept = _note(app, user, document, "4.1", "One")
    removed = notes.delete(app, user, kept)
    assert removed is not None and notes.load(app, user, document.id) == []
    for _ in range(2):
        notes.put_back(app, user, removed)
    assert _told(app, user, document) == [("One", "4.1", False)]
    assert notes.load(app, user, document.id)[0].note.id == kept
    library.delete(app, user, document.id)
    with pytest.raises(NotFound):
        notes.put_back(app, user, removed)


_NEW = _RULE.replace("24 hours", "4 hours").replace("4.3 A bank must keep the register for five years.\n", "")


def test_d15_notes_go_with_their_words_into_a_new_edition(app: Container, user: User) -> None:
    old = add_text(app, user, "Reporting rule", _RULE, version="2023")
    for label in ("4.1", "4.2", "4.3"):
        _note(app, user, old, label, f"On {label}")
    new = add_text(app, user, "Reporting rule", _NEW, version="2025")
    own = _note(app, user, new, "4.1", "Ours says 72")

    placed = notes.load(app, user, new.id)
    assert [(n.note.text, n.provision.label if n.provision else "", n.standing) for n in placed] == [
        ("Ours says 72", "4.1", ""),
        ("On 4.2", "4.2", "made on edition 2023"),
        ("On 4.1", "4.1", "for the earlier edition 2023"),
        ("On 4.3", "4.3", "for the earlier edition 2023"),
    ]
    assert [n.document_id for n in placed] == [new.id, new.id, old.id, old.id]
    here = notes.on_page(app, user, new.id, 1)
    assert [[n.note.text for n in p.notes] for p in here] == [["Ours says 72"], ["On 4.2"]]
    assert [n.note.text for n in notes.load(app, user, old.id)] == ["On 4.1", "On 4.2", "On 4.3"], "nothing goes back"

    newest = add_text(app, user, "Reporting rule", f"{_RULE}\n4.4 The board may ask for more.\n", version="2026")
    assert [(n.note.text, n.standing) for n in notes.load(app, user, newest.id)] == [
        ("On 4.1", "made on edition 2023"),
        ("On 4.2", "made on edition 2023"),
        ("On 4.3", "made on edition 2023"),
        ("Ours says 72", "for the earlier edition 2025"),
    ]
    notes.delete(app, user, own)
    library.delete(app, user, old.id)
    assert notes.load(app, user, newest.id) == []


def test_d15_all_provisions_are_read_once_and_again_after_another_reading(
    app: Container, user: User, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    _note(app, user, document, "4.3", "Keep")
    read: list[str] = []
    whole = provisions_db.load_provisions
    monkeypatch.setattr(provisions_db, "load_provisions", lambda *given: read.append(given[2]) or whole(*given))
    for _ in range(3):
        assert notes.load(app, user, document.id)[0].provision is not None
        notes.on_page(app, user, document.id, 1)
    assert read == [], "the note was placed when it was made"
    app.ingestion.read_again(user.id, document.id)
    for _ in range(2):
        assert _told(app, user, document) == [("Keep", "4.3", False)]
    assert read == [document.id]


def test_d15_notes_leave_with_the_files_of_the_register(app: Container, user: User, document: Document) -> None:
    _note(app, user, document, "4.2", "=Ask the board")
    _note(app, user, document, "4.2", "")
    found = register.load(app, user, document.id)
    told = register.with_notes(app, user, found)
    rows = list(csv.DictReader(io.StringIO(register.csv_of(told, told.entries).decode("utf-8-sig"))))
    assert [(r["Provision"], r["Notes on the provision"]) for r in rows] == [
        ("4.1", ""), ("4.1", ""), ("4.2", "'=Ask the board; (marked)"), ("4.3", ""),
    ]  # fmt: skip
    book = load_workbook(io.BytesIO(register.xlsx_of(told, told.entries)))
    assert book.sheetnames == ["Register", "Notes", "Document"]
    assert [[c.value for c in row][:4] for row in book["Notes"].iter_rows(min_row=2)] == [
        ["4.2", 1, "'=Ask the board", None], ["4.2", 1, "(marked)", None],
    ]  # fmt: skip
    assert "Notes" not in load_workbook(io.BytesIO(register.xlsx_of(found, found.entries))).sheetnames


def test_d15_what_cannot_be_noted_is_refused(app: Container, user: User, document: Document) -> None:
    note = _note(app, user, document, "4.1", "One")
    with pytest.raises(InvalidInput):
        notes.edit(app, user, note, "x" * (notes.MAX_NOTE + 1))
    with pytest.raises(NotFound):
        notes.add(app, user, document.id, 999, "Nowhere")
    with pytest.raises(NotFound):
        notes.edit(app, user, "no id", "Nowhere")
    library.delete(app, user, document.id)
    with pytest.raises(NotFound):
        notes.load(app, user, document.id)
    trash.restore(app, user, [document.id])
    assert _told(app, user, document) == [("One", "4.1", False)]
