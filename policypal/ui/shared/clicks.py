"""Clicks on citation chips and copy buttons, and where a page is scrolled to. HTML that a page shows can run nothing; an
invisible frame listens for clicks (and Enter) on anything that carries ``data-pp-open`` and hands its value over. What
``data-pp-copy`` holds, as the Base64 of its UTF-8, goes to the clipboard and nowhere else. The frame is on every page: it
begins lists and documents at their top, and follows a conversation (U2b).

This is a component of the first kind: what Streamlit 1.67 keeps in the session for one of the second kind cannot be
serialised, and the session is configured to hold nothing of that sort.
"""

from base64 import b64encode
from pathlib import Path

import streamlit as st
from streamlit.components.v1 import declare_component

from policypal.ui import state

_KEY = "citation_clicks"
_listener = declare_component("policypal_clicks", path=str(Path(__file__).with_name("clicks_frame")))


def listen() -> None:
    """Mount the listener; every page does."""
    with st.container(key="clicks"):
        _listener(key=_KEY, default=None)


def clicked() -> tuple[str, int] | None:
    """The name and number that were clicked just now, once."""
    told = st.session_state.get(_KEY)
    if not isinstance(told, dict) or told.get("at") == st.session_state.get(state.LAST_CLICK):
        return None
    st.session_state[state.LAST_CLICK] = told.get("at")
    name, _, number = str(told.get("open", "")).rpartition(":")
    return (name, int(number)) if name and number.isdecimal() else None


def copy_button(words: str, label: str, title: str, icon: str = "content_copy") -> str:
    """A button that puts ``words`` on the clipboard. Only ``words`` may be what others wrote."""
    return (
        f'<button type="button" class="pp-copy" data-pp-copy="{b64encode(words.encode()).decode()}" title="{title}">'
        f'<span class="pp-icon" aria-hidden="true" translate="no">{icon}</span>'
        f'<span class="pp-copy-label" aria-live="polite">{label}</span></button>'
    )


def open_source(message_id: str, citation_id: int) -> None:
    """Let the sources panel show a citation of a message."""
    st.session_state[state.OPEN_SOURCE] = {"message": message_id, "citation": citation_id}
