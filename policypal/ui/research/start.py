"""Where a research begins: the goal, Auto or Plan, examples from the library, and what was researched before (W1, W2)."""

from collections.abc import Iterable, Sequence

import streamlit as st

from policypal.application import library, research
from policypal.application.container import Container
from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.domain.research import Gate, Mode
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import welcome
from policypal.ui.html import section_head
from policypal.ui.labels import Labels
from policypal.ui.markup import plain, text
from policypal.ui.research import list as research_list

_ABOUT = (
    "Give a goal, get a report. PolicyPal searches your library and the web, reads what it finds, writes, and checks every "
    "sentence against its source. Anything that cannot be supported is removed."
)
_MODE_HELP = {
    "auto": "Auto starts at once with a sensible plan.",
    "plan": "Plan asks up to four short questions, then shows the plan before anything is read.",
}
_NO_WEB = (
    "Web search is not configured, so reports rest on your library alone. To add the web, set TAVILY_API_KEY or EXA_API_KEY "
    "in the environment or in .env and restart PolicyPal."
)
_EXAMPLES = 3


def show(app: Container, user: User) -> None:
    """The empty page. Without documents there is nothing to research in, unless the web is configured."""
    documents = library.list_documents(app, user)
    ready = [d for d in documents if d.status is DocumentStatus.READY]
    st.html(f'<h1>Research</h1><p class="pp-about">{text(_ABOUT)}</p>')
    if not ready:
        _no_documents(app, user, documents)
    if ready or app.web is not None:
        _goal(app, user, ready)
        _examples(ready)
    _earlier(app, user)


def examples(ready: Sequence[Document]) -> list[str]:
    """Goals about the user's own documents: what a policy has to change, what two documents ask for, what one does."""
    regulations = _one_per_title(d for d in ready if d.type is DocumentType.REGULATORY)
    policies = _one_per_title(d for d in ready if d.type is DocumentType.COMPANY)
    offered = []
    if policies and regulations:
        offered.append(f"What must we change in {policies[0]} to meet {regulations[0]}?")
    titles = [*regulations, *policies]
    if len(titles) > 1:
        offered.append(f"Compare what {titles[0]} and {titles[1]} require, and by when")
    offered += [f"Which duties and deadlines does {title} set, and who has to meet them?" for title in titles[:2]]
    if titles:
        offered.append(f"Give an overview of {titles[0]}: scope, duties, deadlines and consequences")
    return offered[:_EXAMPLES]


def _one_per_title(documents: Iterable[Document]) -> list[str]:
    """The names of documents, the latest edition of each."""
    latest: dict[str, Document] = {}
    for document in sorted(documents, key=lambda d: d.version):
        latest[document.title.casefold()] = document
    return [d.display_title for d in latest.values()]


def _no_documents(app: Container, user: User, documents: Sequence[Document]) -> None:
    if documents:
        st.info("Your documents are still being read. A research can start as soon as one of them is ready.")
        st.page_link("pages/documents.py", label="Go to Documents", icon=":material/library_books:")
    else:
        st.html(
            '<div class="pp-notice" role="status">Your library is empty: there is nothing to research in yet.</div>'
        )
        welcome.offer_samples(app, user)


def _goal(app: Container, user: User, ready: Sequence[Document]) -> None:
    """What is advised stands below the button, so that it never moves away from under the mouse."""
    goal = st.text_area(
        "Goal", key=state.RESEARCH_GOAL, height=110,
        placeholder="For example: What must a mid-size bank change in its outsourcing policy for the new resilience rules?",
    )  # fmt: skip
    st.session_state.setdefault(state.RESEARCH_MODE, "auto")
    with st.container(horizontal=True, vertical_alignment="bottom", key="research_controls"):
        mode = st.segmented_control(
            "Mode", list(research_list.MODE_LABELS), key=state.RESEARCH_MODE, required=True,
            format_func=Labels(research_list.MODE_LABELS),
        )  # fmt: skip
        titles = {d.id: d.display_title for d in ready}
        picked = st.multiselect(
            "Documents", list(titles), format_func=Labels(titles), key=state.RESEARCH_DOCUMENTS, width="stretch",
            placeholder="All documents of your library",
        )  # fmt: skip
        started = st.button("Start research", key="start_research", type="primary", icon=":material/travel_explore:")
    chosen: Mode = "plan" if mode == "plan" else "auto"
    if started:
        with errors.shown():
            _start(app, user, goal or "", chosen, picked)
    _advice(app, user, goal or "", chosen)
    if app.web is None:
        st.html(f'<div class="pp-note" role="note">{text(_NO_WEB)}</div>')


def _start(app: Container, user: User, goal: str, mode: Mode, document_ids: Sequence[str]) -> None:
    """Two clicks are one run: the second may come before the first was told."""
    key = state.once(state.RESEARCH_NONCE, goal, mode, document_ids)
    thread = research.start(app, user, goal, mode=mode, idempotency_key=key, document_ids=tuple(document_ids))
    state.renew(state.RESEARCH_NONCE)
    research_list.open_thread(thread)
    st.rerun()


def _advice(app: Container, user: User, goal: str, mode: Mode) -> None:
    """The gate suggests; the person's switch wins (W2)."""
    st.caption(_MODE_HELP[mode])
    if not goal.strip() or mode == "plan":
        return
    with errors.shown():
        gate = research.gate(app, user, goal)
        if not gate.auto:
            _suggest_plan(gate)


def _suggest_plan(gate: Gate) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="plan_suggested"):
        reasons = " ".join(gate.reasons)
        st.html(f'<div class="pp-notice" role="status"><b>Plan suggested.</b> {text(reasons)}</div>', width="stretch")
        st.button("Use Plan", key="use_plan", on_click=_use_plan)


def _use_plan() -> None:
    st.session_state[state.RESEARCH_MODE] = "plan"


def _examples(ready: Sequence[Document]) -> None:
    offered = examples(ready)
    if not offered:
        return
    st.html('<h2 class="pp-group">Try one of these</h2>')
    with st.container(key="research_examples", gap="xsmall"):
        for number, goal in enumerate(offered):
            st.button(
                plain(goal), key=f"{state.SUGGESTION}_research_{number}", icon=":material/arrow_forward:",
                on_click=_use_example, args=(goal,),
            )  # fmt: skip


def _use_example(goal: str) -> None:
    st.session_state[state.RESEARCH_GOAL] = goal


def _earlier(app: Container, user: User) -> None:
    threads = research.list_threads(app, user)
    if threads:
        section_head("Earlier research")
        research_list.show(threads)
