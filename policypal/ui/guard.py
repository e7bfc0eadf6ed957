"""Who is at work. Every page asks first, because a direct URL can run a page without ``app.py`` (U1)."""

from __future__ import annotations

import streamlit as st

from policypal.application.container import local_analyst
from policypal.domain.users import User
from policypal.ui import deps, errors, state, style

_LINKS = (
    ("app.py", "Chat", ":material/forum:"),
    ("pages/documents.py", "Documents", ":material/library_books:"),
    ("pages/audit_reports.py", "Audit reports", ":material/fact_check:"),
    ("pages/settings.py", "Settings", ":material/settings:"),
)


def require_user(*, is_frame: bool = False) -> User:
    """The signed-in user. Without a sign-in provider that is the local analyst (R6); a failure ends the page here.

    ``is_frame`` says that ``app.py`` asks, which brings the navigation along.
    """
    style.apply()
    if is_frame:
        st.session_state[state.FRAMED] = True
    elif not st.session_state.get(state.FRAMED):
        _navigate_without_frame()
    _say_notice()
    with errors.shown(stop=True):
        return local_analyst(deps.container())
    raise AssertionError("unreachable: a failure above stops the page")


def _navigate_without_frame() -> None:
    """The first page after a start, opened by its address: the way to the others, until ``app.py`` has run."""
    style.hide_file_navigation()
    with st.sidebar:
        for script, label, icon in _LINKS:
            st.page_link(script, label=label, icon=icon)


def _say_notice() -> None:
    if notice := state.take_notice():
        st.toast(notice)
