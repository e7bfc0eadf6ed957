"""Earlier research, and where one is in it: a tree, because every fork is a research of its own (W6)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import streamlit as st

from policypal.domain.research import ResearchThread
from policypal.ui import clock, state
from policypal.ui.chat import badges
from policypal.ui.markup import beginning, plain, text

MODE_LABELS = {"auto": "Auto", "plan": "Plan"}
_STATUS = {
    "running": ("pp-blue", "Running"), "waiting": ("pp-yellow", "Waiting for you"), "finished": ("pp-green", "Finished"),
    "failed": ("pp-red", "Failed"), "stopped": ("", "Stopped"),
}  # fmt: skip
_DEEPEST = 4
_STEP = 25
_GOAL_CHARACTERS = 140
_OF_ONE_RESEARCH = (
    state.RESEARCH_SOURCE, state.RESEARCH_DRAFT, state.RESEARCH_SAVED,
)  # fmt: skip


def current_thread() -> str | None:
    """The research to show, if there is one."""
    return state.current_thread(state.RESEARCH_THREAD)


def open_thread(thread_id: str) -> None:
    """Show a research."""
    state.forget(*_OF_ONE_RESEARCH)
    state.show_thread(state.RESEARCH_THREAD, thread_id)


def close() -> None:
    """Show where a new one begins."""
    state.forget(state.RESEARCH_THREAD, *_OF_ONE_RESEARCH)
    st.query_params.clear()


def status(thread: ResearchThread) -> str:
    css_class, label = _STATUS[thread.status]
    return badges.badge(label, css_class)


def show(threads: Sequence[ResearchThread], *, current: str = "", most: int = _STEP) -> None:
    """Each research with its forks below it. ``current`` is the one that is open."""
    lines = list(branches(threads))
    for depth, thread in lines[:most]:
        _row(depth, thread, is_current=thread.thread_id == current)
    if len(lines) > most:
        with st.expander(f"{len(lines) - most} earlier ones"):
            for depth, thread in lines[most:]:
                _row(depth, thread, is_current=thread.thread_id == current)


def branches(threads: Sequence[ResearchThread]) -> Iterator[tuple[int, ResearchThread]]:
    """Depth and research, forks after what they were forked from. One whose origin was deleted stands by itself."""
    known = {t.thread_id for t in threads}
    below: dict[str | None, list[ResearchThread]] = defaultdict(list)
    for thread in threads:
        parent = thread.parent_thread_id
        below[parent if parent in known and parent != thread.thread_id else None].append(thread)

    def walk(parent: str | None, depth: int) -> Iterator[tuple[int, ResearchThread]]:
        for thread in below[parent]:
            yield depth, thread
            yield from walk(thread.thread_id, depth + 1)

    return walk(None, 0)


def family(threads: Sequence[ResearchThread], thread_id: str) -> list[ResearchThread]:
    """A research with everything it was forked from and everything forked from any of these."""
    parents = {t.thread_id: t.parent_thread_id for t in threads}

    def root(of: str) -> str:
        seen = {of}
        while (parent := parents.get(of)) in parents and parent is not None and parent not in seen:
            of = parent
            seen.add(of)
        return of

    return [t for t in threads if root(t.thread_id) == root(thread_id)]


def _row(depth: int, thread: ResearchThread, *, is_current: bool) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small",
        key=f"researchrow_{min(depth, _DEEPEST)}_{'current' if is_current else 'other'}_{thread.thread_id}",
    ):  # fmt: skip
        st.button(
            plain(beginning(" ".join(thread.goal.split()), _GOAL_CHARACTERS)), key=f"research_{thread.thread_id}", type="tertiary", width="stretch",
            icon=":material/fork_right:" if depth else ":material/description:", on_click=open_thread,
            args=(thread.thread_id,), disabled=is_current,
        )  # fmt: skip
        st.html(f'<div class="pp-meta">{_facts(thread)}</div>', width="content")


def _facts(thread: ResearchThread) -> str:
    forked = f'<span class="pp-muted">from “{text(thread.forked_at)}”</span>' if thread.forked_at else ""
    return (
        f'{forked}<span class="pp-muted">{MODE_LABELS[thread.mode]}</span>'
        f'<span class="pp-muted">{clock.told(thread.created_at)}</span>{status(thread)}'
    )
