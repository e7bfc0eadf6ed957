"""Profile, engine and keys, usage and budget, one's own data (U9, R4, R8)."""

from __future__ import annotations

import streamlit as st

from policypal.application import profile
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.ui import deps, errors, state
from policypal.ui.html import section_head
from policypal.ui.settings import components, data, profile_form, usage


def show(user: User) -> None:
    app = deps.container()
    st.html("<h1>Settings</h1>")
    about_you, engine, costs, own_data = st.tabs(["Profile", "Engine and keys", "Usage and budget", "Your data"])
    with about_you, errors.shown():
        _profile(app, user)
    with engine, errors.shown():
        components.show(app, user)
        components.show_limits(app)
    with costs, errors.shown():
        usage.show_budget(app, user)
        usage.show(app, user)
    with own_data, errors.shown():
        data.show(app, user)


def _profile(app: Container, user: User) -> None:
    section_head("Your company", _where_it_goes(app))
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
