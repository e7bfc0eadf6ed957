"""Profile, engine and keys, usage and budget, the samples (U9, R4, R8, R9)."""

import streamlit as st

from policypal.application import library, profile, sample_documents
from policypal.application.container import Container
from policypal.domain.users import User
from policypal.ui import deps, errors, state
from policypal.ui.chat import welcome
from policypal.ui.html import section_head
from policypal.ui.settings import components, profile_form, usage


def show(user: User) -> None:
    app = deps.container()
    st.html("<h1>Settings</h1>")
    about_you, engine, costs, samples = st.tabs(["Profile", "Engine and keys", "Usage and budget", "Samples"])
    with about_you, errors.shown():
        _profile(app, user)
    with engine, errors.shown():
        components.show(app, user)
    with costs, errors.shown():
        usage.show_budget(app, user)
        usage.show(app, user)
    with samples, errors.shown():
        show_samples(app, user)


def _profile(app: Container, user: User) -> None:
    section_head("Your company", _where_it_goes(app))
    given = profile_form.show(profile.load(app, user), submit="Save profile", key="profile")
    if given is not None:
        profile.save(app, user, given)
        state.done("Profile saved. It counts from your next message on.")


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


def show_samples(app: Container, user: User) -> None:
    present = sum(d.is_sample for d in library.list_documents(app, user))
    section_head("Sample documents", f"{present} fictional sample documents are in your library." if present else "")
    if not present:
        welcome.offer_samples(app, user, title="")
        return
    if st.button("Remove all sample documents", key="remove_samples", icon=":material/delete:"):
        removed = sample_documents.remove_samples(app, user)
        state.done(f"{removed} sample documents removed.")
