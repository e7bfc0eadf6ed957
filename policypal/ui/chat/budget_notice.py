"""In the chat: a word before the month's budget is used up, and a way on once it is (M7)."""

import streamlit as st

from policypal.application import ask, budget
from policypal.application.container import Container
from policypal.application.conversations import History
from policypal.domain.users import User
from policypal.ui import errors
from policypal.ui.chat import pal_reasoning


def warn(app: Container, user: User) -> None:
    """From four fifths of the budget on; nothing where no model is paid for."""
    if app.engine.name == "extractive":
        return
    held = budget.load(app, user)
    if held.is_nearly_used_up and held.share is not None:
        words = "used up" if held.is_used_up else f"{held.share:.0%} spent"
        st.html(
            f'<div class="pp-notice" role="status">This month’s model budget is {words}. You can change it in Settings.</div>'
        )


def offer(app: Container, user: User, told: History) -> None:
    """A button below a run that the model or its budget ended: the same message, answered by the extractive engine."""
    last = told.messages[-1] if told.messages else None
    if last is None or not ask.ended_by_model(last):
        return
    if st.button("Continue without a model", key="continue_without_model", icon=":material/format_quote:"):
        with errors.shown():
            thread = told.conversation.thread_id
            ask.continue_without_model(app, user, thread)
            pal_reasoning.begin(thread)
            st.rerun()
