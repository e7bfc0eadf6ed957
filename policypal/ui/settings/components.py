"""What this installation is made of, whether it is set, and a button that tries it (U9, R4, R7, R8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from policypal.application import components, reembedding, usage
from policypal.application.components import Component
from policypal.application.container import Container
from policypal.application.doctor import Check
from policypal.application.drafts import MAX_DRAFT_BYTES
from policypal.application.usage import WebSearchStatus
from policypal.config import Settings
from policypal.domain.usage import NEARLY_USED_UP, first_of_next_month
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import badges
from policypal.ui.html import html, section_head
from policypal.ui.markup import text

_SIGNS = {"ok": ("pp-green", "✓"), "optional": ("", "–"), "warning": ("pp-yellow", "!"), "problem": ("pp-red", "✗")}


def show(app: Container, user: User) -> None:
    status = usage.status(app, user)
    section_head(
        "Engine and keys",
        f"At work: {status.engine_label}. Keys are read from the environment or from .env when the app starts; they are never "
        "shown.",
    )
    if renewal := reembedding.status(app, user):
        st.html(f'<div class="pp-notice" role="status">{text(renewal.sentence)}</div>')
    _parts(app, user)
    _quotas(status.web_search)
    st.html('<div class="pp-note">For a full check of this installation run: python -m policypal doctor</div>')


@st.fragment
def _parts(app: Container, user: User) -> None:
    with errors.shown():
        for part in components.components(app):
            _part(app, user, part)


def _part(app: Container, user: User, part: Component) -> None:
    can_be_checked = components.can_be_checked(part)
    with st.container(border=True, key=f"part_{part.name}", gap="small"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            html(_head(part, can_be_checked), width="stretch")
            if can_be_checked and st.button("Test", key=f"try_{part.name}", help=part.cost or f"Try: {part.label}"):
                with st.spinner(f"Trying {part.label} …"):
                    _remember(part, components.check(app, user, part.name))
        if checks := state.mapping(state.COMPONENT_CHECKS).get(part.name):
            html("".join(_outcome(check) for check in checks))


def _head(part: Component, can_be_checked: bool) -> str:
    """Label, whether it is set, what it does; where it is not set, how that is done."""
    mark = badges.badge("set", "pp-green") if part.is_set else badges.badge("built in" if can_be_checked else "not set")
    how = (
        ""
        if part.is_set
        else f" Set {part.setting} and restart to {'use your own' if can_be_checked else 'enable it'}."
    )
    return (
        f'<div class="pp-row-head">{text(part.label)} {mark}</div>'
        f'<div class="pp-plain">{text(part.use)}.{text(how)}</div>'
    )


def _remember(part: Component, checks: Sequence[Check]) -> None:
    held = state.mapping(state.COMPONENT_CHECKS)
    st.session_state[state.COMPONENT_CHECKS] = {**held, part.name: [asdict(check) for check in checks]}


def _outcome(check: dict[str, Any]) -> str:
    css_class, sign = _SIGNS[check["status"]]
    advice = f" <b>What to do:</b> {text(check['advice'])}" if check["advice"] else ""
    return (
        f'<div class="pp-plain" role="status"><span class="{css_class}"><b>{sign}</b> {text(check["name"])}:</span>'
        f" {text(check['finding'].rstrip('.'))}.{advice}</div>"
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
    warning = f' <span class="pp-orange">⚠️ Web Search Limit Reached ({web.quota:,}/month)</span>' if share >= 1 else ""
    colour = "var(--pp-orange)" if share >= NEARLY_USED_UP else "var(--pp-blue)"
    return (
        f'<div class="pp-plain">{text(web.label)}: {web.used:,} of {web.quota:,} searches used this month.{warning}</div>'
        f"{badges.meter(share, colour, f'{web.label}: share of the searches used')}"
    )


def show_limits(app: Container) -> None:
    with st.expander("Limits of this installation", icon=":material/tune:"):
        st.caption("Whoever runs PolicyPal sets these in the environment or in .env; they hold from the next start on.")
        rows = "".join(
            f"<tr><td>{text(what)}</td><td>{text(value)}</td><td><code>{text(variable)}</code></td></tr>"
            for what, value, variable in _limits(app.settings)
        )
        st.html(
            '<div class="pp-scroll"><table class="pp-table"><thead><tr><th>Limit</th><th>Value</th><th>Variable</th></tr>'
            f"</thead><tbody>{rows}</tbody></table></div>"
        )


def _limits(s: Settings) -> list[tuple[str, str, str]]:
    budget = "none" if s.monthly_budget_usd is None else f"${s.monthly_budget_usd:,.2f} a month, all users together"
    return [
        ("Size of a file", f"{s.max_upload_mb:,} MB", "POLICYPAL_MAX_UPLOAD_MB"),
        ("Pages of a document", f"{s.max_pages:,}", "POLICYPAL_MAX_PAGES"),
        ("Time to read a document", f"{s.extraction_seconds:g} s", "POLICYPAL_EXTRACTION_SECONDS"),
        ("Memory to read a document", f"{s.extraction_memory_mb:,} MB", "POLICYPAL_EXTRACTION_MEMORY_MB"),
        ("Documents read at the same time", f"{s.worker_concurrency}", "POLICYPAL_WORKER_CONCURRENCY"),
        ("Attached draft", f"{MAX_DRAFT_BYTES / 1_000_000:g} MB", "fixed"),
        ("Answer of the model", f"{s.model_timeout_seconds:g} s", "POLICYPAL_MODEL_TIMEOUT"),
        ("Documents sent to the model whole", f"{s.whole_document_tokens:,} tokens", "POLICYPAL_WHOLE_DOCUMENT_TOKENS"),
        ("Model budget", budget, "POLICYPAL_MONTHLY_BUDGET_USD"),
        ("Web searches of a provider", f"{s.web_monthly_quota:,} a month", "POLICYPAL_WEB_MONTHLY_QUOTA"),
        ("A web search or page", f"{s.web_timeout_seconds:g} s", "POLICYPAL_WEB_TIMEOUT"),
    ]
