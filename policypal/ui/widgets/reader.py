"""One document: its pages as picture and text, its metadata, deleting it (D9, D10)."""

from __future__ import annotations

import streamlit as st

from policypal.application import library
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.markup import text
from policypal.ui.widgets import library_list, page_view
from policypal.ui.widgets.document_form import choose_set, choose_type
from policypal.ui.widgets.tags import tag_input


def show(app: Container, user: User, document_id: str) -> None:
    """The reader, or why the document cannot be read."""
    st.button("All documents", icon=":material/arrow_back:", type="tertiary", on_click=close, key="back_to_library")
    with errors.shown():
        document = library.get_document(app, user, document_id)
        st.html(f"<h1>{text(document.display_title)}</h1>{library_list.facts_html(document)}")
        if document.status is DocumentStatus.FAILED:
            library_list.failed_help(app, user, document)
        reading, details = st.tabs(["Read", "Details"])
        with reading:
            _pages(app, user, document)
        with details:
            _edit(app, user, document)
            _delete(app, user, document)


def close() -> None:
    st.query_params.clear()


def _pages(app: Container, user: User, document: Document) -> None:
    if document.status is not DocumentStatus.READY:
        st.caption("The pages can be read as soon as the document is ready.")
        return
    number = _jump(document)
    picture, page_text = st.columns(2, gap="medium")
    with picture:
        page_view.show(app, user, document.id, number)
    with page_text, errors.shown():
        st.html('<div class="pp-group">Text as PolicyPal reads it</div>')
        page_view.show_text(app, user, document.id, number)


def _jump(document: Document) -> int:
    """Back, forward, or straight to a page; the page stands in the address."""
    key = f"page_{document.id}"
    if key not in st.session_state:
        asked = st.query_params.get(state.PARAM_PAGE, "1")
        st.session_state[key] = min(max(1, int(asked) if asked.isdigit() else 1), max(1, document.pages))
    with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
        at = int(st.session_state[key])
        st.button(
            "Back", key="page_back", icon=":material/chevron_left:", on_click=_turn, args=(key, -1), disabled=at <= 1
        )
        number = st.number_input("Page", 1, max(1, document.pages), key=key, width=130, label_visibility="collapsed")
        st.html(f'<span class="pp-muted">of {document.pages}</span>', width="content")
        st.button(
            "Next", key="page_next", icon=":material/chevron_right:", on_click=_turn, args=(key, 1),
            disabled=at >= document.pages,
        )  # fmt: skip
    st.query_params[state.PARAM_PAGE] = str(int(number))
    return int(number)


def _turn(key: str, by: int) -> None:
    st.session_state[key] = int(st.session_state[key]) + by


def _edit(app: Container, user: User, document: Document) -> None:
    key = f"edit_{document.id}"
    left, right = st.columns([3, 1])
    title = left.text_input("Title", document.title, key=f"{key}_title", max_chars=300)
    version = right.text_input("Version or year", document.version, key=f"{key}_version", max_chars=100)
    kind = choose_type(f"{key}_type", document.type)
    chosen = choose_set(library.list_sets(app, user), key, document.set_name)
    aliases = tag_input("Aliases: other names people use for it", document.aliases, key=f"{key}_aliases")
    tags = tag_input("Tags", document.tags, key=f"{key}_tags")
    st.caption(f"File: {document.filename} · {document.size_bytes / 1024:,.0f} KB".replace("[", "(").replace("]", ")"))
    if st.button("Save", key=f"{key}_save", type="primary"):
        with errors.shown():
            library.edit(
                app, user, document.id, title=title or "", version=version or "", type=kind, set_name=chosen.name,
                set_colour=chosen.colour, aliases=aliases, tags=tags,
            )  # fmt: skip
            state.notify("Saved.")
            st.rerun()


def _delete(app: Container, user: User, document: Document) -> None:
    with st.popover("Delete document", icon=":material/delete:"):
        st.markdown("Deletes the file and everything read from it. Reports that cite it keep their quotes.")
        if st.button("Delete for good", key=f"delete_{document.id}", type="primary"):
            with errors.shown():
                library.delete(app, user, document.id)
                close()
                state.notify("Document deleted.")
                st.rerun()
