"""Clicks on citation chips. HTML that a page shows cannot call Python; an invisible frame listens for clicks (and Enter) on
anything that carries ``data-pp-open`` and hands its value over.

This is a component of the first kind: what Streamlit 1.67 keeps in the session for one of the second kind cannot be
serialised, and the session is configured to hold nothing of that sort.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.components.v1 import declare_component

from policypal.ui import state

_listener = declare_component("policypal_clicks", path=str(Path(__file__).with_name("clicks_frame")))


def opened() -> None:
    """Mount the listener. A click puts the source it names into the session, once (C3)."""
    with st.container(key="clicks"):
        clicked = _listener(key="citation_clicks", default=None)
    if not isinstance(clicked, dict) or clicked.get("at") == st.session_state.get(state.LAST_CLICK):
        return
    st.session_state[state.LAST_CLICK] = clicked.get("at")
    message, _, citation = str(clicked.get("open", "")).rpartition(":")
    if message and citation.isdecimal():
        open_source(message, int(citation))


def open_source(message_id: str, citation_id: int) -> None:
    """Let the sources panel show a citation of a message."""
    st.session_state[state.OPEN_SOURCE] = {"message": message_id, "citation": citation_id}
