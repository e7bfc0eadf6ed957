"""The documents of the library, a line each, grouped by set (D3, D4)."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

import streamlit as st

from policypal.application import processing
from policypal.application.catalogue import Entry
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.reading import ELLIPSIS, Piece
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import places, state
from policypal.ui.chat import badges
from policypal.ui.documents import actions, ingestion_progress
from policypal.ui.markup import plain, text
from policypal.ui.places import Place

_NO_SET = "No set (global)"
_MOST_TAGS = 4


def show(app: Container, user: User, entries: Sequence[Entry], excerpts: Mapping[str, Sequence[Piece]]) -> None:
    """The lines, under the names of their sets."""
    picking = is_picking()
    for (name, colour), members in groupby(entries, key=lambda e: (e.document.set_name, e.document.set_colour)):
        st.html(f'<div class="pp-set">{dot_html(colour)}{text(name or _NO_SET)}</div>')
        for entry in members:
            _row(app, user, entry, excerpts.get(entry.document.id, ()), picking=picking)
            if entry.document.status is DocumentStatus.FAILED:
                with st.container(
                    horizontal=True, vertical_alignment="center", gap="small", key=f"failed_{entry.document.id}"
                ):
                    ingestion_progress.failed_help(app, user, entry.document, is_listed=True)


def dot_html(colour: str | None) -> str:
    """The mark of a set."""
    style = f' style="--pp-dot:{text(colour)}"' if colour else ""
    return f'<span class="pp-dot"{style}></span>'


def facts_html(document: Document) -> str:
    """Type, state, pages and tags of a document in one line."""
    return f'<div class="pp-meta">{badges.document_type(document.type)}{_facts(document)}</div>'


def is_picking() -> bool:
    """Whether documents are being selected, so that each has a checkbox."""
    return bool(st.session_state.get(state.LIBRARY_PICKING))


def start_picking() -> None:
    """Give every document a checkbox."""
    st.session_state[state.LIBRARY_PICKING] = True


def stop_picking() -> None:
    """Select nothing and take the checkboxes away."""
    state.forget(state.LIBRARY_PICKING)
    pick([])


def pick(ids: Sequence[str]) -> None:
    """Select these documents and no others."""
    st.session_state[state.LIBRARY_PICKED] = list(ids)
    state.renew(state.LIBRARY_PICKS)  # other checkboxes, which begin with what is selected now


def picked() -> list[str]:
    """The ids of the selected documents. What the checkboxes say counts, however many were clicked at once; those of
    other pages keep what they said."""
    ids = dict.fromkeys(st.session_state.get(state.LIBRARY_PICKED) or ())
    prefix = _pick_key("")
    for key, is_picked in st.session_state.items():
        if str(key).startswith(prefix):
            document_id = str(key).removeprefix(prefix)
            ids.pop(document_id, None) if not is_picked else ids.setdefault(document_id)
    st.session_state[state.LIBRARY_PICKED] = list(ids)
    return list(ids)


def _pick_key(document_id: str) -> str:
    return f"pick_{state.nonce(state.LIBRARY_PICKS)[:8]}_{document_id}"


def _row(app: Container, user: User, entry: Entry, excerpt: Sequence[Piece], *, picking: bool) -> None:
    """The document with what can be done with it; a checkbox in its place while documents are selected."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small"):
        if picking:
            _checkbox(entry.document)
        _title(entry)
        if not picking:
            actions.menu(app, user, entry.document)
    if excerpt and entry.match:
        quote = "".join(p.text for p in excerpt if p.text.strip() != ELLIPSIS)
        _hit(Place(entry.document.id, entry.match.page, quote), excerpt)


def _title(entry: Entry) -> None:
    d = entry.document
    below = "older_" if entry.is_below_latest else ""
    label = f"{plain(d.display_title)} :small[{_marks(entry)}{' · '.join(map(plain, _fact_words(d)))}]"
    if st.button(label, key=f"docrow_{below}{d.type}_{d.id}", type="tertiary", width="stretch", wrap=True):
        _open(Place(d.id))


def _hit(place: Place, excerpt: Sequence[Piece]) -> None:
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", gap="small", key=f"dochit_{place.document_id}"
    ):
        if st.button(f"Page {place.page}", key=f"hit_{place.document_id}", type="tertiary"):
            _open(place)
        st.html(f'<div class="pp-hit">{_marked(excerpt)}</div>', width="stretch")


def _open(place: Place) -> None:
    places.go(place)
    st.rerun()


def _checkbox(d: Document) -> None:
    st.checkbox(
        f"Select {_spoken(d.display_title)}", d.id in (st.session_state.get(state.LIBRARY_PICKED) or ()),
        key=_pick_key(d.id), label_visibility="collapsed", width="content",
    )  # fmt: skip


def _spoken(title: str) -> str:
    """A title for an accessible name, which shows the escapes of Markdown: without what Markdown could read instead."""
    return " ".join(re.sub(r"[^\w\s(),.-]", " ", title).replace("_", " ").split())


def _marks(entry: Entry) -> str:
    """Marks in the Markdown of a label."""
    unread = _unread_mark(entry.document)
    if entry.latest is None:
        return unread
    latest = entry.latest
    name = latest.version if latest.version and latest.title == entry.document.title else latest.display_title
    return f":gray-badge[{plain(f'Superseded by {name}')}] {unread}"


def _unread_mark(d: Document) -> str:
    if processing.is_cancelled(d):
        return ":gray-badge[Cancelled] "
    return ":red-badge[Failed] " if d.status is DocumentStatus.FAILED else ""


def _facts(d: Document) -> str:
    shown = [] if d.status is DocumentStatus.READY else [badges.document_status(d)]
    return "".join([*shown, *(f'<span class="pp-muted">{text(fact)}</span>' for fact in _fact_words(d))])


def _fact_words(d: Document) -> list[str]:
    facts = [f"#{t}" for t in d.tags[:_MOST_TAGS]]
    if len(d.tags) > _MOST_TAGS:
        facts.append(f"+{len(d.tags) - _MOST_TAGS}")
    if d.pages_without_text:
        facts.append(f"{d.pages_without_text} without text")
    if d.ocr_pages:
        facts.append(f"{len(d.ocr_pages)} by text recognition")
    if d.guessed_encoding:
        facts.append(f"encoding guessed ({d.guessed_encoding})")
    if d.status is DocumentStatus.READY:
        facts += [counted(d.pages, "page"), counted(d.chunks, "passage")]
    return facts


def _marked(excerpt: Sequence[Piece]) -> str:
    return "".join(f"<mark>{text(p.text)}</mark>" if p.is_hit else text(p.text) for p in excerpt)
