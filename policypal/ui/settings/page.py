"""Profile, engine and keys, usage and budget, one's own data (U9, R4, R8)."""

from __future__ import annotations

import streamlit as st

from policypal.application import profile
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.ui import deps, errors, state
from policypal.ui.settings import budget as settings_budget
from policypal.ui.settings import components as settings_parts
from policypal.ui.settings import data as settings_data
from policypal.ui.settings import limits as settings_limits
from policypal.ui.settings import profile_form
from policypal.ui.settings import usage as settings_usage
from policypal.ui.shared import sections


def show(user: User) -> None:
    app = deps.container()
    st.html("<h1>Settings</h1>")
    about_you, engine, usage, data = st.tabs(["Profile", "Engine and keys", "Usage and budget", "Your data"])
    with about_you, errors.shown():
        _profile(app, user)
    with engine, errors.shown():
        settings_parts.show(app, user)
        settings_limits.show(app)
    with usage, errors.shown():
        settings_budget.show(app, user)
        settings_usage.show(app, user)
    with data, errors.shown():
        settings_data.show(app, user)


def _profile(app: Container, user: User) -> None:
    sections.head("Your company", _where_it_goes(app))
    given = profile_form.show(profile.load(app, user), submit="Save profile", key="profile")
    if given is not None:
        profile.save(app, user, given)
        state.notify("Profile saved. It counts from your next message on.")
        st.rerun()


def _where_it_goes(app: Container) -> str:
    """What the profile does, and who gets to see it."""
    used = "Summaries point out what names your country, industry or business, and answers and audits are tailored to them."
    goes = (
        "It is sent to the model provider with every request."
        if app.settings.has_model_key
        else "It stays in this installation."
    )
    if app.web is not None:
        goes = f"{goes} Country and industry may narrow a web search; the company's name is never sent there."
    return f"{used} {goes}"
