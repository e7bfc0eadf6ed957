"""Profile, engine and keys, usage, samples (U9, R4, R8)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from policypal.application import library, profile
from policypal.application.container import Container
from policypal.application.profile import EngineStatus, WebSearchStatus
from policypal.db.usage import UsageDay
from policypal.domain.users import User
from policypal.ui import deps, errors, state
from policypal.ui.markup import text
from policypal.ui.widgets import badges, profile_form, welcome


def show(user: User) -> None:
    app = deps.container()
    st.html("<h1>Settings</h1>")
    with errors.shown():
        _profile(app, user)
        _engine(app, user)
        _usage(profile.usage(app, user))
        _samples(app, user)


def _profile(app: Container, user: User) -> None:
    st.html("<h2>Profile</h2>")
    kept = "It never leaves this installation without a model key"
    if app.web is not None:
        kept += ", except that country and industry may narrow a web search"
    st.caption(f"Tailors summaries and audits to your company. {kept}.")
    given = profile_form.show(profile.load(app, user), submit="Save profile", key="profile")
    if given is not None:
        profile.save(app, user, given)
        state.notify("Profile saved.")
        st.rerun()


def _engine(app: Container, user: User) -> None:
    st.html("<h2>Engine and keys</h2>")
    status = profile.status(app, user)
    rows = "".join(f"<tr><td>{text(k)}</td><td>{text(v)}</td></tr>" for k, v in _facts(status).items())
    st.html(f'<table class="pp-table" style="max-width:720px"><tbody>{rows}</tbody></table>')
    for hint in _hints(status):
        st.html(f'<div class="pp-note">{text(hint)}</div>')


def _facts(status: EngineStatus) -> dict[str, str]:
    budget = f" of ${status.budget_usd:.2f}" if status.budget_usd is not None else " (no monthly limit set)"
    return {
        "Engine": f"{status.engine_label}. {badges.engine(status.engine)}.",
        "Embeddings": status.embedding_model,
        "Database": status.database,
        "Web search": "; ".join(map(_searches, status.web_search)) or "not configured",
        "Spent this month": f"${status.spent_usd:.4f}{budget}",
    }


def _searches(web: WebSearchStatus) -> str:
    spent = " ⚠️ Web Search Limit Reached." if web.used >= web.quota else ""
    return f"{web.label}: {web.used:,} of {web.quota:,} searches used this month.{spent}"


def _hints(status: EngineStatus) -> list[str]:
    """What to do to get more, in the words of the configuration (R7, R8)."""
    hints = []
    if status.engine == "extractive":
        hints.append(
            "No model key is set, so answers consist of quotations and templates. Set OPENAI_API_KEY (and OPENAI_BASE_URL for "
            "any compatible endpoint) in the environment or in .env, then restart, to have answers written by a model."
        )
    if not status.web_search:
        hints.append("Web search is off. Set TAVILY_API_KEY or EXA_API_KEY and restart to enable it.")
    hints.append("For a full check of this installation run: python -m policypal doctor")
    return hints


def _usage(days: Sequence[UsageDay]) -> None:
    st.html("<h2>Usage of the last 90 days</h2>")
    if not days:
        st.caption("No paid model calls so far. The extractive engine costs nothing.")
        return
    rows = "".join(
        f"<tr><td>{d.day:%d %b %Y}</td><td>{text(d.model)}</td><td class='pp-number'>{d.calls:,}</td>"
        f"<td class='pp-number'>{d.input_tokens:,}</td><td class='pp-number'>{d.output_tokens:,}</td>"
        f"<td class='pp-number'>${d.cost_usd:.4f}</td></tr>" for d in days
    )  # fmt: skip
    st.html(
        '<div class="pp-scroll"><table class="pp-table"><thead><tr><th>Day</th><th>Model</th><th class="pp-number">Calls</th>'
        '<th class="pp-number">Tokens in</th><th class="pp-number">Tokens out</th><th class="pp-number">Cost</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _samples(app: Container, user: User) -> None:
    st.html("<h2>Sample documents</h2>")
    present = sum(d.is_sample for d in library.list_documents(app, user))
    if not present:
        welcome.offer_samples(app, user)
        return
    st.caption(f"{present} fictional sample documents are in your library.")
    if st.button("Remove all sample documents", key="remove_samples", icon=":material/delete:"):
        removed = library.remove_samples(app, user)
        state.notify(f"{removed} sample documents removed.")
        st.rerun()
