"""The research page in Streamlit's test runner: finished reports, and looking on while one is written."""

from __future__ import annotations

import time

from streamlit.testing.v1 import AppTest

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.research import Report
from policypal.domain.users import User
from policypal.ui import state
from tests.support.timeouts import LONGEST_WAIT_SECONDS
from tests.ui.conftest import OpenPage, assert_healthy, labels, texts

GOAL = "Compare what our regulators require for incident reporting and by when, as deadlines"


def forget_research(app: Container, user: User) -> None:
    """The user has none, as at the beginning."""
    for thread in research.list_threads(app, user):
        finish(app, user, thread.thread_id)
        research.delete(app, user, thread.thread_id)


def finish(app: Container, user: User, thread_id: str) -> None:
    """Wait until no run of it is at work."""
    list(research.events(app, user, thread_id, timeout_seconds=LONGEST_WAIT_SECONDS))


def written(app: Container, user: User, key: str) -> str:
    """The thread of a finished report; the same ``key`` is the same one."""
    thread = research.start(app, user, GOAL, idempotency_key=key)
    finish(app, user, thread)
    assert research.reports(app, user, thread), list(research.events(app, user, thread, timeout_seconds=1))[-1]
    return thread


def latest(app: Container, user: User, thread_id: str) -> Report:
    return research.reports(app, user, thread_id)[0]


def settle(tab: AppTest) -> AppTest:
    """Look again, as the browser does, until no run is at work."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while "Stop" in labels(tab):
        assert time.monotonic() < deadline, texts(tab)
        time.sleep(0.1)
        tab.run()
        assert_healthy(tab)
    return tab


def open_view(open_page: OpenPage, thread_id: str, view: str = "Report") -> AppTest:
    """A tab on one side of a finished research."""
    tab = open_page("research", thread=thread_id)
    if view != "Report":
        tab.session_state[state.own(state.RESEARCH_VIEW, thread_id)] = view
        tab.run()
        assert_healthy(tab)
    return tab
