"""The steps of a research in plain words, and forks from any of them (W6)."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.conversations import TraceEntry
from policypal.domain.research import ResearchThread, Source, Step, StepValues
from policypal.domain.text import counted, enumerated
from policypal.domain.users import User
from policypal.ui import clock, errors, state
from policypal.ui.chat import badges, run_log
from policypal.ui.html import html, section_head
from policypal.ui.labels import Labels
from policypal.ui.markup import plain, text
from policypal.ui.research import list as research_list
from policypal.ui.research import plan as research_plan

_CHANGES = {"goal": "the goal", "plan": "the plan", "sources": "which sources are used", "draft": "the draft"}


def show(app: Container, user: User, thread: ResearchThread) -> None:
    """Pick a step, read what stood there, go another way from it. The original stays as it is."""
    steps = research.timeline(app, user, thread.thread_id)
    if not steps:
        st.caption("No step was completed yet.")
    else:
        left, right = st.columns([2, 3], gap="medium")
        with left:
            step = _pick(thread.thread_id, steps)
        with right:
            _told(step)
            _fork(app, user, thread.thread_id, step)
    _branches(app, user, thread)


def _pick(thread_id: str, steps: Sequence[Step]) -> Step:
    by_id = {s.checkpoint_id: s for s in steps}
    names = {
        s.checkpoint_id: f"{plain(s.title)}  :gray[{clock.local(s.at):%H:%M:%S}]" for s in steps
    }  # fmt: skip
    with st.container(key="timeline_steps"):
        picked = st.radio(
            "Timeline", list(by_id), index=len(steps) - 1, format_func=Labels(names),
            key=f"{state.own(state.RESEARCH_STEP, thread_id)}_{steps[-1].checkpoint_id}",
        )  # fmt: skip
    return by_id.get(picked or "", steps[-1])


def _told(step: Step) -> None:
    lines = "".join(f"<li>{text(line)}</li>" for line in step.told)
    at = clock.local(step.at)
    st.html(
        f'<div class="pp-card pp-answer" role="status"><h2>{text(step.title)}</h2><div class="pp-muted">{at:%d %b %Y, %H:%M:%S}</div>'
        f"<ul>{lines}</ul></div>"
    )


def _fork(app: Container, user: User, thread_id: str, step: Step) -> None:
    if not step.can_edit:
        st.caption("Nothing can be changed at this step; pick another one to fork from.")
        return
    can_change = enumerated([_CHANGES[name] for name in step.can_edit])
    with st.expander("Fork from here", icon=":material/fork_right:"), errors.shown():
        anew = (
            " With another goal or plan everything after it is done anew, the draft too."
            if "draft" in step.can_edit
            else ""
        )
        st.caption(f"You can change {can_change}. The fork is a research of its own; this one stays as it is.{anew}")
        values = research.step_values(app, user, thread_id, step.checkpoint_id)
        with st.form(f"{state.RESEARCH_FORK}_{step.checkpoint_id}", border=False):
            edits = _edits(app, user, step, values)
            if st.form_submit_button("Fork and run", type="primary", icon=":material/fork_right:"):
                key = state.once(state.RESEARCH_NONCE, step.checkpoint_id, edits)  # two clicks are one fork (U6)
                made = research.fork(app, user, thread_id, step.checkpoint_id, **edits, idempotency_key=key)
                state.renew(state.RESEARCH_NONCE)
                research_list.open_thread(made)
                state.notify("Forked. The original stays as it is.")
                st.rerun()


def _edits(app: Container, user: User, step: Step, values: StepValues) -> dict[str, Any]:
    """Only what was changed, as :func:`research.fork` takes it."""
    key = f"{state.RESEARCH_FORK}_{step.checkpoint_id}"
    edits: dict[str, Any] = {}
    if "goal" in step.can_edit:
        goal = (st.text_area("Goal", values.goal, key=f"{key}_goal", height=90) or "").strip()
        edits["goal"] = goal if goal != values.goal else None
    if "plan" in step.can_edit and values.plan is not None:
        names = research_plan.titles(app, user)
        plan = research_plan.fields(values.plan, names, f"{key}_plan", with_goal="goal" not in step.can_edit)
        edits["plan"] = plan if plan != values.plan else None
    if "sources" in step.can_edit and values.sources:
        excluded = _excluded(values, key)
        edits["excluded"] = excluded if set(excluded) != set(values.excluded) else None
    if "draft" in step.can_edit and values.draft:
        draft = st.text_area("Draft in Markdown", values.draft, key=f"{key}_draft", height=320) or ""
        edits["draft"] = draft if draft != values.draft else None
    return edits


def _excluded(values: StepValues, key: str) -> list[str]:
    """Sources are ticked while they are used. What was excluded and is not listed any more stays so."""
    listed = {s.key for s in values.sources}
    st.html(f'<div class="pp-group">Sources to use · {len(values.sources)}</div>')
    with st.container(
        height=240 if len(values.sources) > 6 else "content", border=len(values.sources) > 6, gap="xxsmall"
    ):
        dropped = [
            s.key
            for number, s in enumerate(values.sources)
            if not st.checkbox(_name(s), s.key not in values.excluded, key=f"{key}_source_{number}")
        ]
    return [*(k for k in values.excluded if k not in listed), *dropped]


def _name(source: Source) -> str:
    where = f" ({source.host})" if source.host and source.host not in source.title else ""
    return plain(f"{'📄' if source.source_type == 'document' else '🌐'} {source.title}{where}")


def _branches(app: Container, user: User, thread: ResearchThread) -> None:
    """The forks of this research, and what it was forked from."""
    related = research_list.family(research.list_threads(app, user), thread.thread_id)
    if len(related) > 1:
        section_head("Branches")
        research_list.show(related, current=thread.thread_id)


_ERRORS_ONLY, _EVERYTHING = "Errors", "Everything"


def show_log(thread_id: str, entries: Sequence[TraceEntry]) -> None:
    """Says so if there is nothing yet."""
    if not entries:
        st.caption("Nothing was done yet.")
        return
    st.caption(_sum(entries))
    failed = [e for e in entries if e.is_failure]
    shown: Sequence[TraceEntry] = entries
    if failed:
        chosen = st.segmented_control(
            "Entries", [_EVERYTHING, _ERRORS_ONLY], default=_EVERYTHING, required=True,
            key=state.own(state.RESEARCH_LOG, thread_id), label_visibility="collapsed",
        )  # fmt: skip
        shown = failed if chosen == _ERRORS_ONLY else entries
    html(run_log.table(shown))


def _sum(entries: Sequence[TraceEntry]) -> str:
    """ "1.4 s at work · 5 tasks · 1,250 tokens · $0.002 · 3 from the cache · 1 error"."""
    tasks = [e.detail for e in entries if e.kind == "task"]
    took = sum(e.seconds for e in entries if e.kind in ("node", "interrupt", "error"))
    tokens, dollars = sum(t.get("tokens", 0) for t in tasks), sum(float(t.get("cost_usd", 0)) for t in tasks)
    told = [f"{run_log.seconds(took)} at work", counted(len(tasks), "task")]
    told += [badges.cost(tokens, dollars)] if tokens else []
    told += [f"{n} from the cache"] if (n := sum(e.is_cached for e in entries)) else []
    return plain(" · ".join([*told, counted(sum(e.is_failure for e in entries), "error")]))
