"""The sets: renamed, recoloured, deleted; empty ones are found here, too (D2)."""

from collections import Counter

import streamlit as st

from policypal.application import library, sets
from policypal.application.container import Container
from policypal.domain.documents import DocumentSet
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.documents.document_form import choose_colour
from policypal.ui.documents.library_rows import dot_html
from policypal.ui.markup import plain, text


def show(app: Container, user: User) -> None:
    """All sets, a line each; the fields of the one that is edited."""
    st.html("<h1>Sets</h1>")
    st.caption(
        "A set groups documents and can be tagged in a message with @. New ones are made while adding or moving documents."
    )
    with errors.shown():
        sizes = Counter(d.set_id for d in library.list_documents(app, user))
        known = sets.list_sets(app, user)
        for each in known:
            _line(each, sizes[each.id])
            if st.session_state.get(state.EDITED_SET) == each.id:
                _fields(app, user, each, sizes[each.id])
        if not known:
            st.caption("There are no sets yet.")


def _line(each: DocumentSet, size: int) -> None:
    words = counted(size, "document") if size else "empty"
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"setrow_{each.id}"):
        st.html(
            f'{dot_html(each.colour)}<b>{text(each.name)}</b> <span class="pp-muted">{words}</span>', width="stretch"
        )
        is_open = st.session_state.get(state.EDITED_SET) == each.id
        st.button(
            "Close" if is_open else "Edit", key=f"edit_set_{each.id}", help=plain(f"Edit {each.name}"), on_click=_open,
            args=("" if is_open else each.id,),
        )  # fmt: skip


def _open(set_id: str) -> None:
    st.session_state[state.EDITED_SET] = set_id


def _fields(app: Container, user: User, each: DocumentSet, size: int) -> None:
    with st.container(border=True, key=f"setform_{each.id}"):
        name = st.text_input("Name", each.name, key=f"set_name_{each.id}", max_chars=100)
        colour = choose_colour("Colour", f"set_colour_{each.id}", each.colour)
        with st.container(horizontal=True):
            if st.button("Save", key=f"save_set_{each.id}", type="primary"):
                with errors.shown():
                    sets.edit_set(app, user, each.id, name=name or "", colour=colour)
                    _close("Set saved.")
            with st.popover("Delete set", icon=":material/delete:"):
                stays = "It is empty." if not size else "Its documents stay in the library, in no set."
                st.markdown(f"Delete “{plain(each.name)}”? {stays}")
                if st.button("Delete set", key=f"delete_set_{each.id}", type="primary"):
                    with errors.shown():
                        sets.delete_set(app, user, each.id)
                        _close("Set deleted. Its documents stayed.")


def _close(notice: str) -> None:
    state.forget(state.EDITED_SET)
    state.done(notice)
