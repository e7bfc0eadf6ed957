"""The library: add, follow, find, open, undo (section D)."""

import streamlit as st

from policypal.application import library, trash
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.ui import deps, errors, state
from policypal.ui.chat import welcome
from policypal.ui.documents import (
    deleted_documents,
    ingestion_progress,
    library_list,
    reader,
    set_manager,
    upload,
    upload_results,
)

_VIEWS = {library_list.VIEW_SETS: set_manager.show, library_list.VIEW_DELETED: deleted_documents.show}


def show(user: User) -> None:
    """The list; or one document, the sets or the deleted documents when the address names them."""
    app = deps.container()
    if opened := st.query_params.get(state.PARAM_DOCUMENT):
        reader.show(app, user, opened)
    elif view := _VIEWS.get(st.query_params.get(state.PARAM_VIEW, "")):
        st.button(
            "All documents", icon=":material/arrow_back:", type="tertiary", on_click=_close, key="back_to_library"
        )
        view(app, user)
    else:
        st.html("<h1>Documents</h1>")
        deleted_documents.show_undo(app, user)
        with errors.shown():
            _list(app, user)


def _list(app: Container, user: User) -> None:
    documents = library.list_documents(app, user)
    with st.expander("Add documents", icon=":material/upload_file:", expanded=not documents, key="add_panel"):
        upload.show(app, user)
    upload_results.show(app, user, documents)
    if not documents:
        _empty(app, user)
        return
    ingestion_progress.show(app, user, documents)
    if any(d.status.is_final for d in documents):
        library_list.show(app, user, documents)


def _empty(app: Container, user: User) -> None:
    welcome.offer_samples(app, user, title="Or try it with samples", with_upload=False)
    deleted = len(trash.list_deleted(app, user))
    if deleted and st.button(
        f"Recently deleted ({deleted})", icon=":material/delete:", type="tertiary", key="open_deleted"
    ):
        library_list.open_view(library_list.VIEW_DELETED)


def _close() -> None:
    st.query_params.pop(state.PARAM_VIEW, None)
