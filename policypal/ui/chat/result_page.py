"""A summary or a comparison on a page of its own, with an address that can be sent (U2c)."""

from collections import Counter
from collections.abc import Collection

import streamlit as st

from policypal.application import conversations
from policypal.application.container import Container
from policypal.application.conversations import History
from policypal.domain.changes import Change, ChangeKind, ChangeList
from policypal.domain.conversations import Message
from policypal.domain.text import file_name
from policypal.domain.users import User
from policypal.ui import clock, deps, errors, state
from policypal.ui.chat import badges, citations, messages, request_chips, result_card, run_log, sources
from policypal.ui.html import html
from policypal.ui.labels import Labels, search_field
from policypal.ui.markup import text
from policypal.ui.shared import redline

_MARKS = {"number": "Numbers and dates", "modal": "Duties", "negation": "Negations"}


def show(user: User) -> None:
    """The result that the address names."""
    app = deps.container()
    sources.take_click(app, user)
    with errors.shown():
        told, position = conversations.result(app, user, st.query_params.get(state.PARAM_RESULT, ""))
        message = told.messages[position]
        gone = sources.missing(app, user, [message])
        _head(app, user, told, position)
        for notice in message.payload.get("notices", []):
            html(f'<div class="pp-notice">{text(notice)}</div>')
        changes = result_card.changes_of(message)
        if changes is not None:
            _redline(message, changes, gone)
        citations.show_answer(message.id, redline.without_list(message.content), message.citations, gone=gone)
        run_log.show(messages.trace_of(told, position), badges.made_by(message.payload))
        sources.panel(app, user, [message])


def _head(app: Container, user: User, told: History, position: int) -> None:
    message = told.messages[position]
    title = result_card.title_of(message)
    thread = {state.PARAM_THREAD: message.thread_id}
    st.page_link("pages/chat.py", label="Back to the conversation", icon=":material/arrow_back:", query_params=thread)
    html(f"<h1>{text(title)}</h1>")
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="result_head"):
        html(f'<span class="pp-muted">{clock.told(message.created_at)}</span>', width="content")
        html(messages.sources_button(message) + messages.copy_button(message), width="content")
        st.download_button(
            "Markdown", data=conversations.answer_markdown(message), file_name=f"{file_name(title)}.md", mime="text/markdown",
            icon=":material/download:", on_click="ignore", type="tertiary",
        )  # fmt: skip
        request_chips.run_again(app, user, told, position)
    request_chips.show(app, user, told, position, is_latest=False)


@st.fragment
def _redline(message: Message, changes: ChangeList, gone: Collection[str]) -> None:
    """The change list, filtered; a filter draws nothing else anew."""
    with errors.shown(), st.container(horizontal=True, vertical_alignment="center", key="redline_filter"):
        kinds = Counter(c.kind for c in changes.changes)
        marks = Counter(mark for c in changes.changes for mark in c.marks)
        wanted_kinds = _pills(
            "Kind", {k: f"{k.value.capitalize()} {kinds[k]}" for k in ChangeKind if kinds[k]}, message
        )
        wanted_marks = _pills(
            "What changed", {m: f"{name} {marks[m]}" for m, name in _MARKS.items() if marks[m]}, message
        )
        words = search_field("Search in changes", f"redline_find_{message.id}")
    shown = [
        c for c in changes.changes
        if (not wanted_kinds or c.kind in wanted_kinds) and (not wanted_marks or set(wanted_marks) & set(c.marks))
        and words.casefold() in _said(c)
    ]  # fmt: skip
    html(
        redline.markup(
            message.id, changes.model_copy(update={"changes": tuple(shown)}), message.citations, gone, of=changes
        )
    )


def _pills(label: str, options: dict[str, str], message: Message) -> list[str]:
    """Nothing to choose where there is one kind only."""
    if len(options) < 2:
        return []
    return list(st.pills(
        label, list(options), format_func=Labels(options), selection_mode="multi", key=f"redline_{label}_{message.id}",
        label_visibility="collapsed",
    ))  # fmt: skip


def _said(change: Change) -> str:
    return " ".join(
        [change.heading, change.old_label, change.new_label, *(part.text for part in change.parts)]
    ).casefold()
