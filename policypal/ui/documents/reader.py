"""One document: its pages as picture and text with the cited passage marked, and what is known about it (D9, D10)."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from policypal.application import library, reading
from policypal.application import notes as notes_app
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.notes import PageProvision
from policypal.domain.reading import Hit, Hits, OpenPage
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, labels, places, state
from policypal.ui.documents import (
    actions,
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
    st.button(
        "All documents",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=st.query_params.clear,
        key="back_to_library",
    )
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
        if noted.open:
            with noted:
                notes.show(app, user, document)
        if obligations.open:
            with obligations:
                register.show(app, user, document)
        if details.open:
            st.session_state[state.DETAILS_OF] = document.id
        # From the first time they are opened. Their fields for tags run the page again as soon as they have loaded, and a page
        # that runs again takes back a click that was leading to another page.
        if st.session_state.get(state.DETAILS_OF) == document.id:
            with details:
                document_versions.show_details(app, user, document)


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
    _search(app, user, document, place)
    page = page_view.open_page(app, user, place)
    here = notes_app.on_page(app, user, document.id, page.number)
    if clicked is not None:
        notes.choose(app, user, document, clicked, here)
    if place.names_passage and page.span is None:
        st.info("The passage of this link does not stand on this page. The document may have been replaced.")
    _page(app, user, document, page, view, here)


def _take_click(document: Document) -> int | None:
    """A line of the page list or a hit was clicked: its place goes into the address. Of a provision's handle its number."""
    name, number = clicks.clicked() or ("", 0)
    match name.split(":"):
        case [notes.CLICKS]:
            return number
        case [page_view.LIST_CLICKS]:
            places.turn_to(places.asked(), number)
        case [page_view.HIT_CLICKS, page, start] if page.isdecimal() and start.isdecimal():
            places.go(Place(document.id, int(page), start=int(start), end=number))
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


_HITS_SHOWN = 50


def _search(app: Container, user: User, document: Document, place: Place) -> None:
    """The field, and what it finds; a click on a hit is told by ``clicks`` and read by :func:`_take_click`."""
    key = f"reader_search_{document.id}"
    words = labels.search_field("Search in this document", key, most=reading.MAX_SEARCHED_CHARACTERS)
    if not words.strip():
        return
    with errors.shown():
        count = reading.search(app, user, document.id, words, size=0)
        st.html(f'<div class="pp-muted" role="status">{_summary(count)}</div>')
        if count.total:
            window = labels.page_of(range(count.total), _HITS_SHOWN, key=f"{key}_{words}")
            _list(reading.search(app, user, document.id, words, first=window[0], size=len(window)), place)


def _summary(found: Hits) -> str:
    if not found.total:
        return "Nothing found. Case and spacing do not matter; try fewer words."
    return f"{counted(found.total, 'place')} on {counted(found.pages, 'page')}"


def _list(found: Hits, place: Place) -> None:
    rows = "".join(_hit_row(hit, is_open=_is_open(hit, place)) for hit in found.shown)
    with st.container(height=190 if len(found.shown) > 4 else "content", border=True, key="reader_hits"):
        st.html(f'<ol class="pp-hits">{rows}</ol>')


def _is_open(hit: Hit, place: Place) -> bool:
    return (hit.page, hit.start, hit.end) == (place.page, place.start, place.end)


def _hit_row(hit: Hit, *, is_open: bool) -> str:
    here = ' aria-current="true"' if is_open else ""
    return (
        f'<li><button type="button" data-pp-open="{page_view.HIT_CLICKS}:{hit.page}:{hit.start}:{hit.end}"{here}><b>Page {hit.page}</b>'
        f"<span>… {text(hit.before)}<mark>{text(hit.words)}</mark>{text(hit.after)} …</span></button></li>"
    )
