"""What this installation is made of, and whether it is set (U9, R4, R7, R8)."""

from collections.abc import Sequence

import streamlit as st

from policypal.application import components, usage
from policypal.application.components import Component
from policypal.application.container import Container
from policypal.application.usage import WebSearchStatus
from policypal.domain.usage import NEARLY_USED_UP, first_of_next_month
from policypal.domain.users import User
from policypal.ui.chat import badges
from policypal.ui.html import html, section_head
from policypal.ui.markup import text


def show(app: Container, user: User) -> None:
    status = usage.status(app, user)
    section_head(
        "Engine and keys",
        f"At work: {status.engine_label}. Keys are read from the environment or from .env when the app starts; they are never "
        "shown.",
    )
    if renewed := usage.renewal(app, user):
        st.html(f'<div class="pp-notice" role="status">{text(renewed.sentence)}</div>')
    for part in components.components(app):
        html(_part(part))
    _quotas(status.web_search)
    st.html('<div class="pp-note">For a full check of this installation run: python -m policypal doctor</div>')


def _part(part: Component) -> str:
    """Label, whether it is set, what it does; where it is not set, how that is done."""
    mark = (
        badges.badge("set", "pp-green") if part.is_set else badges.badge("built in" if part.is_built_in else "not set")
    )
    goal = "use your own" if part.is_built_in else "enable it"
    how = "" if part.is_set else f" Set {part.setting} and restart to {goal}."
    return (
        f'<div class="pp-card"><div class="pp-row-head">{text(part.label)} {mark}</div>'
        f'<div class="pp-plain">{text(part.use)}.{text(how)}</div></div>'
    )


def _quotas(searches: Sequence[WebSearchStatus]) -> None:
    if not searches:
        return
    day = first_of_next_month()
    section_head(
        "Web searches this month",
        f"Counted for everybody who works here; the count begins anew on {day.day} {day:%B %Y} (UTC).",
    )
    for web in searches:
        html(_quota(web))


def _quota(web: WebSearchStatus) -> str:
    share = web.used / web.quota if web.quota else 1.0
    warning = (
        f' <span class="pp-orange">{badges.icon("warning")} Web Search Limit Reached ({web.quota:,}/month)</span>'
        if share >= 1
        else ""
    )
    colour = "var(--pp-orange)" if share >= NEARLY_USED_UP else "var(--pp-blue)"
    return (
        f'<div class="pp-plain">{text(web.label)}: {web.used:,} of {web.quota:,} searches used this month.{warning}</div>'
        f"{badges.meter(share, f'{web.label}: share of the searches used', colour)}"
    )
