"""Where a day begins: what waits, and what was worked on last; the field to begin is the composer below (T4)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from policypal.application import start
from policypal.application.container import Container
from policypal.application.start import Overview, Work
from policypal.domain.text import counted
from policypal.domain.users import User
from policypal.ui import clock, state
from policypal.ui.html import html
from policypal.ui.markup import beginning, plain

_MOST_LETTERS = 80
_PLACES = {
    "conversation": ("pages/chat.py", ":material/forum:", state.PARAM_THREAD),
    "report": ("pages/audit_reports.py", ":material/fact_check:", state.PARAM_REPORT),
    "research": ("pages/research.py", ":material/travel_explore:", state.PARAM_THREAD),
}
"""By kind of work: its page, its icon, and the parameter that opens it."""


def show(app: Container, user: User) -> bool:
    """What waits and recent work; False for whoever has neither yet."""
    found = start.overview(app, user)
    tiles = list(_tiles(found))
    if not tiles and not found.recent:
        return False
    html("<h1>Start</h1>")
    if tiles:
        with st.container(horizontal=True, key="start_tiles", gap="small"):
            for number, label, page, query in tiles:
                with st.container(border=True, width=164, gap=None, key=f"start_{label.replace(' ', '_')}"):
                    html(f'<div class="pp-start">{number}</div>')
                    st.page_link(page, label=label, query_params=query)
    elif found.recent:
        st.caption("Nothing waits for you.")
    if found.recent:
        html("<h2>Recent work</h2>")
        now = clock.local(datetime.now(UTC))
        with st.container(key="start_recent", gap=None):
            for work in found.recent:
                _row(work, now)
    return True


def _tiles(found: Overview) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
    """Number, label, page and parameters of everything that is not nothing; where it is one thing, the way to it."""
    reports = "pages/audit_reports.py"
    if found.overdue:
        yield found.overdue, "overdue", reports, {}
    if found.open_findings:
        yield found.open_findings, _noun(found.open_findings, "open finding"), reports, {}
    if found.outdated:
        only = {state.PARAM_REPORT: found.outdated[0]} if len(found.outdated) == 1 else {}
        yield len(found.outdated), f"{_noun(len(found.outdated), 'audit')} of an earlier edition", reports, only
    if found.failed:
        yield len(found.failed), f"{_noun(len(found.failed), 'document')} not read", "pages/documents.py", {}
    if found.unfinished:
        only = {state.PARAM_THREAD: found.unfinished[0].thread_id} if len(found.unfinished) == 1 else {}
        yield len(found.unfinished), "research unfinished", "pages/research.py", only


def _noun(number: int, noun: str) -> str:
    return counted(number, noun).partition(" ")[2]


def _row(work: Work, now: datetime) -> None:
    page, icon, parameter = _PLACES[work.kind]
    title = beginning(" ".join(work.title.split()) or "Untitled", _MOST_LETTERS)
    label = f"{plain(title)} :gray[{clock.short(clock.local(work.at), now)}]"
    with st.container(key=f"startrow_{work.id}"):
        if st.button(label, key=f"start_{work.id}", icon=icon, type="tertiary", width="stretch"):
            st.switch_page(page, query_params={parameter: work.id})
