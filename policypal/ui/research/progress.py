"""A research at work: its five stages, what each has counted, and Stop (W3, U4, U6)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.events import Event, InterruptEvent, StatusEvent
from policypal.domain.users import User
from policypal.ui import errors
from policypal.ui.chat.pal_reasoning import POLL_SECONDS
from policypal.ui.html import html
from policypal.ui.markup import text

STAGES = {
    "planner": "Planner",
    "research": "Research",
    "writer": "Writer",
    "fact_check": "Fact-check",
    "review": "Review",
}
_STAGE_OF = {
    "assess": "planner", "ask_questions": "planner", "confirm_question": "planner", "make_plan": "planner",
    "confirm_plan": "planner", "look_up": "research", "search_library": "research", "search_web": "research",
    "weigh_harvest": "research", "confirm_harvest": "research", "harvest_page": "research", "choose_sources": "research",
    "outline": "writer", "write_section": "writer", "assemble": "writer", "read_statements": "fact_check", "check_claims": "fact_check",
    "red_team": "review", "publish": "review",
}  # fmt: skip
_SIGNS = {"done": "check_circle", "now": "progress_activity", "waiting": "help", "next": "radio_button_unchecked"}
_WORDS = {"done": "finished", "now": "at work", "waiting": "waiting for you", "next": "to come"}
_COUNTED = {
    "read": "pages read", "pages": "pages to read", "written": "sections written", "kept": "sources kept",
    "verified": "statements and rows verified",
}  # fmt: skip
_LAST_MESSAGES = 4


@dataclass
class Progress:
    """What the events have told: the stage at work, the counts of each stage, and the latest messages, newest last."""

    stage: str = "planner"
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)


@st.fragment(run_every=POLL_SECONDS)
def follow(app: Container, user: User, thread_id: str) -> None:
    """The stages so far; when the run has ended, run the page anew. The run itself lives in the process (U6)."""
    with errors.shown():
        events, running = research.progress(app, user, thread_id)
        if not running:
            st.rerun(scope="app")
        told = progress_of(events)
        html(stages_html(told.stage, told.counts) + _messages(told.messages))
        if st.button("Stop", key="stop_research", icon=":material/stop_circle:"):
            research.stop(app, user, thread_id)
            st.toast("Stopping. What was read and written so far is kept.")


def show_waiting(question: InterruptEvent) -> None:
    """The stages while the run waits for an answer."""
    stage = "research" if question.interrupt_type == "budget_approval" else "planner"
    html(stages_html(stage, {}, now="waiting"))


def progress_of(events: Sequence[Event]) -> Progress:
    """A number counted by an earlier stage stays there when a later one repeats it."""
    told = Progress()
    for event in events:
        if not isinstance(event, StatusEvent):
            continue
        told.stage = stage_of(event.node)
        for name, count in (event.counts or {}).items():
            home = next((s for s, held in told.counts.items() if name in held), told.stage)
            told.counts.setdefault(home, {})[name] = count
        said = event.message + (f" {event.web_query}" if event.web_query else "")
        if said not in told.messages[-1:]:
            told.messages.append(said)
    return told


def stage_of(node: str) -> str:
    """The stage a node belongs to; a subgraph may stand before its name."""
    *parents, name = node.replace(":", ".").split(".")
    return _STAGE_OF.get(name) or next((p for p in [name, *parents] if p in STAGES), "research")


def stages_html(stage: str, counts: dict[str, dict[str, int]], *, now: str = "now") -> str:
    """All stages in their order; those before ``stage`` are done."""
    at = list(STAGES).index(stage)
    items = []
    for number, (name, label) in enumerate(STAGES.items()):
        standing = "done" if number < at else now if number == at else "next"
        items.append(
            f'<li class="pp-stage-{standing}"><span class="pp-icon" aria-hidden="true" translate="no">{_SIGNS[standing]}</span>'
            f'<span><b>{label}</b><span class="pp-stage-words"> {_WORDS[standing]}</span>{_counts(counts.get(name, {}))}</span></li>'
        )
    return f'<ol class="pp-stages" aria-label="Progress">{"".join(items)}</ol>'


def _counts(counts: dict[str, int]) -> str:
    told = " · ".join(
        f"{count:,} {_COUNTED.get(name, name.replace('_', ' '))}" for name, count in counts.items() if count
    )
    return f'<span class="pp-stage-counts">{text(told)}</span>' if told else ""


def _messages(messages: Sequence[str]) -> str:
    shown = messages[-_LAST_MESSAGES:] or ["Starting..."]
    lines = [f"<li{' class=pp-now' if n == len(shown) else ''}>✦ {text(m)}</li>" for n, m in enumerate(shown, 1)]
    return f'<ul class="pp-steps" role="status" aria-live="polite">{"".join(lines)}</ul>'
