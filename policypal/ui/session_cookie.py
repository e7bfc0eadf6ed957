"""The cookie that carries a sign-in over a reload, a new tab and a restart (R6; docs/decisions/0010-identity.md).

An invisible frame calls :mod:`policypal.ui.session_route` once after signing in and once after signing out.
"""

from pathlib import Path
from uuid import uuid4

import streamlit as st
from streamlit.components.v1 import declare_component

from policypal.application.identity import is_secret
from policypal.ui import session_route, state

_KEY = "session_frame"
_frame = declare_component("policypal_session", path=str(Path(__file__).with_name("session_frame")))


def value() -> str:
    """The secret this tab was opened with; empty without one."""
    held = st.context.cookies.get(session_route.COOKIE)
    is_held = isinstance(held, str) and is_secret(held) and not st.session_state.get(state.COOKIE_VOID)
    return str(held) if is_held else ""


def become(secret: str) -> None:
    """Have the browser keep ``secret``; an empty one removes the cookie. :func:`mount` sees to it."""
    st.session_state[state.COOKIE_VOID] = True
    st.session_state[state.COOKIE_TASK] = {"secret": secret, "at": str(uuid4())}


def mount() -> None:
    """Show the frame until it has told that the cookie is what it was to become. Its place is kept when it has gone, or
    everything after it would move up by one and be drawn twice for a moment."""
    place = st.container(key="session_cookie")
    task = state.mapping(state.COOKIE_TASK)
    told = st.session_state.get(_KEY)
    if not task or (isinstance(told, dict) and told.get("at") == task["at"]):
        state.forget(state.COOKIE_TASK)
        return
    with place:
        _frame(address=session_route.path(), header=session_route.HEADER, **task, key=_KEY, default=None)
