"""The head of a research: its title, where it stands, and a menu (U2)."""

from __future__ import annotations

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.research import ResearchThread
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.chat import badges
from policypal.ui.markup import text
from policypal.ui.research import list as research_list

_LONGEST_HEADING = 120


def show(app: Container, user: User, thread: ResearchThread, *, is_running: bool) -> None:
    st.button(
        "All research",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=research_list.close,
        key="back_to_research",
    )
    heading = _heading(thread)
    title = text(heading)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="chat_head"):
        st.html(f'<h1 class="pp-title pp-goal-title" title="{title}">{title}</h1>', width="stretch")
        with st.popover("Options", icon=":material/more_horiz:", type="tertiary"):
            _delete(app, user, thread, is_running=is_running)
    goal = f'<p class="pp-about pp-goal">{text(thread.goal)}</p>' if heading != thread.goal else ""
    st.html(f'{goal}<div class="pp-meta">{_facts(thread)}</div>')


def _heading(thread: ResearchThread) -> str:
    """The goal itself where it has room; its first words above the goal would say it twice."""
    return thread.goal if len(thread.goal) <= _LONGEST_HEADING else thread.title or thread.goal


def _facts(thread: ResearchThread) -> str:
    started = clock.local(thread.created_at)
    parts = [
        research_list.status(thread),
        badges.badge(f"{research_list.MODE_LABELS[thread.mode]} mode"),
        f'<span class="pp-muted">started {started:%d %b %Y, %H:%M}</span>',
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
