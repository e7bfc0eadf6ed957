"""Notes on the provisions of a document: beside its page, and all of them in a list; and provisions chosen to be asked about (D15, U11)."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from policypal.application import notes, reading
from policypal.application.container import Container
from policypal.domain.conversations import Action
from policypal.domain.documents import Document
from policypal.domain.notes import Note, PageProvision, PlacedNote
from policypal.domain.provisions import Provision
from policypal.domain.users import User
from policypal.ui import errors, places, state
from policypal.ui.chat import composer
from policypal.ui.html import html
from policypal.ui.markup import beginning, plain, text
from policypal.ui.places import Place

CLICKS = "provision"
"""A click on the handle of a provision is told by ``clicks`` as ("provision", its number)."""
_NAME_LETTERS = 40
_HINT = "The mark ¶ before a provision opens a note on it, or asks about it."


def name_of(provision: Provision) -> str:
    """How a provision is called: by its number, else by its first words."""
    words = " ".join(" ".join(s.text for s in provision.sentences).split())
    return provision.label or f"“{beginning(words, _NAME_LETTERS)}”"


def choose(app: Container, user: User, document: Document, ordinal: int, here: Sequence[PageProvision]) -> None:
    """Choose a provision of the page, or leave it out again."""
    names, references, key = _chosen(document), _chosen(document, "references"), str(ordinal)
    if key in names:
        del names[key], references[key]
    else:
        for provision in (p.provision for p in here if p.provision.ordinal == ordinal):
            names[key] = name_of(provision)
            references[key] = reading.reference(app, user, document.id, provision)
    st.session_state[state.CHOSEN_PROVISIONS] = {"document": document.id, "names": names, "references": references}


def chosen(document: Document) -> set[int]:
    """The numbers of the chosen provisions of a document."""
    return {int(ordinal) for ordinal in _chosen(document)}


def beside(app: Container, user: User, document: Document, here: Sequence[PageProvision]) -> None:
    """What can be done with the chosen provisions, and the notes on this page."""
    names = _chosen(document)
    if names:
        with st.container(key="provision_panel", border=True):
            _panel(app, user, document, names)
    elif here:
        st.caption(_HINT)
    _undo(app, user, document, "here")
    for provision in here:
        for placed in provision.notes:
            _card(app, user, document, placed)


def show(app: Container, user: User, document: Document) -> None:
    """All notes on a document, in reading order; last those whose provision is no longer in the text, and those for earlier editions."""
    with errors.shown():
        _undo(app, user, document, "listed")
        held = notes.load(app, user, document.id)
        if not held:
            st.caption(f"Nothing noted yet. {_HINT}")
        for placed in held:
            _card(app, user, document, placed, is_listed=True)


def _chosen(document: Document, what: str = "names") -> dict[str, str]:
    """The names (or references) of the chosen provisions by their numbers; those of another document are forgotten."""
    held = state.mapping(state.CHOSEN_PROVISIONS)
    return dict(held[what]) if held.get("document") == document.id else {}


def _panel(app: Container, user: User, document: Document, names: dict[str, str]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        pills = "".join(f'<span class="pp-pill">{text(name)}</span>' for name in names.values())
        html(f'<div role="status">{pills}</div>', width="stretch")
        _ask(document)
        st.button(
            "Clear", key="provision_clear", type="tertiary", on_click=state.forget, args=(state.CHOSEN_PROVISIONS,)
        )
    if len(names) == 1:
        ordinal = int(next(iter(names)))
        with st.form(f"note_new_{document.id}_{ordinal}", border=False, clear_on_submit=True):
            words = _field("Note", "")
            if st.form_submit_button("Save note", type="primary"):
                _add(app, user, document, ordinal, words)


def _ask(document: Document) -> None:
    """Write the beginning of a question that is answered from the chosen provisions alone (U11)."""
    references = list(_chosen(document, "references").values())
    if st.button(
        "Ask about it" if len(references) == 1 else f"Ask about these {len(references)}", key="provision_ask", icon=":material/chat:",
        disabled="" in references, help="It has no number to be asked by." if "" in references else None,
    ):  # fmt: skip
        state.forget(state.CHOSEN_PROVISIONS)
        composer.write_in_new_chat(Action.INQUIRE, " ", document, f" {', '.join(references)}: ")


def _add(app: Container, user: User, document: Document, ordinal: int, words: str) -> None:
    with errors.shown():
        notes.add(app, user, document.id, ordinal, words)
        state.forget(state.CHOSEN_PROVISIONS)
        st.rerun()


def _field(label: str, words: str) -> str:
    return st.text_area(
        label, words, max_chars=notes.MAX_NOTE, height=80, placeholder="What to remember. Without words, the provision is marked only.",
    ) or ""  # fmt: skip


def _undo(app: Container, user: User, document: Document, where: str) -> None:
    """The note of this document that was deleted last, with a way back."""
    held = state.mapping(state.NOTE_UNDO)
    if held.get("document") != document.id:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"note_undo_{where}"):
        html('<span role="status">Note deleted.</span>', width="content")
        if st.button("Undo", key=f"note_take_back_{where}", icon=":material/undo:"):
            with errors.shown():
                notes.put_back(app, user, notes.Removed(**held["removed"]))
                state.forget(state.NOTE_UNDO)
                st.rerun()
        st.button(
            "Dismiss", key=f"note_dismiss_{where}", type="tertiary", on_click=state.forget, args=(state.NOTE_UNDO,)
        )


def _card(app: Container, user: User, document: Document, placed: PlacedNote, *, is_listed: bool = False) -> None:
    """A note with its place, and the way to change or delete it."""
    note, key = placed.note, f"{'listed' if is_listed else 'here'}_{placed.note.id}"
    with st.container(horizontal=True, wrap=False, vertical_alignment="top", gap="small", key=f"note_row_{key}"):
        with st.container(gap=None, width="stretch"):
            html(_card_html(placed, has_quote=is_listed))
            if is_listed and placed.provision is not None:
                place = _place(placed.document_id, placed.provision)
                of = f" of edition {placed.edition}" if placed.edition and not placed.is_carried else ""
                st.button(
                    f"Page {place.page}{of}", key=f"note_page_{note.id}", type="tertiary", on_click=_open, args=(place,)
                )
        changed = f"{note.updated_at:%H%M%S%f}"  # another key closes what was open when the note was saved
        with st.popover("Change", icon=":material/edit:", type="tertiary", key=f"edit_note_{key}_{changed}"):
            if placed.edition:
                st.caption(plain(f"It is a note on edition {placed.edition}, and changes there, too."))
            _change(app, user, document, note, key)


def _change(app: Container, user: User, document: Document, note: Note, key: str) -> None:
    with st.form(f"note_form_{key}", border=False):
        words = _field("Note", note.text)
        if st.form_submit_button("Save", type="primary"):
            with errors.shown():
                notes.edit(app, user, note.id, words)
                st.rerun()
    if st.button("Delete this note", key=f"note_delete_{key}", icon=":material/delete:", type="tertiary"):
        if removed := notes.delete(app, user, note.id):
            st.session_state[state.NOTE_UNDO] = {"document": document.id, "removed": removed._asdict()}
        st.rerun()


def _card_html(placed: PlacedNote, *, has_quote: bool) -> str:
    note = placed.note
    where = text(name_of(placed.provision) if placed.provision else note.label)
    where += f" <i>{text(placed.standing)}</i>" if placed.standing else ""
    is_quoted = has_quote or placed.provision is None or placed.is_reworded
    quote = f'<div class="pp-quote">{text(note.quote)}</div>' if is_quoted else ""
    said = f"<p>{text(note.text)}</p>" if note.text else '<p class="pp-muted">Marked</p>'
    return f'<div class="pp-provision-note"><b>{where}</b>{quote}{said}</div>'


def _place(document_id: str, provision: Provision) -> Place:
    page = provision.sentences[0].page if provision.sentences else provision.page
    here: list[Any] = [s for s in provision.sentences if s.page == page]
    return Place(document_id, page, start=here[0].start, end=here[-1].end) if here else Place(document_id, page)


def _open(place: Place) -> None:
    st.session_state[state.own(state.READER_TAB, place.document_id)] = "Read"
    places.go(place)
