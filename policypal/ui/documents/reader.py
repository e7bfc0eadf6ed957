"""One document: its pages as picture and text with the cited passage marked, and what is known about it (D9, D10)."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from policypal.application import library, reading
from policypal.application import notes as notes_app
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.notes import PageProvision
from policypal.domain.reading import OpenPage
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, places, state
from policypal.ui.documents import (
    actions,
    document_details,
    document_search,
    document_versions,
    ingestion_progress,
    library_rows,
    notes,
    page_view,
    register,
)
from policypal.ui.html import html
from policypal.ui.labels import Labels
from policypal.ui.markup import plain, text
from policypal.ui.places import Place
from policypal.ui.shared import clicks

_BOTH, _PICTURE, _TEXT, _TWO = "Page and text", "Page", "Text", "Beside another"


def show(app: Container, user: User, document_id: str) -> None:
    """The reader, or why the document cannot be read."""
    st.button("All documents", icon=":material/arrow_back:", type="tertiary", on_click=close, key="back_to_library")
    with errors.shown():
        document = library.get_document(app, user, document_id)
        st.html(f"<h1>{text(document.display_title)}</h1>{library_rows.facts_html(document)}")
        actions.bar(document)
        document_versions.offer(app, user, document)
        if document.status is DocumentStatus.FAILED:
            ingestion_progress.failed_help(app, user, document)
        read, noted, obligations, details = st.tabs(
            ["Read", "Notes", "Register", "Details"], key=state.own(state.READER_TAB, document_id), on_change="rerun"
        )
        with read:
            _read(app, user, document)
        with noted:
            if noted.open:
                notes.show(app, user, document)
        with obligations:
            if obligations.open:
                register.show(app, user, document)
        with details:
            _details(app, user, document, is_open=bool(details.open))


def _details(app: Container, user: User, document: Document, *, is_open: bool) -> None:
    """From the first time they are opened. Their fields for tags run the page again as soon as they have loaded, and a page
    that runs again takes back a click that was leading to another page."""
    if is_open:
        st.session_state[state.DETAILS_OF] = document.id
    if st.session_state.get(state.DETAILS_OF) == document.id:
        document_details.show(app, user, document)


def close() -> None:
    st.query_params.clear()


def _read(app: Container, user: User, document: Document) -> None:
    if document.status is not DocumentStatus.READY or not document.pages:
        is_failed = document.status is DocumentStatus.FAILED
        st.caption(
            f"There are no pages to show: {plain(document.reason or 'the document could not be read.')}" if is_failed
            else "The pages can be read as soon as the document is ready."
        )  # fmt: skip
        return
    clicked = _take_click(document)
    place = _checked(places.asked(), document)
    outline = reading.outline(app, user, document.id)
    page_view.show_list(reading.page_list(app, user, document.id), outline, place.page, document.ocr_pages)
    view = _toolbar(document, place)
    document_search.show(app, user, document, place)
    page = page_view.open_page(app, user, place)
    here = notes_app.on_page(app, user, document.id, page.number)
    if clicked is not None:
        notes.choose(app, user, document, clicked, here)
    if place.names_passage and page.span is None:
        st.info("The passage of this link does not stand on this page. The document may have been replaced.")
    _page(app, user, document, page, view, here)


def _take_click(document: Document) -> int | None:
    """A line of the page list or a hit was clicked: its place goes into the address. Of a provision's handle its number."""
    clicked = clicks.clicked()
    if clicked is None:
        return None
    if clicked[0] == notes.CLICKS:
        return clicked[1]
    if clicked[0] == page_view.LIST_CLICKS:
        places.turn_to(places.asked(), clicked[1])
    elif hit := document_search.clicked_place(*clicked, document.id):
        places.go(hit)
    return None


def _checked(place: Place, document: Document) -> Place:
    """The place with the id as it is stored, on a page that exists; the nearest one if there is no such page, and a word
    about it."""
    nearest = min(max(1, place.page), document.pages)
    if nearest == place.page:
        return replace(place, document_id=document.id)
    st.warning(
        f"This document has {counted(document.pages, 'page')}; there is no such page as this link names. Page {nearest} is shown."
    )
    return Place(document.id, nearest)


def _toolbar(document: Document, place: Place) -> str:
    """Back, forward, straight to a page, the view, the link; the view that was chosen."""
    with st.container(horizontal=True, vertical_alignment="center", key="reader_toolbar", gap="small"):
        _turn("Back", "page_back", "Left", place, -1, disabled=place.page <= 1)
        st.session_state[state.READER_PAGE] = place.page
        st.number_input(
            "Page", 1, document.pages, key=state.READER_PAGE, width=80, label_visibility="collapsed",
            on_change=_jumped, args=(place,),
        )  # fmt: skip
        st.html(f'<span class="pp-muted">of {document.pages:,}</span>', width="content")
        _turn("Next", "page_next", "Right", place, 1, disabled=place.page >= document.pages)
        view = _view(document)
        what = "passage" if place.names_passage else "page"
        copy = clicks.copy_button(
            places.address(place), "Copy link", f"Copy the address that opens this {what}", "link"
        )
        html(copy, width="content")
    return view


def _view(document: Document) -> str:
    drawn = [_BOTH, _PICTURE] if reading.has_pictures(document) else []
    chosen = st.segmented_control(
        "View", [*drawn, _TEXT, _TWO], default=drawn[0] if drawn else _TEXT, required=True, label_visibility="collapsed",
        key=state.READER_VIEW if drawn else state.own(state.READER_VIEW, "text"),
    )  # fmt: skip
    return str(chosen)


def _turn(label: str, key: str, shortcut: str, place: Place, by: int, *, disabled: bool) -> None:
    st.button(
        label, key=key, shortcut=shortcut, disabled=disabled, on_click=places.turn_to, args=(place, place.page + by)
    )


def _jumped(place: Place) -> None:
    places.turn_to(place, int(st.session_state[state.READER_PAGE]))


def _page(
    app: Container, user: User, document: Document, page: OpenPage, view: str, here: Sequence[PageProvision]
) -> None:
    if view == _PICTURE:
        notes.beside(app, user, document, here)
        with st.container(key="page_view"):
            page_view.picture(app, user, document, page, is_large=True)
    elif view == _TEXT:
        _text(app, user, document, page, here)
    elif view == _TWO:
        left, right = st.columns(2, gap="medium")
        with left, st.container(key="page_view"), errors.shown():
            if reading.has_pictures(document):
                page_view.picture(app, user, document, page)
            else:
                page_view.show_text(document, page)
        with right, errors.shown():
            _other(app, user, document, page)
    else:
        left, right = st.columns(2, gap="medium")
        with left, st.container(key="page_view"), errors.shown():
            page_view.picture(app, user, document, page)
        with right, st.container(key="page_text"):
            st.html('<h2 class="pp-group">Text as PolicyPal reads it</h2>')
            _text(app, user, document, page, here)


def _text(app: Container, user: User, document: Document, page: OpenPage, here: Sequence[PageProvision]) -> None:
    notes.beside(app, user, document, here)
    page_view.show_text(document, page, here, notes.chosen(document))


def _other(app: Container, user: User, document: Document, page: OpenPage) -> None:
    """A page of another document beside this one: of its earlier version, unless somebody chooses another one."""
    others = [
        d
        for d in library.list_documents(app, user)
        if d.status is DocumentStatus.READY and d.pages and d.id != document.id
    ]
    ids = [d.id for d in others]
    before = document.previous_version_id
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    chosen = left.selectbox(
        "Beside it", ids, index=ids.index(before) if before in ids else None, placeholder="Choose a document",
        format_func=Labels({d.id: d.display_title for d in others}), key=state.own(state.READER_OTHER, document.id),
    )  # fmt: skip
    if chosen is None:
        return
    other = others[ids.index(chosen)]
    number = right.number_input(
        "Its page", 1, other.pages, min(page.number, other.pages), key=state.own(state.READER_OTHER_PAGE, other.id)
    )
    page_view.show(app, user, Place(other.id, int(number)), key="page_view_other")
