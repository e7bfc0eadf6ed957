"""Every session key, named once. Only strings, bytes, numbers, lists and dictionaries may live in the session."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

import streamlit as st

THREAD: Final = "chat_thread"
"""The conversation the chat shows; survives a visit to another page."""
NEW_THREAD: Final = "chat_new_thread"
"""The id the next new conversation will get, so that a repeated send reaches the same one."""
COMPOSER_NONCE: Final = "chat_composer_nonce"
"""Drawn when the composer is shown; makes two clicks on an example question one message (U6)."""
ASKED: Final = "chat_asked"
"""The question this tab has shown and not answered: {"thread", "question", "takes_text"}. Only that one can be answered through
the composer."""
ANSWERED_ELSEWHERE: Final = "chat_answered_elsewhere"
"""The conversation whose question disappeared because it was answered in another tab; until this one does something."""
FOLLOWING: Final = "chat_following"
"""The run PalReasoning shows: {"thread", "shown"}."""
OPEN_SOURCE: Final = "chat_open_source"
"""The source the panel shows: {"message", "citation"}."""
LAST_CLICK: Final = "chat_last_click"
"""When the last click on a citation happened, in the browser's milliseconds; a click counts once."""
SUBMITTED: Final = "chat_submitted"
"""What the composer handed over and the page has not sent yet: {"thread", "content", "files", "nonce", "plain"}."""
UNSENT: Final = "chat_unsent"
"""A message that could not be sent, and why, so that it is never lost: {"thread", "content", "plain", "revision", "files",
"title", "message"}."""
PLAIN_COMPOSER: Final = "chat_plain_composer"
"""Whether this tab has Streamlit's own input instead of the editor; set by the address, ``?plain=1``."""
PAL_ASSIST: Final = "pal_assist"
"""Beginning of the keys of PalAssist's widgets; the question's id and the option follow."""
THUMBS: Final = "thumbs"
COMMENT: Final = "feedback_comment"
"""Beginnings of the keys of an answer's feedback widgets; the message's id follows."""
SUGGESTION: Final = "suggestion"
CHAT_SEARCH: Final = "chat_search"
CHAT_LIMIT: Final = "chat_list_limit"
UPLOAD_NONCE: Final = "upload_nonce"
UPLOAD_RESULTS: Final = "upload_results"
"""What became of the files of the last upload: [{"ok", "name", "text", "document_id"}]."""
LIBRARY_PAGE: Final = "library_page"
FINDING_PAGE: Final = "finding_page"
"""The page an audit report shows beside its findings: {"document_id", "page", "quote", "label"}."""
COVERAGE_ROW: Final = "coverage_row"
"""The number of the obligation that was opened in the heat-map of an audit report."""
FRAMED: Final = "framed"
"""Whether ``app.py`` has run in this session, and with it the navigation."""
NOTICE: Final = "notice"
"""One line to show after the next rerun, as a toast."""

PARAM_THREAD: Final = "thread"
PARAM_DOCUMENT: Final = "document"
PARAM_PAGE: Final = "page"
PARAM_REPORT: Final = "report"
PARAM_PLAIN: Final = "plain"


def nonce(key: str) -> str:
    """The random id under ``key``, drawn when it is first needed."""
    if key not in st.session_state:
        st.session_state[key] = str(uuid4())
    return str(st.session_state[key])


def renew(key: str) -> None:
    """Draw a new random id for ``key``."""
    st.session_state[key] = str(uuid4())


def mapping(key: str) -> dict[str, Any]:
    """The dictionary under ``key``; empty if there is none."""
    held = st.session_state.get(key)
    return dict(held) if isinstance(held, dict) else {}


def forget(*keys: str) -> None:
    """Remove keys, whether or not they are set."""
    for key in keys:
        st.session_state.pop(key, None)


def notify(text: str) -> None:
    """Remember a line for :func:`take_notice`, because a rerun would wipe what is shown now."""
    st.session_state[NOTICE] = text


def take_notice() -> str:
    """The remembered line, once."""
    return str(st.session_state.pop(NOTICE, ""))
