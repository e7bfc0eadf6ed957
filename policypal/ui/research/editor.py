"""Editing a report: Markdown at the left, what becomes of it at the right; saving makes a new version (W6)."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.research import Report
from policypal.domain.users import User
from policypal.errors import Conflict
from policypal.ui import errors, state
from policypal.ui.chat import citations
from policypal.ui.markup import plain

_HEIGHT = 560


def show(app: Container, user: User, thread_id: str, versions: Sequence[Report]) -> None:
    """The latest version in a field. What is typed survives a visit to the other views; nothing is lost to a conflict."""
    latest = versions[0]
    draft = _draft(thread_id, latest)
    key = f"{state.RESEARCH_DRAFT}_{thread_id}_{draft['base']}_{state.nonce(state.RESEARCH_EDITOR)}"
    left, right = st.columns(2, gap="medium")
    with left:
        st.text_area(
            "Report in Markdown", draft["text"], key=key, height=_HEIGHT, on_change=_remember, args=(key, draft),
            help="Keep markers such as 📄1 where they are: they lead to the sources.",
        )  # fmt: skip
    written = str(st.session_state.get(key, draft["text"]))
    with right:
        st.html('<div class="pp-group">Preview</div>')
        with st.container(height=_HEIGHT, key="research_preview"):
            citations.show_answer(thread_id, written, latest.citations)
    _actions(app, user, thread_id, latest, draft, written)


def _draft(thread_id: str, latest: Report) -> dict[str, Any]:
    held = state.mapping(state.RESEARCH_DRAFT)
    if held.get("thread") == thread_id:
        return held
    return {"thread": thread_id, "base": latest.version, "expected": latest.version, "text": latest.markdown}


def _remember(key: str, draft: dict[str, Any]) -> None:
    st.session_state[state.RESEARCH_DRAFT] = {**draft, "text": str(st.session_state.get(key, ""))}


def _discard() -> None:
    state.forget(state.RESEARCH_DRAFT)
    state.renew(state.RESEARCH_EDITOR)


def _actions(
    app: Container, user: User, thread_id: str, latest: Report, draft: dict[str, Any], written: str
) -> None:  # fmt: skip
    is_changed = state.mapping(state.RESEARCH_DRAFT).get("thread") == thread_id
    if draft.get("conflict"):
        st.warning(
            f"**Version {latest.version} was saved meanwhile**, perhaps by you in another tab. Your text is still here. Saving it now "
            f"makes it version {latest.version + 1}; version {latest.version} stays in the list."
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Save as new version", key="save_report", type="primary", icon=":material/save:"):
            _save(app, user, thread_id, latest, draft, written)
        st.button(
            "Discard changes", key="discard_report", type="tertiary", disabled=not is_changed, on_click=_discard,
        )  # fmt: skip
        st.caption("The preview follows when you leave the field or press Ctrl+Enter.")


def _save(app: Container, user: User, thread_id: str, latest: Report, draft: dict[str, Any], written: str) -> None:
    with errors.shown():
        if written.strip() == latest.markdown.strip():
            st.info("Nothing was changed, so nothing was saved.")
            return
        try:
            made = research.edit_report(app, user, thread_id, written, expected_version=draft["expected"])
        except Conflict:
            newest = research.reports(app, user, thread_id)[0].version
            held = {**draft, "text": written, "expected": newest, "conflict": True}
            st.session_state[state.RESEARCH_DRAFT] = held
            st.rerun()
        state.forget(state.RESEARCH_DRAFT)
        st.session_state[state.RESEARCH_SAVED] = True
        state.notify(f"Saved as version {made.version}. {plain('The versions before it are kept.')}")
        st.rerun()
