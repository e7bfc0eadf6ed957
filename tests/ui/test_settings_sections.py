"""The sections of the settings page (U9, R4, R7, R8, M7)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import budget, profile
from policypal.db import usage as usage_db
from policypal.domain.usage import ModelCall, Usage
from policypal.domain.users import User
from policypal.ui import state
from tests.ui.conftest import Desk, assert_healthy, texts


@pytest.fixture
def spender(desk: Desk) -> User:
    """The desk.user after calls to a model with a price and to one without."""
    with desk.app.db.as_owner() as c:  # what people spent who have deleted their data goes on counting for everybody
        c.execute("DELETE FROM usage")
        c.execute("DELETE FROM budgets")
    for model, dollars in (("gpt-4o", "8.50"), ("<b>own</b>", "0")):
        call = ModelCall("answer", "openai", model, "1", Usage(1200, 340, Decimal(dollars)), 1.0)
        usage_db.add_usage(desk.app.db, desk.user.id, call, thread_id=None, run_id=None)
    return desk.user


def _said(tab: AppTest) -> str:
    """The line a click leaves for the run after it, whether or not it was shown already."""
    waiting = [tab.session_state[state.NOTICE]] if state.NOTICE in tab.session_state else []
    return " ".join(map(str, [*(t.value for t in tab.toast), *waiting]))


def _form(tab: AppTest, label: str) -> None:
    next(b for b in tab.button if b.label == label).click().run()
    assert_healthy(tab)


def test_u9_profile_is_changed_here(desk: Desk) -> None:
    tab = desk.open("settings")
    next(t for t in tab.text_input if t.label == "Country").input("Malaysia")
    next(t for t in tab.text_area if t.label == "What the company does").input("Cards")
    _form(tab, "Save profile")
    kept = profile.load(*desk)
    assert (kept.country, kept.description) == ("Malaysia", "Cards")
    assert "Profile saved" in _said(tab)


def test_r4_r7_the_engine_is_labelled_and_what_is_missing_is_explained(desk: Desk) -> None:
    shown = texts(desk.open("settings"))
    for words in ("Extractive engine", "OPENAI_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SUPABASE_URL", "PostgreSQL"):
        assert words in shown


def test_m7_usage_is_shown_by_day_and_model_with_a_chart(desk: Desk, spender: User) -> None:
    tab = desk.open("settings")
    shown = texts(tab)
    assert "$8.50" in shown and "2,400" in shown and "680" in shown
    assert "price unknown" in shown and "&lt;b&gt;own&lt;/b&gt;" in shown and "<b>own</b>" not in shown
    assert len(tab.get("vega_lite_chart") or tab.get("arrow_vega_lite_chart")) == 1


def test_u9_without_usage_the_page_says_what_will_be_here(desk: Desk) -> None:
    with desk.app.db.as_user(desk.user.id) as c:
        c.execute("DELETE FROM usage WHERE user_id = %s", (desk.user.id,))
    assert "No paid model calls so far" in texts(desk.open("settings"))


def test_m7_the_budget_is_set_here_and_warns_from_four_fifths_on(desk: Desk, spender: User) -> None:
    tab = desk.open("settings")
    assert "of this month’s budget is spent" not in texts(tab)
    tab.number_input[0].set_value(10.0)
    tab.toggle[0].set_value(True)
    _form(tab, "Save budget")
    kept = budget.load(desk.app, spender)
    assert (kept.own_usd, kept.continue_without_model) == (Decimal("10.00"), True)
    assert "85% of this month’s budget is spent" in texts(tab)
    tab.number_input[0].set_value(8.0)
    _form(tab, "Save budget")
    assert "used up; messages go on without a model" in texts(tab)


def test_m7_a_budget_above_the_installations_is_refused_in_words(
    desk: Desk, spender: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget.save(desk.app, spender, Decimal(30), continue_without_model=False)
    limited = desk.app.settings.model_copy(update={"monthly_budget_usd": Decimal(20)})
    monkeypatch.setattr(desk.app, "settings", limited)
    tab = desk.open("settings")
    assert "$8.50 of $20.00" in texts(tab), "an older limit above the installation's is shown, not a failure"
    tab.number_input[0].set_value(21.0)
    _form(tab, "Save budget")
    assert "at most $20.00" in tab.error[0].value.replace("\\", "")
    assert budget.load(desk.app, spender).own_usd == 30
