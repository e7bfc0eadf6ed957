"""What can be done with a report: open its sources, copy and export it, ask about it, keep its sources (W6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from policypal.application import intake, research, research_sources
from policypal.application.container import Container
from policypal.application.research_sources import Added
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.research import Report
from policypal.domain.text import file_name
from policypal.domain.users import User
from policypal.errors import DocumentRejected
from policypal.ui import clock, errors, state
from policypal.ui.chat import composer, conversation_list
from policypal.ui.html import html
from policypal.ui.labels import Labels
from policypal.ui.markup import text
from policypal.ui.shared import clicks

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def show(app: Container, user: User, thread_id: str, report: Report) -> None:
    """One line of buttons."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="report_tools"):
        count = len(report.sources)
        st.button(
            f"Sources · {count}", key="open_sources", icon=":material/menu_book:", on_click=open_panel, args=(thread_id,),
            disabled=not count,
        )  # fmt: skip
        with st.popover("Export", icon=":material/download:"):
            _export(report)
        html(
            clicks.copy_button(research.EXPORTS["md"](report).decode(), "Copy", "Copy the report as Markdown"),
            width="content",
        )
        ask_button(app, user, thread_id)
        add_button(app, user, thread_id, report)
    show_added(thread_id)


def open_panel(thread_id: str) -> None:
    """Show the sources, none of them open."""
    st.session_state[state.RESEARCH_SOURCE] = {"thread": thread_id, "source": "", "citation": 0}


def _export(report: Report) -> None:
    """Made when it is asked for. Both carry the list of references."""
    name = f"{file_name(report.title)}-v{report.version}"
    st.download_button(
        "Markdown", data=lambda: research.EXPORTS["md"](report), file_name=f"{name}.md", mime="text/markdown",
        icon=":material/markdown:", on_click="ignore", width="stretch", key="export_markdown",
    )  # fmt: skip
    st.download_button(
        "Word (DOCX)", data=lambda: research.EXPORTS["docx"](report), file_name=f"{name}.docx", mime=_WORD,
        icon=":material/description:", on_click="ignore", width="stretch", key="export_docx",
    )  # fmt: skip


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
            st.session_state[state.RESEARCH_ADDED] = {"thread": thread_id, "lines": _added_lines(added)}


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


def _added_lines(added: Sequence[Added]) -> list[str]:
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


def choose_version(app: Container, user: User, thread_id: str, versions: Sequence[Report]) -> Report:
    """The version that was picked, the latest at first; ``versions`` are latest first. One version needs no picker."""
    latest = versions[0]
    if len(versions) == 1:
        return latest
    by_number = {v.version: v for v in versions}
    with st.container(horizontal=True, vertical_alignment="center"):
        # the key changes with the newest version, so that a new one is shown at once
        picked = st.selectbox(
            "Version", list(by_number), key=f"{state.own(state.RESEARCH_VERSION, thread_id)}_{latest.version}", width=290,
            format_func=Labels({n: version_label(v, latest) for n, v in by_number.items()}), label_visibility="collapsed",
        )  # fmt: skip
        chosen = by_number.get(picked or latest.version, latest)
        if chosen.version != latest.version:
            _older_version(app, user, thread_id, chosen, latest)
    return chosen


def version_label(version: Report, latest: Report) -> str:
    """ "Version 2 · edited, 22 Nov 14:05 (latest)"."""
    made = f", {clock.local(version.created_at):%d %b %H:%M}" if version.created_at else ""
    last = " (latest)" if version.version == latest.version else ""
    return f"Version {version.version} · {version.origin}{made}{last}"


def _older_version(app: Container, user: User, thread_id: str, chosen: Report, latest: Report) -> None:
    if st.button("Restore as new version", key="restore_version", icon=":material/settings_backup_restore:"):
        with errors.shown():
            made = research.edit_report(app, user, thread_id, chosen.markdown, expected_version=latest.version)
            state.notify(f"Version {chosen.version} is the newest again, as version {made.version}.")
            st.rerun()
    st.html(
        f'<span class="pp-muted">{text(f"An older version; the latest is {latest.version}.")}</span>', width="content"
    )
