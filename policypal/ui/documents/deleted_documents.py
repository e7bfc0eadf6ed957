"""Recently deleted documents: taken back or removed for good (D10)."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import streamlit as st

from policypal.application import trash
from policypal.application.container import Container
from policypal.domain.documents import DeletedDocument, Document
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import clock, errors, labels, state
from policypal.ui.documents import library_rows
from policypal.ui.html import html
from policypal.ui.markup import plain, text

_PAGE_SIZE = 25


def show(app: Container, user: User) -> None:
    """The deleted documents, latest first."""
    st.html("<h1>Recently deleted</h1>")
    st.caption(
        f"Deleted documents can be restored for {trash.DAYS_KEPT} days. Meanwhile nothing else in PolicyPal uses or shows them."
    )
    with errors.shown():
        deleted = trash.list_deleted(app, user)
        if not deleted:
            st.caption("Nothing was deleted lately.")
            return
        with st.popover("Remove all for good", icon=":material/delete_forever:", key="purge_all_panel"):
            _purge(
                app,
                user,
                deleted,
                f"Remove {counted(len(deleted), 'document')} and everything read from them?",
                "purge_all",
            )
        for each in labels.page_of(deleted, _PAGE_SIZE, key="deleted_page"):
            _line(app, user, each)


def _line(app: Container, user: User, each: DeletedDocument) -> None:
    d = each.document
    with st.container(horizontal=True, vertical_alignment="center", key=f"delrow_{d.type}_{d.id}"):
        st.html(
            f'<div class="pp-doc-title">{text(d.display_title)}</div>{library_rows.facts_html(d)}'
            f'<div class="pp-muted">{_dates(each.deleted_at)}</div>',
            width="stretch",
        )
        if st.button(
            "Restore", key=f"restore_{d.id}", icon=":material/undo:", help=plain(f"Restore {d.display_title}")
        ):
            trash.restore(app, user, [d.id])
            state.forget(state.LIBRARY_UNDO)
            state.done(f"{plain(d.display_title)} restored.")
        with st.popover("Remove", icon=":material/delete_forever:", key=f"purge_panel_{d.id}"):
            _purge(app, user, [each], "Remove the file and everything read from it?", f"purge_{d.id}")


def _purge(app: Container, user: User, which: Sequence[DeletedDocument], question: str, key: str) -> None:
    st.markdown(f"{question} This cannot be undone. Reports that cite it keep their quotes.")
    if st.button("Remove for good", key=key, type="primary"):
        removed = trash.purge(app, user, [e.document.id for e in which])
        state.forget(state.LIBRARY_UNDO)
        state.done(f"{counted(removed, 'document')} removed for good.")


def _dates(deleted_at: datetime) -> str:
    deleted, last = clock.local(deleted_at), clock.local(deleted_at + timedelta(days=trash.DAYS_KEPT))
    left = max(0, (last.date() - clock.local(datetime.now(UTC)).date()).days)
    return f"Deleted on {deleted.day} {deleted:%B}, kept until {last.day} {last:%B} ({left} days left)"


_SECONDS = 120
"""How long the line stays; afterwards "Recently deleted" is the way back."""


def delete_documents(app: Container, user: User, documents: Sequence[Document]) -> None:
    """Delete documents and offer to take it back."""
    ids = trash.delete(app, user, [d.id for d in documents])
    what = f"“{documents[0].display_title}”" if len(documents) == 1 else counted(len(ids), "document")
    st.session_state[state.LIBRARY_UNDO] = {"ids": ids, "text": f"{what} deleted.", "at": time.time()}


def show_undo(app: Container, user: User) -> None:
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
                state.done("Restored." if restored else "There was nothing left to restore.")
        st.button("Dismiss", key="undo_dismiss", type="tertiary", on_click=state.forget, args=(state.LIBRARY_UNDO,))
