"""The limits of this installation, and the variables that change them (U9)."""

from __future__ import annotations

import streamlit as st

from policypal.application.container import Container
from policypal.application.drafts import MAX_DRAFT_BYTES
from policypal.config import Settings
from policypal.ui.markup import text


def show(app: Container) -> None:
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
