"""What models may cost in a month: how much is spent, and the limit to set (M7, U9)."""

from __future__ import annotations

from decimal import Decimal

import streamlit as st

from policypal.application import budget, components
from policypal.application.container import Container
from policypal.domain.usage import Budget, first_of_next_month
from policypal.domain.users import User
from policypal.ui import errors, state
from policypal.ui.chat import badges
from policypal.ui.html import html
from policypal.ui.markup import text
from policypal.ui.shared import sections


def show(app: Container, user: User) -> None:
    held = budget.load(app, user)
    sections.head(
        "Budget of this month",
        "Checked before every request to a model. When it is used up, nothing more is spent: you are offered to continue without "
        "a model, which costs nothing.",
    )
    html(_standing(held))
    if unpriced := components.unpriced_models(app):
        html(f'<div class="pp-notice" role="status">{text(unpriced)}.</div>')
    _form(app, user, held)


def _standing(held: Budget) -> str:
    day = first_of_next_month()
    lines = [_line("You have spent", held.spent_usd, held.own_usd)]
    if held.installation_usd is not None:
        lines.append(_line("Everybody who works here has spent", held.spent_by_all_usd, held.installation_usd))
    lines.append(f"Counting begins anew on {day.day} {day:%B %Y} (UTC).")
    words = " ".join(lines)
    if held.share is None:
        return f'<div class="pp-plain">{text(words)}</div>'
    colour = "var(--pp-orange)" if held.is_nearly_used_up else "var(--pp-blue)"
    meter = badges.meter(float(held.share), colour, "Share of the budget that is spent")
    return f'<div class="pp-plain">{text(words)}</div>{meter}{_warning(held)}'


def _line(who: str, spent: Decimal, limit: Decimal | None) -> str:
    return f"{who} {dollars(spent)}{f' of {dollars(limit)}' if limit is not None else ''}."


def _warning(held: Budget) -> str:
    if held.is_used_up:
        goes_on = "messages go on without a model" if held.continue_without_model else "no model is called any more"
        return f'<div class="pp-notice" role="status">This month’s budget is used up; {goes_on}.</div>'
    if held.is_nearly_used_up and held.share is not None:
        return f'<div class="pp-notice" role="status">{held.share:.0%} of this month’s budget is spent.</div>'
    return ""


def _form(app: Container, user: User, held: Budget) -> None:
    with st.form("budget", width=720):
        limit = st.number_input(
            "My monthly limit in US dollars",
            min_value=0.0,
            max_value=float(budget.MOST_USD),
            value=None if held.own_usd is None else float(held.own_usd),
            step=1.0,
            format="%.2f",
            placeholder="No limit of my own",
            help="Checked before every request to a model, with what the request is expected to cost.",
        )
        goes_on = st.toggle(
            "When it is used up, go on without a model",
            held.continue_without_model,
            help="The extractive engine answers with quotations and templates, at no cost. Otherwise you are asked each time.",
        )
        if not st.form_submit_button("Save budget", type="primary"):
            return
    with errors.shown():
        amount = None if limit is None else Decimal(f"{limit:.2f}")
        budget.save(app, user, amount, continue_without_model=goes_on)
        state.notify("Budget saved.")
        st.rerun()


def dollars(amount: Decimal) -> str:
    """ "$12.30"; amounts below a cent with four digits, so that they are not nothing."""
    return f"${amount:,.2f}" if amount >= Decimal("0.01") or not amount else f"${amount:.4f}"
