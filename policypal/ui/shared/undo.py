"""Deleting with a way back: a line that offers to undo (D10)."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from policypal.application import trash
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.html import html
from policypal.ui.markup import text

_SECONDS = 120
"""How long the line stays; afterwards "Recently deleted" is the way back."""


def delete(app: Container, user: User, documents: Sequence[Document]) -> None:
    """Delete documents and offer to take it back."""
    ids = trash.delete(app, user, [d.id for d in documents])
    what = f"“{documents[0].display_title}”" if len(documents) == 1 else f"{len(ids)} documents"
    st.session_state[state.LIBRARY_UNDO] = {"ids": ids, "text": f"{what} deleted.", "at": time.time()}


def show(app: Container, user: User) -> None:
    """The line, while it is fresh."""
    offered = state.mapping(state.LIBRARY_UNDO)
    if not offered or time.time() - offered["at"] > _SECONDS:
        state.forget(state.LIBRARY_UNDO)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="undo_bar"):
        shown = f'<span role="status" data-pp-reveal="undo:{offered["at"]}">{text(offered["text"])}</span>'
        html(shown, width="content")
        if st.button("Undo", key="undo_delete", icon=":material/undo:"):
            with errors.shown():
                restored = trash.restore(app, user, offered["ids"])
                state.forget(state.LIBRARY_UNDO)
                state.notify("Restored." if restored else "There was nothing left to restore.")
                st.rerun()
        st.button("Dismiss", key="undo_dismiss", type="tertiary", on_click=state.forget, args=(state.LIBRARY_UNDO,))
