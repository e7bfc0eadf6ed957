"""Conversations in the sidebar: new, search, open (U2)."""

from datetime import UTC, datetime

import streamlit as st

from policypal.application import conversations
from policypal.application.ask import new_thread_id
from policypal.application.container import Container
from policypal.domain.conversations import Conversation
from policypal.domain.text import file_name
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.markup import plain, text

_STEP = 30


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
    """The list, latest first, by day."""
    with st.sidebar, errors.shown():
        st.button(
            "New chat", key="new_chat", icon=":material/add:", width="stretch", on_click=open_new, shortcut="Alt+N"
        )
        wanted = st.text_input(
            "Search conversations", key=state.CHAT_SEARCH, placeholder="Search conversations",
            label_visibility="collapsed", icon=":material/search:",
        )  # fmt: skip
        found = conversations.list_conversations(app, user, containing=wanted or "")
        _rows(found, active)
        if not found:
            st.caption("No conversation contains this." if wanted else "Your conversations appear here.")


def _rows(found: list[Conversation], active: str | None) -> None:
    limit = int(st.session_state.get(state.CHAT_LIMIT, _STEP))
    now = clock.local(datetime.now(UTC))
    group = ""
    with st.container(key="conversations", gap="xxsmall"):
        for conversation in found[:limit]:
            day = day_group(clock.local(conversation.last_message_at), now)
            if day != group:
                group = day
                st.html(f'<div class="pp-group">{text(day)}</div>')
            _row(conversation, active, now)
        if len(found) > limit:
            st.button("Show more", key="more_chats", type="tertiary", on_click=_show_more, args=(limit,))


def _row(conversation: Conversation, active: str | None, now: datetime) -> None:
    last = clock.local(conversation.last_message_at)
    title = conversation.title or "New conversation"
    st.button(
        f"{plain(title)} :gray[{clock.short(last, now)}]",
        key=f"chat_{conversation.thread_id}",
        type="secondary" if conversation.thread_id == active else "tertiary",
        width="stretch",
        help=f"{plain(title)}  \nLast message {last:%d %b %Y, %H:%M %Z}",
        on_click=open_thread,
        args=(conversation.thread_id,),
    )


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
