"""What can be done with a report: open its sources, copy and export it, ask about it, keep its sources (W6)."""

from __future__ import annotations

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.research import Report
from policypal.domain.text import file_name
from policypal.domain.users import User
from policypal.ui import state
from policypal.ui.html import html
from policypal.ui.research import onward as research_onward
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
        research_onward.ask_button(app, user, thread_id)
        research_onward.add_button(app, user, thread_id, report)
    research_onward.show_added(thread_id)


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
