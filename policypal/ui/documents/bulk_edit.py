"""Several documents at once: moved, tagged, linked as versions, deleted (D2, D8, D10)."""

from collections.abc import Sequence

import streamlit as st

from policypal.application import library, trash, versions
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentSet
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.documents import deleted_documents
from policypal.ui.documents.document_form import choose_set
from policypal.ui.documents.library_rows import pick, picked, stop_picking
from policypal.ui.markup import plain


def show(app: Container, user: User, documents: Sequence[Document], sets: Sequence[DocumentSet]) -> None:
    """What can be done with the selected documents; nothing while none is selected."""
    ids = set(picked())
    chosen = [d for d in documents if d.id in ids]
    if not chosen:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="bulk_bar"):
        st.html(f'<b role="status">{len(chosen)} selected</b>', width="content")
        with st.popover("Move to set", icon=":material/drive_file_move:", key="bulk_move"):
            _move(app, user, chosen, sets)
        with st.popover("Tags", icon=":material/sell:", key="bulk_tags"):
            _tag(app, user, chosen, documents)
        if len(chosen) == 2:
            with st.popover("Versions", icon=":material/history:", key="bulk_versions"):
                _link(app, user, chosen)
        with st.popover("Delete", icon=":material/delete:", key="bulk_delete"):
            _delete(app, user, chosen)
        st.button("Clear", key="bulk_clear", type="tertiary", on_click=pick, args=([],))


def _move(app: Container, user: User, chosen: Sequence[Document], sets: Sequence[DocumentSet]) -> None:
    into = choose_set(sets, "bulk_set")
    if st.button("Move" if into.name else "Take out of their sets", key="bulk_move_now", type="primary"):
        with errors.shown():
            moved = library.move_to_set(app, user, [d.id for d in chosen], into.name, into.colour)
            _done(
                f"{counted(moved, 'document')} moved to {plain(into.name)}."
                if into.name
                else f"{counted(moved, 'document')} now in no set."
            )


def _tag(app: Container, user: User, chosen: Sequence[Document], documents: Sequence[Document]) -> None:
    known = sorted({t for d in documents for t in d.tags}, key=str.casefold)
    add = st.multiselect("Add", known, key="bulk_add_tags", accept_new_options=True, placeholder="Choose or type a tag")
    held = sorted({t for d in chosen for t in d.tags}, key=str.casefold)
    remove = st.multiselect("Remove", held, key="bulk_remove_tags", placeholder="Tags of the selected documents")
    if st.button("Apply", key="bulk_tag_now", type="primary", disabled=not (add or remove)):
        with errors.shown():
            changed = library.change_tags(app, user, [d.id for d in chosen], add=add, remove=remove)
            _done(f"Tags of {counted(changed, 'document')} changed.")


def _link(app: Container, user: User, chosen: Sequence[Document]) -> None:
    older, newer = sorted(chosen, key=lambda d: (d.version, d.created_at))
    st.markdown(f"**{plain(newer.display_title)}** is a new version of **{plain(older.display_title)}**.")
    swapped = st.toggle("The other way round", key="bulk_swap")
    if st.button("Link as versions", key="bulk_link_now", type="primary"):
        if swapped:
            older, newer = newer, older
        with errors.shown():
            versions.link_versions(app, user, newer.id, older.id)
            _done("Linked as versions.")


def _delete(app: Container, user: User, chosen: Sequence[Document]) -> None:
    st.markdown(f"Delete {counted(len(chosen), 'document')}? You can take them back for {trash.DAYS_KEPT} days.")
    if st.button(f"Delete {counted(len(chosen), 'document')}", key="bulk_delete_now", type="primary"):
        with errors.shown():
            deleted_documents.delete_documents(app, user, chosen)
            stop_picking()
            st.rerun()


def _done(notice: str) -> None:
    """Say what happened and show the list anew; the selection stays for the next step."""
    state.forget("bulk_set_set", "bulk_add_tags", "bulk_remove_tags")
    state.done(notice)
