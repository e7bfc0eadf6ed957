"""A finished research: the report with its sources, its versions, its timeline and its log (W6)."""

import re
from collections.abc import Sequence

import streamlit as st

from policypal.application import reading, research
from policypal.application.container import Container
from policypal.domain.events import ErrorEvent, ResponseEvent
from policypal.domain.research import Report, ResearchThread
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.chat import badges, citations
from policypal.ui.html import html
from policypal.ui.markup import plain, text
from policypal.ui.research import editor as research_editor
from policypal.ui.research import list as research_list
from policypal.ui.research import sources as research_sources
from policypal.ui.research import timeline as research_timeline
from policypal.ui.research import tools as research_tools

_REPORT, _EDIT, _TIMELINE, _LOG = "Report", "Edit", "Timeline", "Run log"
_TITLE = re.compile(r"\A\s*#\s+([^\n]*)\n?")
_UNFINISHED = ("failed", "stopped")
_LONGEST_LOOK = 1.0
"""Seconds to wait for how the latest run ended; it is over, so the answer is there at once."""


def show(app: Container, user: User, thread: ResearchThread) -> None:
    """Everything there is when no run is at work and no question is open."""
    versions = research.reports(app, user, thread.thread_id)
    if not versions or thread.status in _UNFINISHED:
        _what_happened(app, user, thread)
    views = [_REPORT, _EDIT, _TIMELINE, _LOG] if versions else [_TIMELINE, _LOG]
    key = state.own(state.RESEARCH_VIEW, thread.thread_id)
    if st.session_state.pop(state.RESEARCH_SAVED, False) or st.session_state.get(key) not in views:
        st.session_state[key] = views[0]
    chosen = st.segmented_control("Show", views, key=key, required=True, label_visibility="collapsed")
    if chosen == _TIMELINE or (not versions and chosen != _LOG):
        research_timeline.show(app, user, thread)
    elif chosen == _LOG:
        research_timeline.show_log(thread.thread_id, research.run_log(app, user, thread.thread_id))
    elif chosen == _EDIT:
        research_editor.show(app, user, thread.thread_id, versions)
    else:
        _report(app, user, thread, versions)


def _what_happened(app: Container, user: User, thread: ResearchThread) -> None:
    """Why there is no report, and the way on."""
    told = list(research.events(app, user, thread.thread_id, timeout_seconds=_LONGEST_LOOK))
    outcome = told[-1] if told else None  # none of a run that died without saying
    if isinstance(outcome, ResponseEvent) and outcome.cancelled:
        st.info("This research was cancelled. You can fork it from any step of the timeline.")
    elif isinstance(outcome, ResponseEvent):
        st.info(plain(outcome.response) or "No report came of this research.")
    if thread.status not in _UNFINISHED:
        return
    if isinstance(outcome, ErrorEvent):
        errors.show(outcome.title, outcome.message)
    else:
        errors.show("The research was interrupted", "It ended before the report was complete.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Continue", key="continue_research", type="primary", icon=":material/play_arrow:"):
            with errors.shown():
                research.continue_run(app, user, thread.thread_id)
                st.rerun()
        st.caption("Goes on from the last step that was completed. Nothing is read or paid for twice.")


def _report(app: Container, user: User, thread: ResearchThread, versions: Sequence[Report]) -> None:
    report = research_tools.choose_version(app, user, thread.thread_id, versions)
    research_sources.take_click(app, user, thread.thread_id, report)
    research_tools.show(app, user, thread.thread_id, report)
    gone = reading.missing(app, user, {s.document_id for s in report.sources if s.document_id})
    html(_facts(report))
    citations.show_answer(thread.thread_id, body(report), report.citations, gone=gone)
    research_sources.panel(app, user, thread.thread_id, report, gone)


def body(report: Report) -> str:
    """The text without the title, which stands above it already; a heading of somebody's own stays."""
    found = _TITLE.match(report.markdown)
    if found is None or _words(found[1]) != _words(report.title):
        return report.markdown
    return report.markdown[found.end() :]


def _words(line: str) -> list[str]:
    return re.findall(r"\w+", line)


def _facts(report: Report) -> str:
    said = [s for section in report.sections for s in section.statements]
    checked = sum(s.verified for s in said)
    parts = []
    if said and report.origin == "written":
        colour, words = ("pp-green", f"✓ all {len(said)} statements verified") if checked == len(said) else (
            "pp-yellow", f"{checked} of {len(said)} statements verified"
        )  # fmt: skip
        parts.append(badges.badge(words, colour, "A statement is verified when the words it cites stand in its source"))
    if report.origin == "edited":
        parts.append(badges.badge("edited by hand", "pp-yellow", "Edits are not checked against the sources"))
    if report.issues:
        parts.append(badges.badge(counted(len(report.issues), "open issue"), "pp-yellow", "\n".join(report.issues)))
    if report.contradictions:
        many = counted(len(report.contradictions), "contradiction")
        parts.append(badges.badge(many, "pp-orange", "The sources do not agree; see the top of the report"))
    parts.append(f'<span class="pp-muted">{len(report.sections)} sections</span>' if report.sections else "")
    if report.engine and report.origin == "written":
        parts.append(f'<span class="pp-muted">{text(badges.engine(report.engine))}</span>')
    return f'<div class="pp-meta">{"".join(parts)}</div>'


_LONGEST_HEADING = 120


def show_head(app: Container, user: User, thread: ResearchThread, *, is_running: bool) -> None:
    st.button(
        "All research",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=research_list.close,
        key="back_to_research",
    )
    # the goal itself where it has room: its first words above the goal would say it twice
    heading = thread.goal if len(thread.goal) <= _LONGEST_HEADING else thread.title or thread.goal
    title = text(heading)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="chat_head"):
        st.html(f'<h1 class="pp-title pp-goal-title" title="{title}">{title}</h1>', width="stretch")
        with st.popover("Options", icon=":material/more_horiz:", type="tertiary", width=160):
            _delete(app, user, thread, is_running=is_running)
    goal = f'<p class="pp-about pp-goal">{text(thread.goal)}</p>' if heading != thread.goal else ""
    st.html(f'{goal}<div class="pp-meta">{_thread_facts(thread)}</div>')


def _thread_facts(thread: ResearchThread) -> str:
    parts = [
        research_list.status(thread),
        badges.badge(f"{research_list.MODE_LABELS[thread.mode]} mode"),
        f'<span class="pp-muted">started {clock.told(thread.created_at)}</span>',
    ]
    if thread.parent_thread_id:
        where = f" after “{text(thread.forked_at)}”" if thread.forked_at else ""
        parts.append(f'<span class="pp-muted">a fork{where}</span>')
    return "".join(parts)


def _delete(app: Container, user: User, thread: ResearchThread, *, is_running: bool) -> None:
    st.caption("Deletes the report, all its versions and its timeline. Forks of it stay.")
    if is_running:
        st.caption("Stop the research first.")
    sure = st.checkbox("Yes, delete this research for good", key=f"sure_{thread.thread_id}", disabled=is_running)
    if st.button("Delete", icon=":material/delete:", disabled=not sure, width="stretch", key="delete_research"):
        with errors.shown():
            research.delete(app, user, thread.thread_id)
            research_list.close()
            state.notify("Research deleted. Its forks stay.")
            st.rerun()
