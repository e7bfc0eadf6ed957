"""The library: add, follow, find, open (section D)."""

from __future__ import annotations

import streamlit as st

from policypal.application import library
from policypal.domain.users import User
from policypal.ui import deps, errors, state
from policypal.ui.widgets import library_list, reader, upload, welcome


def show(user: User) -> None:
    """The list, or one document when the address names it."""
    app = deps.container()
    if opened := st.query_params.get(state.PARAM_DOCUMENT):
        reader.show(app, user, opened)
        return
    st.html("<h1>Documents</h1>")
    with errors.shown():
        documents = library.list_documents(app, user)
        with st.expander("Add documents", icon=":material/upload_file:", expanded=not documents, key="add_panel"):
            upload.show(app, user)
        if not documents:
            welcome.offer_samples(app, user)
            return
        waiting = [d.id for d in documents if not d.status.is_final]
        if waiting:
            library_list.follow_progress(app, user, waiting)
        library_list.show(app, user, [d for d in documents if d.status.is_final])
