"""One's own data: the samples, everything as a file, everything deleted (U9, R9)."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from policypal.application import library, personal_data, sample_documents
from policypal.application.container import Container
from policypal.domain.text import counted
from policypal.domain.users import Removed, User
from policypal.ui import errors, state
from policypal.ui.chat import welcome
from policypal.ui.html import section_head

CONFIRMATION = "DELETE"
_SURVIVES = (state.FRAMED, state.PLAIN_COMPOSER)


def show(app: Container, user: User) -> None:
    _samples(app, user)
    _export(app, user)
    _delete(app, user)


def _samples(app: Container, user: User) -> None:
    present = sum(d.is_sample for d in library.list_documents(app, user))
    section_head("Sample documents", f"{present} fictional sample documents are in your library." if present else "")
    if not present:
        welcome.offer_samples(app, user, title="")
        return
    if st.button("Remove all sample documents", key="remove_samples", icon=":material/delete:"):
        removed = sample_documents.remove_samples(app, user)
        state.notify(f"{removed} sample documents removed.")
        st.rerun()


def _export(app: Container, user: User) -> None:
    section_head(
        "Take your data along",
        "A ZIP archive with your profile, the list of your documents, every conversation as Markdown, the findings of every "
        "audit and your usage as CSV. The files you uploaded are not in it.",
    )
    st.download_button(
        "Export my data", data=lambda: personal_data.export_everything(app, user), file_name="policypal-data.zip",
        mime="application/zip", icon=":material/download:", on_click="ignore", key="export_data",
    )  # fmt: skip


def _delete(app: Container, user: User) -> None:
    section_head(
        "Delete all my data",
        "Documents and files, conversations, audit reports, usage, profile and settings: at once and for good.",
    )
    if st.button("Delete all my data …", key="delete_everything", icon=":material/delete_forever:"):
        st.session_state[state.DELETING] = True
    if st.session_state.get(state.DELETING):
        _confirm(app, user)


def _close() -> None:
    state.forget(state.DELETING)


@st.dialog("Delete all my data", width="medium", on_dismiss=_close)
def _confirm(app: Container, user: User) -> None:
    with errors.shown():
        st.markdown("\n".join(f"- {line}" for line in _consequences(user)))
        with st.form("confirm_deletion", border=False):
            typed = st.text_input(f"Type {CONFIRMATION} to confirm", key="confirm_deletion_text", autocomplete="off")
            sure = st.form_submit_button("Delete everything", type="primary", icon=":material/delete_forever:")
        if not sure:
            return
        if (typed or "").strip() != CONFIRMATION:
            st.warning(f"Nothing was deleted. Please type {CONFIRMATION} in capital letters.", icon=":material/info:")
            return
        with st.spinner("Deleting …"):
            removed = personal_data.delete_everything(app, user)
        _begin_anew(removed)


def _consequences(user: User) -> Iterator[str]:
    yield "Your documents with their files, your sets, and what was read from them."
    yield "Your conversations with their run logs and feedback; answers that are being written are stopped."
    yield "Your audit reports with all findings, your usage, your profile and your settings."
    yield "What this month has cost stays in the installation’s total as an amount without your name."
    if not user.is_local:
        yield "Your account itself stays with Supabase, where an administrator can delete it. You are signed out here."
    yield "**This cannot be undone.** Nobody else’s data is touched."


def _begin_anew(removed: Removed) -> None:
    """The app as at first start: nothing of the session refers to what is gone."""
    for key in [key for key in st.session_state if key not in _SURVIVES]:
        del st.session_state[key]
    left = (
        f" Still in the file store until its next clean-up: {counted(len(removed.files), 'file')}."
        if removed.files
        else ""
    )
    amounts = (removed.documents, "document"), (removed.conversations, "conversation"), (removed.reports, "report")
    state.notify(f"Deleted: {', '.join(counted(number, noun) for number, noun in amounts)}.{left}")
    st.switch_page("pages/chat.py")
