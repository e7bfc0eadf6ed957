"""PalReasoning: what the agent is doing, node by node, below the user's message (U4)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from policypal.application import ask
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.graph.events import DocumentReference, Event, StatusEvent
from policypal.ui import errors, state
from policypal.ui.markup import text

POLL_SECONDS = 0.4
"""Also how long a step is shown at least; the requirement is 0.3 s."""
WATCH_SECONDS = 1.5
"""How long it may take until a tab shows what another one, or another process, has done to its conversation."""
_STEPS_AT_ONCE = 2


def begin(thread_id: str) -> None:
    """Follow the run that this tab has started, from its first step on."""
    state.forget(state.ASKED, state.ANSWERED_ELSEWHERE)
    attach(thread_id)


def attach(thread_id: str) -> None:
    """Follow the run of a thread, whoever has started it."""
    st.session_state[state.FOLLOWING] = {"thread": thread_id, "shown": 0}


def is_following(thread_id: str) -> bool:
    return state.mapping(state.FOLLOWING).get("thread") == thread_id


@st.fragment(run_every=POLL_SECONDS)
def follow(app: Container, user: User, thread_id: str) -> None:
    """Show the steps so far; when all have been seen and the run has ended, run the page anew.

    The run itself lives in the process and goes on whatever happens to this fragment (U6).
    """
    with errors.shown():
        events, running = ask.progress(app, user, thread_id)
        steps = merged(events)
        seen = int(state.mapping(state.FOLLOWING).get("shown", 0))
        if not running and seen >= len(steps):
            state.forget(state.FOLLOWING)
            st.rerun(scope="app")
        shown = min(seen + _STEPS_AT_ONCE, len(steps))
        st.session_state[state.FOLLOWING] = {"thread": thread_id, "shown": shown}
        st.html(_steps(steps[:shown] or [StatusEvent(node="", message="Starting...")]))
        if running and st.button("Stop", key="stop_run", icon=":material/stop_circle:", type="tertiary"):
            ask.stop(app, user, thread_id)
            st.toast("Stopping after the current step.")


@st.fragment(run_every=WATCH_SECONDS)
def watch(app: Container, user: User, thread_id: str, shown: str) -> None:
    """Run the page anew when the conversation has moved on since the ``shown`` version: in another tab, or in another
    process. It draws nothing, so nothing flickers, and the message that is being typed stays as it is (U6)."""
    with errors.shown():
        if ask.version(app, user, thread_id) != shown:
            st.rerun(scope="app")


def merged(events: Sequence[Event]) -> list[StatusEvent]:
    """One entry per node in a row: a node tells again when it has found documents or searches the web."""
    steps: list[StatusEvent] = []
    for event in events:
        if not isinstance(event, StatusEvent):
            continue
        if steps and steps[-1].node == event.node:
            found = event.docs_found or steps[-1].docs_found
            query = event.web_query or steps[-1].web_query
            steps[-1] = event.model_copy(update={"docs_found": found, "web_query": query})
        else:
            steps.append(event)
    return steps


def pills(documents: Sequence[DocumentReference]) -> str:
    return "".join(f'<span class="pp-pill">📄 {text(d.title)}</span>' for d in documents)


def _steps(steps: Sequence[StatusEvent]) -> str:
    lines = []
    for number, step in enumerate(steps, 1):
        css_class = ' class="pp-now"' if number == len(steps) else ""
        found = f"<div>{pills(step.docs_found)}</div>" if step.docs_found else ""
        query = f'<div><span class="pp-pill">🌐 {text(step.web_query)}</span></div>' if step.web_query else ""
        lines.append(f"<li{css_class}>✦ {text(step.message)}{found}{query}</li>")
    return f'<ul class="pp-steps" role="status" aria-live="polite">{"".join(lines)}</ul>'
