"""PalReasoning: what the agent is doing, node by node, below the user's message (U4)."""

from collections.abc import Sequence

import streamlit as st

from policypal.application import ask
from policypal.application.container import Container
from policypal.domain.events import DocumentReference, Event, StatusEvent
from policypal.domain.users import User
from policypal.ui import errors, markup, state
from policypal.ui.chat import badges
from policypal.ui.html import html
from policypal.ui.markup import text

POLL_SECONDS = 0.3
"""Also how long a step is shown at least, while the work lasts."""
WATCH_SECONDS = 1.5
"""How long it may take until a tab shows what another one, or another process, has done to its conversation."""
_SOON_SECONDS = 0.6
"""How long the page waits for the end of a run it has just begun to follow: most answers without a model are there by then,
and shown without waiting for the next look."""
_STEPS_AT_ONCE = 2


def begin(thread_id: str) -> None:
    """This tab has started a run: follow it from its first step on, and bring its message to the top of the view (U2b)."""
    state.forget(state.ASKED, state.ANSWERED_ELSEWHERE)
    st.session_state[state.FOLLOWING] = {"thread": thread_id, "shown": 0}
    st.session_state[state.SENT] = int(st.session_state.get(state.SENT, 0)) + 1


@st.fragment(run_every=POLL_SECONDS)
def follow(app: Container, user: User, thread_id: str) -> None:
    """Show the steps so far; once the run has ended, run the page anew: nobody waits for steps of work that is done.

    The run itself lives in the process and goes on whatever happens to this fragment (U6).
    """
    with errors.shown():
        events, running = ask.progress(app, user, thread_id)
        if not running:
            st.rerun(scope="app")
        steps = merged(events)
        followed = state.mapping(state.FOLLOWING)
        seen = int(followed.get("shown", 0)) if followed.get("thread") == thread_id else 0
        shown = min(seen + _STEPS_AT_ONCE, len(steps))
        st.session_state[state.FOLLOWING] = {"thread": thread_id, "shown": shown}
        html(_steps(steps[:shown] or [StatusEvent(node="", message="Starting...")]))
        if draft := next((step.said for step in reversed(steps) if step.said), ""):
            html(
                f'<div class="pp-answer pp-draft" aria-label="The answer, being written">{markup.answer(draft, {}, lambda c: "")}</div>'
            )


def end_soon(app: Container, user: User, thread_id: str) -> None:
    """At the end of the page: show the answer at once if it comes within a moment (U2b)."""
    with errors.shown():
        if ask.wait(app, user, thread_id, _SOON_SECONDS):
            st.rerun()


def mark_place(thread_id: str, *, is_running: bool) -> None:
    """The end of a conversation, or an empty one without id. From it the page's script knows what is shown, and whether a message was sent in this tab
    since; it makes room below an answer that is shorter than the view (U2b)."""
    working = " data-pp-working" if is_running else ""
    sent = int(st.session_state.get(state.SENT, 0))
    st.html(f'<div class="pp-room" data-pp-thread="{text(thread_id)}" data-pp-sent="{sent}"{working}></div>')


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
            query, said = event.web_query or steps[-1].web_query, event.said or steps[-1].said
            steps[-1] = event.model_copy(update={"docs_found": found, "web_query": query, "said": said})
        else:
            steps.append(event)
    return steps


def pills(documents: Sequence[DocumentReference]) -> str:
    return "".join(f'<span class="pp-pill">{badges.icon("description")} {text(d.title)}</span>' for d in documents)


def _steps(steps: Sequence[StatusEvent]) -> str:
    lines = []
    for number, step in enumerate(steps, 1):
        css_class = ' class="pp-now"' if number == len(steps) else ""
        found = f"<div>{pills(step.docs_found)}</div>" if step.docs_found else ""
        query = (
            f'<div><span class="pp-pill">{badges.icon("public")} {text(step.web_query)}</span></div>'
            if step.web_query
            else ""
        )
        lines.append(f"<li{css_class}>✦ {text(step.message)}{found}{query}</li>")
    return f'<ul class="pp-steps" role="status" aria-live="polite">{"".join(lines)}</ul>'
