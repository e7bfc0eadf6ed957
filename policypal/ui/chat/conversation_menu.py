"""The head of a conversation: its name, and a menu to rename, export and delete it (U2)."""

from __future__ import annotations

import streamlit as st

from policypal.application import conversations
from policypal.application.container import Container
from policypal.domain.conversations import Conversation
from policypal.domain.text import file_name
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat.conversation_list import open_new
from policypal.ui.markup import text


def show(app: Container, user: User, conversation: Conversation) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="chat_head"):
        title = text(conversation.title or "New conversation")
        st.html(f'<h1 class="pp-title" title="{title}">{title}</h1>', width="stretch")
        with st.popover("Options", icon=":material/more_horiz:", type="tertiary"):
            _rename(app, user, conversation)
            _export(app, user, conversation)
            _delete(app, user, conversation)


def _rename(app: Container, user: User, conversation: Conversation) -> None:
    with st.form(f"rename_{conversation.thread_id}", border=False):
        title = st.text_input("Name", conversation.title, max_chars=120)
        if st.form_submit_button("Rename"):
            with errors.shown():
                conversations.rename(app, user, conversation.thread_id, title or "")
                st.rerun()


def _export(app: Container, user: User, conversation: Conversation) -> None:
    st.download_button(
        "Export as Markdown",
        data=lambda: conversations.export_markdown(app, user, conversation.thread_id),
        file_name=f"{file_name(conversation.title)}.md",
        mime="text/markdown",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )


def _delete(app: Container, user: User, conversation: Conversation) -> None:
    sure = st.checkbox("Yes, delete this conversation for good", key=f"sure_{conversation.thread_id}")
    if st.button("Delete", icon=":material/delete:", disabled=not sure, width="stretch", key="delete_conversation"):
        with errors.shown():
            conversations.delete(app, user, conversation.thread_id)
            open_new()
            state.notify("Conversation deleted. Its audit reports stay.")
            st.rerun()
