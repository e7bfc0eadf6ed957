"""Conversations in the sidebar: new, search, open, pin, rename, delete (U2)."""

from datetime import UTC, datetime
from enum import StrEnum

import streamlit as st

from policypal.application import conversations
from policypal.application.ask import new_thread_id
from policypal.application.container import Container
from policypal.domain.conversations import Conversation
from policypal.domain.text import file_name
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.labels import search_field
from policypal.ui.markup import plain, text

_STEP = 30


class _Choice(StrEnum):
    PIN = ":material/keep: Pin"
    UNPIN = ":material/keep_off: Unpin"
    RENAME = ":material/edit: Rename"
    DELETE = ":material/delete: Delete"


def current_thread() -> str | None:
    """The conversation to show, if there is one."""
    return state.current_thread(state.THREAD)


def thread_for_new() -> str:
    """The id of the conversation that the next message begins."""
    if state.NEW_THREAD not in st.session_state:
        st.session_state[state.NEW_THREAD] = new_thread_id()
    return str(st.session_state[state.NEW_THREAD])


def open_thread(thread_id: str) -> None:
    """Show a conversation."""
    state.forget(state.OPEN_SOURCE, state.UNSENT)
    state.show_thread(state.THREAD, thread_id)


def open_new() -> None:
    """Show the empty chat."""
    state.forget(state.THREAD, state.NEW_THREAD, state.OPEN_SOURCE, state.UNSENT)
    st.query_params.clear()


def show(app: Container, user: User, active: str | None) -> None:
    """The list: what is pinned, then latest first, by day."""
    with st.sidebar, errors.shown():
        st.button(
            "New chat", key="new_chat", icon=":material/add:", width="stretch", on_click=open_new, shortcut="Alt+N"
        )
        wanted = search_field("Search conversations", state.CHAT_SEARCH)
        found = conversations.list_conversations(app, user, containing=wanted)
        _rows(app, user, found, active)
        if not found:
            st.caption("No conversation contains this." if wanted else "Your conversations appear here.")


def _rows(app: Container, user: User, found: list[Conversation], active: str | None) -> None:
    limit = int(st.session_state.get(state.CHAT_LIMIT, _STEP))
    now = clock.local(datetime.now(UTC))
    group = ""
    with st.container(key="conversations", gap="xxsmall"):
        for conversation in found[:limit]:
            day = "Pinned" if conversation.is_pinned else day_group(clock.local(conversation.last_message_at), now)
            if day != group:
                group = day
                st.html(f'<div class="pp-group">{text(day)}</div>')
            _row(app, user, conversation, active, now)
        if len(found) > limit:
            st.button("Show more", key="more_chats", type="tertiary", on_click=_show_more, args=(limit,))


def _row(app: Container, user: User, conversation: Conversation, active: str | None, now: datetime) -> None:
    last = clock.local(conversation.last_message_at)
    title = conversation.title or "New conversation"
    with st.container(horizontal=True, wrap=False, gap=None, key=f"chatrow_{conversation.thread_id}"):
        st.button(
            f"{plain(title)} :gray[{clock.short(last, now)}]",
            key=f"chat_{conversation.thread_id}",
            type="secondary" if conversation.thread_id == active else "tertiary",
            width="stretch",
            help=f"{plain(title)}  \nLast message {last:%d %b %Y, %H:%M %Z}",
            on_click=open_thread,
            args=(conversation.thread_id,),
        )
        _menu(app, user, conversation, f"What to do with {plain(title)}", "menu")


def _show_more(limit: int) -> None:
    st.session_state[state.CHAT_LIMIT] = limit + _STEP


def day_group(moment: datetime, now: datetime) -> str:
    """Today, Yesterday, Previous 7 days, or the month."""
    days = (now.date() - moment.date()).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    return "Previous 7 days" if days < 7 else f"{moment:%B %Y}"


def show_head(app: Container, user: User, conversation: Conversation) -> None:
    """The title, and the same menu as in the list with the export beside it."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="chat_head"):
        title = text(conversation.title or "New conversation")
        st.html(f'<h1 class="pp-title" title="{title}">{title}</h1>', width="stretch")
        st.download_button(
            "Export",
            data=lambda: conversations.export_markdown(app, user, conversation.thread_id),
            file_name=f"{file_name(conversation.title)}.md",
            mime="text/markdown",
            icon=":material/download:",
            help="This conversation with its sources, as Markdown",
            on_click="ignore",
            type="tertiary",
        )
        _menu(app, user, conversation, "Options", "menu_head")


def _menu(app: Container, user: User, conversation: Conversation, label: str, key: str) -> None:
    """Pin, rename and delete behind one button."""
    choices = [_Choice.UNPIN if conversation.is_pinned else _Choice.PIN, _Choice.RENAME, _Choice.DELETE]
    chosen = st.menu_button(
        label, choices, key=f"{key}_{conversation.thread_id}", type="tertiary", icon=":material/more_horiz:", format_func=str
    )  # fmt: skip
    if chosen is None:
        return
    if chosen == _Choice.RENAME:
        _rename(app, user, conversation)
    elif chosen == _Choice.DELETE:
        _delete(app, user, conversation)
    else:
        with errors.toasted():
            conversations.pin(app, user, conversation.thread_id, pinned=chosen == _Choice.PIN)
        st.rerun()


@st.dialog("Rename the conversation")
def _rename(app: Container, user: User, conversation: Conversation) -> None:
    with st.form(f"rename_{conversation.thread_id}", border=False):
        key = f"name_{conversation.thread_id}"
        st.text_input("Name", conversation.title, max_chars=120, key=key)
        if st.form_submit_button(
            "Rename", type="primary", on_click=_renamed, args=(app, user, conversation.thread_id, key)
        ):
            st.rerun()


def _renamed(app: Container, user: User, thread_id: str, key: str) -> None:
    with errors.toasted():
        conversations.rename(app, user, thread_id, str(st.session_state.get(key) or ""))


@st.dialog("Delete the conversation?")
def _delete(app: Container, user: User, conversation: Conversation) -> None:
    title = plain(conversation.title or "New conversation")
    st.markdown(f"**{title}** is deleted for good. Its audit reports stay.")
    with st.container(horizontal=True):
        is_confirmed = st.button(
            "Delete", key="delete_conversation", type="primary", icon=":material/delete:",
            on_click=_deleted, args=(app, user, conversation.thread_id),
        )  # fmt: skip
        if st.button("Cancel", key="keep_conversation", type="tertiary") or is_confirmed:
            st.rerun()


def _deleted(app: Container, user: User, thread_id: str) -> None:
    with errors.toasted():
        conversations.delete(app, user, thread_id)
        if current_thread() == thread_id:
            open_new()
        state.notify("Conversation deleted. Its audit reports stay.")
