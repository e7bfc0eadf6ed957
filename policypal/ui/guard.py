"""Who is at work. Every page asks first, because a direct URL can run a page without ``app.py`` (U1)."""

from __future__ import annotations

import streamlit as st

from policypal.application.container import local_analyst
from policypal.domain.users import User
from policypal.ui import deps, errors, state, style


def require_user() -> User:
    """The signed-in user. Without a sign-in provider that is the local analyst (R6); a failure ends the page here."""
    style.apply()
    _say_notice()
    with errors.shown(stop=True):
        return local_analyst(deps.container())
    raise AssertionError("unreachable: a failure above stops the page")


def _say_notice() -> None:
    if notice := state.take_notice():
        st.toast(notice)
