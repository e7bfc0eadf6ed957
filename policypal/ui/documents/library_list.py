"""The library: found, filtered, sorted, selected, page by page (D3)."""

from collections.abc import Sequence
from zlib import crc32

import streamlit as st

from policypal.application import catalogue, library, sets
from policypal.application.catalogue import Entry, Filter
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.documents import bulk_edit, library_filters, library_rows
from policypal.ui.labels import Labels

PAGE_SIZE = 25
VIEW_SETS, VIEW_DELETED = "sets", "deleted"
_VIEWS = {VIEW_SETS: "Manage sets", VIEW_DELETED: "Recently deleted"}


def show(app: Container, user: User, documents: Sequence[Document]) -> None:
    """The list of what has been read or could not be, of all ``documents`` of the user."""
    _list(app, user, [documents])


@st.fragment
def _list(app: Container, user: User, just_read: list[Sequence[Document]]) -> None:
    """A click in the list draws only the list again. ``just_read`` is what the page has read itself, for the first time."""
    with errors.shown():
        everything = just_read.pop() if just_read else library.list_documents(app, user)
        documents = [d for d in everything if d.status.is_final]
        known_sets = sets.list_sets(app, user)
        with st.container(horizontal=True, vertical_alignment="center", key="library_bar"):
            wanted = library_filters.search_and_sort(documents, known_sets)
            actions = st.container(horizontal=True, width="content")
        found = catalogue.find(app, user, documents, wanted)
        with actions:
            _actions(found)
        _summary(found, len(documents), library_filters.describe(wanted, known_sets), bool(wanted.text))
        bulk_edit.show(app, user, documents, known_sets)
        page_key = _page_key(wanted, len(found))
        number = int(st.session_state.get(page_key) or 1)
        shown = found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        library_rows.show(app, user, shown, catalogue.excerpts(app, user, shown, wanted.text))
        if len(found) > PAGE_SIZE:
            st.pagination(_pages(len(found)), key=page_key, persist_state="session")


def _page_key(wanted: Filter, count: int) -> str:
    """Another search begins on its first page; the same one is still on its page after a visit elsewhere."""
    return f"{state.LIBRARY_PAGE}_{_pages(count)}_{crc32(repr(wanted).encode()):08x}"


def _pages(count: int) -> int:
    return -(-count // PAGE_SIZE)


def _actions(found: Sequence[Entry]) -> None:
    st.download_button(
        "Export", lambda: catalogue.export_csv(found), "library.csv", "text/csv", key="library_export",
        icon=":material/download:", on_click="ignore", help="The documents shown, as CSV", disabled=not found,
    )  # fmt: skip
    view = st.menu_button("More", list(_VIEWS), format_func=Labels(_VIEWS), key="library_more")
    if view:
        open_view(view)


def open_view(view: str) -> None:
    """Show the sets or the deleted documents instead of the list."""
    st.query_params[state.PARAM_VIEW] = view
    st.rerun()


def _summary(found: Sequence[Entry], total: int, filters: str, has_text: bool) -> None:
    """How many documents are shown and why not all of them."""
    is_filtered = bool(filters) or has_text
    count = f"{len(found)} of {counted(total, 'document')}" if is_filtered else counted(total, "document")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="library_summary"):
        st.html(
            f'<div class="pp-meta" role="status"><span class="pp-muted">{count}</span>{filters}</div>', width="content"
        )
        if is_filtered:
            st.button("Clear filters", key="library_clear", type="tertiary", on_click=library_filters.clear)
        if library_rows.is_picking():
            ids = [e.document.id for e in found]
            st.button("Select all", key="library_pick_all", type="tertiary", on_click=library_rows.pick, args=(ids,))
            st.button("Done", key="library_pick_done", type="tertiary", on_click=library_rows.stop_picking)
        elif found:
            st.button("Select", key="library_pick", type="tertiary", on_click=library_rows.start_picking)
    if not found:
        st.caption("No document fits. Try fewer words or fewer filters.")
