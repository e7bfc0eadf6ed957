"""From a report to the rest of PolicyPal: a conversation about it, and its pages in the library (W6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from policypal.application import intake, research_sources
from policypal.application.container import Container
from policypal.application.research_sources import Added
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.research import Report
from policypal.domain.users import User
from policypal.errors import DocumentRejected
from policypal.ui import errors, state
from policypal.ui.chat import composer, conversation_list
from policypal.ui.markup import text

_READING_SECONDS = 60.0
_SIGNS = {"added": "✓ added", "known": "· in your library already", "failed": "✗ not added"}


def ask_button(app: Container, user: User, thread_id: str) -> None:
    """The report becomes a document of the library; the conversation about it opens with a first question."""
    if st.button("Ask about this report", key="ask_about_report", icon=":material/forum:"):
        with errors.shown():
            with st.spinner("Putting the report into your library …"):
                begun = research_sources.ask_about(app, user, thread_id)
                document = _read(app, user, begun.document)
            conversation_list.open_new()
            composer.hand_over(conversation_list.thread_for_new(), _question(document, begun.message))
            st.switch_page("pages/chat.py")


def add_button(app: Container, user: User, thread_id: str, report: Report) -> None:
    """Web pages of the report become documents; what came of each is told below."""
    pages = [s.key for s in report.sources if s.source_type == "web"]
    if st.button(
        "Add sources to library", key="add_report_sources", icon=":material/library_add:", disabled=not pages,
        help=None if pages else "All sources of this report are in your library already.",
    ):  # fmt: skip
        with errors.shown(), st.spinner("Adding the pages to your library …"):
            added = research_sources.add_sources(app, user, thread_id, pages)
            st.session_state[state.RESEARCH_ADDED] = {"thread": thread_id, "lines": _told(added)}


def show_added(thread_id: str) -> None:
    """What came of the sources that were added last, until it is closed."""
    held = state.mapping(state.RESEARCH_ADDED)
    if held.get("thread") != thread_id:
        return
    with st.container(key="research_added", border=True):
        lines = "".join(f"<li>{text(line)}</li>" for line in held["lines"])
        st.html(f'<div class="pp-answer" role="status"><b>Added to your library</b><ul>{lines}</ul></div>')
        with st.container(horizontal=True):
            st.page_link(
                "pages/documents.py", label="Go to Documents", icon=":material/library_books:", width="content"
            )
            st.button("Close", key="close_added", type="tertiary", on_click=state.forget, args=(state.RESEARCH_ADDED,))


def _told(added: Sequence[Added]) -> list[str]:
    return [
        f"{_SIGNS[a.outcome]}: {a.title}{f'. {a.message}' if a.message and a.outcome != 'known' else ''}" for a in added
    ]


def _read(app: Container, user: User, document: Document) -> Document:
    """The document when it can be asked about. Raises DocumentRejected: it could not be read, or not yet."""
    (done,) = intake.wait_until_final(app, user, [document.id], timeout_seconds=_READING_SECONDS)
    if done.status is not DocumentStatus.READY:
        raise DocumentRejected("The report is not ready in your library yet. Please look at Documents, then try again.")
    return done


def _question(document: Document, words: str) -> dict[str, Any]:
    """The message as the editor writes it: the report tagged, then the question."""
    mention = {"type": "mention", "attrs": {"id": document.id, "label": document.display_title, "category": "document"}}
    return {
        "type": "doc",
        "content": [{"type": "paragraph", "content": [mention, {"type": "text", "text": f" {words}"}]}],
    }
