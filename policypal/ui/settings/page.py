"""Profile, engine and keys, usage and budget, the samples (U9, R4, R8, R9)."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pandas as pd
import streamlit as st

from policypal.application import budget, components, library, profile, sample_documents, usage
from policypal.application.components import Component
from policypal.application.container import Container
from policypal.application.usage import WebSearchStatus
from policypal.domain.usage import NEARLY_USED_UP, Budget, UsageDay, UsageTotal, first_of_next_month
from policypal.domain.users import User
from policypal.ui import deps, errors, state
from policypal.ui.chat import badges, welcome
from policypal.ui.html import html, section_head, tiles
from policypal.ui.markup import text


def show(user: User) -> None:
    app = deps.container()
    st.html("<h1>Settings</h1>")
    about_you, engine, costs, samples = st.tabs(["Profile", "Engine and keys", "Usage and budget", "Samples"])
    with about_you, errors.shown():
        _profile(app, user)
    with engine, errors.shown():
        _components(app, user)
    with costs, errors.shown():
        _budget(app, user)
        _usage(app, user)
    with samples, errors.shown():
        show_samples(app, user)


def _profile(app: Container, user: User) -> None:
    section_head("Your company", _where_it_goes(app))
    given = welcome.profile_form(profile.load(app, user), submit="Save profile", key="profile")
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


def _components(app: Container, user: User) -> None:
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


_CHART_DAYS = 30
_NOTHING = (
    "No paid model calls so far; the extractive engine costs nothing. With a model key, every call shows up here with its "
    "tokens and its cost, by day and model: answers, retries, embeddings of documents and questions."
)


def _usage(app: Container, user: User) -> None:
    days = usage.by_day(app, user)
    if not days:
        section_head("Usage", _NOTHING)
        return
    section_head("Usage of this month", "Every call counts: answers, retries, embeddings of documents and questions.")
    html(_tiles(usage.this_month(app, user)))
    _chart(days)
    with st.expander("By day and model, the last 90 days", icon=":material/table_rows:"):
        html(_usage_table(days))
    st.caption(
        f"Costs follow the providers' published prices as of {usage.PRICES_AS_OF:%d %B %Y}; your invoice decides."
    )


def _tiles(month: UsageTotal) -> str:
    return tiles((
        ("spent", _dollars(month.cost_usd)), ("calls", f"{month.calls:,}"),
        ("tokens in", f"{month.input_tokens:,}"), ("tokens out", f"{month.output_tokens:,}"),
    ))  # fmt: skip


def _chart(days: Sequence[UsageDay]) -> None:
    """Dollars a day by model; tokens where no price is known, as of models of one's own."""
    has_cost = any(d.cost_usd for d in days)
    unit = "US _dollars" if has_cost else "Tokens"
    last = _last_days()
    frame = pd.DataFrame(
        [
            (f"{d.day:%d %b}", d.model, float(d.cost_usd) if has_cost else d.input_tokens + d.output_tokens)
            for d in days
            if d.day >= last[0]
        ],
        columns=["Day", "Model", unit],
    )
    st.html(f'<div class="pp-group">{unit} by day, the last {_CHART_DAYS} days (UTC)</div>')
    st.vega_lite_chart(frame, _spec(unit, [f"{day:%d %b}" for day in last]), height=260)


def _spec(unit: str, days: Sequence[str]) -> dict[str, object]:
    """Stacked bars with a place for every day, and a legend that fits a phone."""
    return {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {
                "field": "Day", "type": "ordinal", "scale": {"domain": list(days)},
                "axis": {"title": None, "labelOverlap": "greedy", "labelAngle": 0},
            },
            "y": {"field": unit, "type": "quantitative", "aggregate": "sum", "axis": {"title": None, "tickCount": 4}},
            "color": {"field": "Model", "type": "nominal", "legend": {"orient": "bottom", "columns": 2, "title": None}},
        },
    }  # fmt: skip


def _last_days() -> list[date]:
    today = datetime.now(UTC).date()
    return [today - timedelta(days=back) for back in reversed(range(_CHART_DAYS))]


def _usage_table(days: Sequence[UsageDay]) -> str:
    head = "".join(f'<th class="pp-number">{h}</th>' for h in ("Calls", "Tokens in", "Tokens out", "Cost"))
    return (
        '<div class="pp-scroll"><table class="pp-table"><thead><tr><th>Day</th><th>Model</th>'
        f"{head}</tr></thead><tbody>{''.join(map(_usage_row, days))}</tbody></table></div>"
    )


def _usage_row(d: UsageDay) -> str:
    cost = f"${d.cost_usd:.4f}" if d.cost_usd or d.is_priced else "price unknown"
    numbers = (f"{d.calls:,}", f"{d.input_tokens:,}", f"{d.output_tokens:,}", cost)
    cells = "".join(f'<td class="pp-number">{value}</td>' for value in numbers)
    return f"<tr><td>{d.day:%d %b %Y}</td><td>{text(d.model)}</td>{cells}</tr>"


def _budget(app: Container, user: User) -> None:
    held = budget.load(app, user)
    section_head(
        "Budget of this month",
        "Checked before every request to a model. When it is used up, nothing more is spent: you are offered to continue without "
        "a model, which costs nothing.",
    )
    html(_standing(held))
    if unpriced := components.unpriced_models(app):
        html(f'<div class="pp-notice" role="status">{text(unpriced)}.</div>')
    _budget_form(app, user, held)


def _standing(held: Budget) -> str:
    day = first_of_next_month()
    lines = [_spent("You have spent", held.spent_usd, held.own_usd)]
    if held.installation.usd is not None:
        lines.append(_spent("Everybody who works here has spent", held.spent_by_all_usd, held.installation.usd))
    if held.installation.tokens is not None:
        used = f"{held.tokens_of_all:,} of {held.installation.tokens:,} tokens"
        lines.append(f"Of models without a known price, everybody together has used {used}.")
    lines.append(f"Counting begins anew on {day.day} {day:%B %Y} (UTC).")
    words = " ".join(lines)
    if held.share is None:
        return f'<div class="pp-plain">{text(words)}</div>'
    colour = "var(--pp-orange)" if held.is_nearly_used_up else "var(--pp-blue)"
    meter = badges.meter(float(held.share), "Share of the budget that is spent", colour)
    return f'<div class="pp-plain">{text(words)}</div>{meter}{_warning(held)}'


def _spent(who: str, spent: Decimal, limit: Decimal | None) -> str:
    return f"{who} {_dollars(spent)}{f' of {_dollars(limit)}' if limit is not None else ''}."


def _warning(held: Budget) -> str:
    if held.is_used_up:
        goes_on = "messages go on without a model" if held.continue_without_model else "no model is called any more"
        return f'<div class="pp-notice" role="status">This month’s budget is used up; {goes_on}.</div>'
    if held.is_nearly_used_up and held.share is not None:
        return f'<div class="pp-notice" role="status">{held.share:.0%} of this month’s budget is spent.</div>'
    return ""


def _budget_form(app: Container, user: User, held: Budget) -> None:
    with st.form("budget", width=720):
        limit = st.number_input(
            "My monthly limit in US _dollars",
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
        state.done("Budget saved.")


def _dollars(amount: Decimal) -> str:
    """ "$12.30"; amounts below a cent with four digits, so that they are not nothing."""
    return f"${amount:,.2f}" if amount >= Decimal("0.01") or not amount else f"${amount:.4f}"
