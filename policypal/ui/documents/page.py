"""The library: add, follow, find, open, undo (section D)."""

from collections.abc import Sequence
from zlib import crc32

import streamlit as st

from policypal.application import catalogue, library, sets, trash
from policypal.application.catalogue import Entry, Filter
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import deps, errors, state
from policypal.ui.chat import welcome
from policypal.ui.documents import (
    bulk_edit,
    deleted_documents,
    ingestion_progress,
    library_filters,
    library_rows,
    reader,
    set_manager,
    upload,
    upload_results,
)
from policypal.ui.labels import Labels

PAGE_SIZE = 25
_VIEWS = {"sets": ("Manage sets", set_manager.show), "deleted": ("Recently deleted", deleted_documents.show)}


def show(user: User) -> None:
    """The list; or one document, the sets or the deleted documents when the address names them."""
    app = deps.container()
    if opened := st.query_params.get(state.PARAM_DOCUMENT):
        reader.show(app, user, opened)
    elif view := _VIEWS.get(st.query_params.get(state.PARAM_VIEW, "")):
        st.button(
            "All documents", icon=":material/arrow_back:", type="tertiary", on_click=_close, key="back_to_library"
        )
        view[1](app, user)
    else:
        st.html("<h1>Documents</h1>")
        deleted_documents.show_undo(app, user)
        with errors.shown():
            _library(app, user)


def _library(app: Container, user: User) -> None:
    documents = library.list_documents(app, user)
    with st.expander("Add documents", icon=":material/upload_file:", expanded=not documents, key="add_panel"):
        upload.show(app, user)
    upload_results.show(app, user, documents)
    if not documents:
        _empty(app, user)
        return
    ingestion_progress.show(app, user, documents)
    if any(d.status.is_final for d in documents):
        _list(app, user, [documents])


def _empty(app: Container, user: User) -> None:
    welcome.offer_samples(app, user, title="Or try it with samples", with_upload=False)
    deleted = len(trash.list_deleted(app, user))
    if deleted and st.button(
        f"Recently deleted ({deleted})", icon=":material/delete:", type="tertiary", key="open_deleted"
    ):
        _open_view("deleted")


def _close() -> None:
    st.query_params.pop(state.PARAM_VIEW, None)


@st.fragment
def _list(app: Container, user: User, just_read: list[Sequence[Document]]) -> None:
    """What has been read or could not be. A click in it draws nothing else again. ``just_read`` is what the page has read itself, for the
    first time."""
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
    names = {view: name for view, (name, _) in _VIEWS.items()}
    if view := st.menu_button("More", list(names), format_func=Labels(names), key="library_more"):
        _open_view(view)


def _open_view(view: str) -> None:
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
