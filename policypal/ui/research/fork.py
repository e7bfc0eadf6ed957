"""A click that forks a research, and what the page does then (W6)."""

from __future__ import annotations

from typing import Any, NoReturn

import streamlit as st

from policypal.application import research
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.ui import state
from policypal.ui.research import list as research_list


def run(
    app: Container, user: User, thread_id: str, checkpoint_id: str, edits: dict[str, Any], *, notice: str
) -> NoReturn:
    """Fork from a step with these edits, as :func:`research.fork` takes them, show the fork and say so. Two clicks are one
    fork: the second may come before the first was told (U6)."""
    key = state.once(state.RESEARCH_NONCE, checkpoint_id, edits)
    made = research.fork(app, user, thread_id, checkpoint_id, **edits, idempotency_key=key)
    state.renew(state.RESEARCH_NONCE)
    research_list.open_thread(made)
    state.notify(notice)
    st.rerun()
