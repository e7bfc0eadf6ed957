"""What can be done with a report: open its sources, copy and export it, ask about it, keep its sources (W6)."""

from collections.abc import Sequence

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.research import Report
from policypal.domain.text import file_name
from policypal.domain.users import User
from policypal.ui import clock, errors, state
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
