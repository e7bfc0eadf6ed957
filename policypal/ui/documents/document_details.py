"""What is known about a document: changed, linked to its versions, deleted (D8, D10)."""

import streamlit as st

from policypal.application import library, sets, trash
from policypal.application.container import Container
from policypal.domain.documents import Document
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.documents import deleted_documents, document_versions
from policypal.ui.documents.document_form import choose_set, choose_type, tag_input
from policypal.ui.markup import text


def show(app: Container, user: User, document: Document) -> None:
    """The form with a document's metadata, its versions, and the way to delete it."""
    _edit(app, user, document)
    document_versions.show(app, user, document)
    _delete(app, user, document)


def _edit(app: Container, user: User, document: Document) -> None:
    key = f"edit_{document.id}"
    left, right = st.columns([3, 1])
    title = left.text_input("Title", document.title, key=f"{key}_title", max_chars=300)
    version = right.text_input("Version or year", document.version, key=f"{key}_version", max_chars=100)
    kind = choose_type(f"{key}_type", document.type)
    chosen = choose_set(sets.list_sets(app, user), key, document.set_name)
    aliases = tag_input("Aliases: other names people use for it", document.aliases, key=f"{key}_aliases")
    tags = tag_input("Tags", document.tags, key=f"{key}_tags")
    st.html(f'<span class="pp-muted">File: {text(document.filename)} · {document.size_bytes / 1024:,.0f} KB</span>')
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
        st.markdown(f"You can take it back for {trash.DAYS_KEPT} days. Reports that cite it keep their quotes.")
        if st.button("Delete", key=f"delete_{document.id}", type="primary"):
            with errors.shown():
                deleted_documents.delete_documents(app, user, [document])
                st.query_params.clear()
                st.rerun()
