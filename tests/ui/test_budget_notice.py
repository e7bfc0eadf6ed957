"""The chat warns before the month's budget is used up and offers to go on without a model (M7)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from policypal.application import budget, profile
from policypal.application.container import Container, local_analyst
from policypal.db import usage as usage_db
from policypal.domain.usage import ModelCall, Usage
from policypal.domain.users import LOCAL_ANALYST, Profile
from policypal.ui import deps, state
from tests.architecture.source_files import ROOT
from tests.support.conversation import Speaker
from tests.support.openai_server import OpenAIServer
from tests.ui.conftest import assert_healthy, labels, press, say, settle, texts

RULES = "1. A bank must keep transaction records for at least seven years."


@pytest.fixture
def analyst(model_app: Container, model_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Speaker:
    """The local analyst of an installation with a model, who has spent 85 cents of a dollar."""
    model_server.reset()
    monkeypatch.setattr(deps, "container", lambda: model_app)
    with model_app.db.as_owner() as c:
        c.execute("DELETE FROM users WHERE id = %s", (LOCAL_ANALYST.id,))
    speaker = Speaker(model_app, local_analyst(model_app), model_server)
    profile.save(model_app, speaker.user, Profile(asked=True))
    speaker.add("Records Rules", RULES)
    call = ModelCall("answer", "openai", "gpt-4o", "1", Usage(1000, 100, Decimal("0.85")), 1.0)
    usage_db.add_usage(model_app.db, speaker.user.id, call, thread_id=None, run_id=None)
    budget.save(model_app, speaker.user, Decimal(1), continue_without_model=False)
    return speaker


def _chat() -> AppTest:
    tab = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    tab.session_state[state.PLAIN_COMPOSER] = True
    tab.run()
    assert_healthy(tab)
    return tab


def test_m7_the_chat_warns_from_four_fifths_on(analyst: Speaker) -> None:
    assert "This month’s model budget is 85% spent" in texts(_chat())
    budget.save(analyst.app, analyst.user, Decimal(2), continue_without_model=False)
    assert "model budget" not in texts(_chat())


def test_m7_a_used_up_budget_is_said_and_one_click_goes_on_without_a_model(analyst: Speaker) -> None:
    budget.save(analyst.app, analyst.user, Decimal("0.50"), continue_without_model=False)
    assert analyst.server is not None
    analyst.server.requests.clear()
    tab = say(_chat(), "How long must transaction records be kept?")
    assert "Budget used up" in tab.error[0].value
    press(tab, "continue_without_model")
    settle(tab)
    shown = texts(tab)
    assert "seven years" in shown and "Answered without a language model" in shown
    assert "Continue without a model" not in labels(tab)
    assert analyst.server.requests == []
