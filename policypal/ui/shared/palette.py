"""Ctrl-K or ⌘K: one field that finds documents, reports, conversations, research and actions, and goes there (U10)."""

from dataclasses import dataclass, field

import streamlit as st

from policypal.application import audits, conversations, library, research
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.labels import Labels
from policypal.ui.markup import beginning
from policypal.ui.places import Place

_MOST_LETTERS = 90


@dataclass(frozen=True)
class _Target:
    """Where an entry leads; ``forgets`` are session keys that would lead elsewhere."""

    label: str
    page: str
    query: dict[str, str] = field(default_factory=dict)
    forgets: tuple[str, ...] = ()


_ACTIONS = (
    _Target("New chat", "pages/chat.py", forgets=(state.THREAD, state.NEW_THREAD, state.OPEN_SOURCE, state.UNSENT)),
    _Target("Add documents", "pages/documents.py"),
    _Target("Audit reports", "pages/audit_reports.py"),
    _Target("New research", "pages/research.py", forgets=(state.RESEARCH_THREAD,)),
    _Target("Settings", "pages/settings.py"),
)


@st.fragment
def button(app: Container, user: User) -> None:
    """In the sidebar of every page; a fragment, so that opening draws nothing of the page anew."""
    if st.button("Find or go to", key="palette", icon=":material/search:", shortcut="Ctrl+K", width="stretch"):
        _dialog(app, user)


@st.dialog("Find or go to", width="medium")
def _dialog(app: Container, user: User) -> None:
    with errors.shown():
        targets = _targets(app, user)
        chosen = st.selectbox(
            "Documents, reports, conversations, actions", range(len(targets)), index=None, key="palette_choice",
            format_func=Labels({n: t.label for n, t in enumerate(targets)}), placeholder="Type a few letters",
            label_visibility="collapsed",
        )  # fmt: skip
        st.caption(
            "↑ ↓ choose · Enter opens · Esc closes. In lists: j and k move, Enter opens, e edits. In the chat: / writes."
        )
        if chosen is not None:
            state.forget(*targets[chosen].forgets)
            st.switch_page(targets[chosen].page, query_params=targets[chosen].query)


def _targets(app: Container, user: User) -> list[_Target]:
    """Actions first, then everything that has a name, latest first where it has a date."""
    documents = [
        _Target(f"Document · {_shown(d.display_title)}", "pages/documents.py", Place(d.id).query())
        for d in library.list_documents(app, user)
    ]
    reports = [
        _Target(f"Report · {_shown(r.title)}", "pages/audit_reports.py", {state.PARAM_REPORT: r.id})
        for r in audits.list_overviews(app, user)
    ]
    threads = [
        _Target(f"Conversation · {_shown(c.title)}", "pages/chat.py", {state.PARAM_THREAD: c.thread_id})
        for c in conversations.list_conversations(app, user)
    ]
    goals = [
        _Target(f"Research · {_shown(t.title or t.goal)}", "pages/research.py", {state.PARAM_THREAD: t.thread_id})
        for t in research.list_threads(app, user)
    ]
    return [*_ACTIONS, *documents, *reports, *threads, *goals]


def _shown(words: str) -> str:
    return beginning(" ".join(words.split()) or "Untitled", _MOST_LETTERS)
