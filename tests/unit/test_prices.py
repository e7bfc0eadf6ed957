"""Token prices and the task → model map (M7, R4)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from policypal.config import Settings, load_settings
from policypal.errors import ConfigurationError
from policypal.llm.prices import (
    PRICES,
    PRICES_AS_OF,
    Tokens,
    cost_of,
    expected_cost,
    is_price_known,
    price_of,
)
from policypal.llm.routing import MODEL_MAP, ModelRoutes
from tests.support.tasks import all_tasks


def test_m7_cost_counts_cached_input_at_its_own_price() -> None:
    tokens = Tokens(input=1_000_000, cached_input=400_000, output=100_000)
    assert cost_of("gpt-4o-mini", tokens) == Decimal("0.15") * 6 / 10 + Decimal("0.075") * 4 / 10 + Decimal("0.06")


def test_m7_money_is_decimal_without_rounding() -> None:
    cost = cost_of("gpt-4o-mini", Tokens(input=1, output=1))
    assert isinstance(cost, Decimal)
    assert cost == Decimal("0.00000075")


@pytest.mark.parametrize(
    ("dated", "family"),
    [("gpt-4o-mini-2024-07-18", "gpt-4o-mini"), ("gpt-4o-2024-11-20", "gpt-4o"), ("o3-2025-04-16", "o3")],
)
def test_m7_dated_model_has_the_price_of_its_family(dated: str, family: str) -> None:
    assert price_of(dated) == PRICES[family]


def test_m7_dated_model_with_a_price_of_its_own_keeps_it() -> None:
    assert price_of("gpt-4o-2024-05-13") != price_of("gpt-4o")


@pytest.mark.parametrize("model", ["llama3.1:8b", "gpt-4o-realtime-preview", "ft:gpt-4o-mini:acme::1", "gpt-4", ""])
def test_m7_unknown_price_is_said_not_guessed(model: str) -> None:
    assert not is_price_known(model)
    assert cost_of(model, Tokens(input=5_000_000, output=5_000_000)) == 0


def test_m7_cached_tokens_never_exceed_the_input() -> None:
    assert cost_of("gpt-4o", Tokens(input=10, cached_input=50)) == cost_of("gpt-4o", Tokens(input=10, cached_input=10))


def test_m7_price_table_is_dated_and_caching_never_costs_more() -> None:
    assert PRICES_AS_OF.year >= 2026
    assert all(0 < (p.cached_input or 0) <= p.input for p in PRICES.values())


@pytest.mark.parametrize(
    ("task", "model"),
    [
        ("summarize", "gpt-6-luna"),
        ("answer", "gpt-6-luna"),
        ("compare", "gpt-6.1-terra"),
        ("judge", "gpt-6.1-terra"),
        ("second_look", "gpt-6.1-terra"),
        ("router", "gpt-6-luna"),
    ],
)
def test_r4_tasks_go_to_the_models_of_the_map(task: str, model: str) -> None:
    assert ModelRoutes().model_for(task) == model
    assert price_of(model) is not None


def test_r4_overrides_win_over_the_map() -> None:
    routes = ModelRoutes({"audit": "gpt-5", "inquire": "gpt-4.1"})
    assert routes.model_for("audit") == "gpt-5"
    assert routes.model_for("answer") == "gpt-4.1"
    assert routes.model_for("compare") == "gpt-6.1-terra"


def test_r4b_an_effort_stands_behind_the_model_and_stays_that_of_the_task_where_none_is_given() -> None:
    routes = ModelRoutes({"audit": "gpt-6.1-sol@high", "compare": "o3", "inquire": "claude@2026", "router": "x@low"})
    assert [routes.effort_for(t) for t in ("judge", "compare", "answer", "router", "plan")] == [
        "high",
        "low",
        "low",
        "low",
        "low",
    ]
    assert routes.model_for("judge") == "gpt-6.1-sol" and routes.model_for("answer") == "claude@2026"
    assert (
        ModelRoutes().effort_for("judge") == "medium"
        and ModelRoutes({"default": "mine"}).effort_for("router") == "none"
    )


def test_r4_one_default_serves_an_endpoint_with_a_single_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICYPAL_MODELS", '{"default": "llama3.1:8b", "audit": "qwen3"}')
    routes = ModelRoutes(load_settings().models)
    assert [routes.model_for(t) for t in ("router", "compare", "audit")] == ["llama3.1:8b", "llama3.1:8b", "qwen3"]


def test_m11_prices_of_ones_own_come_before_the_table_and_fill_its_gaps() -> None:
    given = {"mine": {"input": 2, "output": 8}, "gpt-4o": {"input": 1, "cached_input": 0.5}}
    own = Settings(_env_file=None, prices=given).prices
    assert cost_of("mine", Tokens(1_000_000, 1_000_000, 500_000), own) == 10, (
        "without a price of their own, cached tokens cost as others"
    )
    assert cost_of("gpt-4o-2024-08-06", Tokens(1_000_000, 0, 1_000_000), own) == Decimal("0.5")
    assert is_price_known("mine", own) and not is_price_known("mine")
    assert expected_cost("mine", 3_000_000, own=own) > 2


def test_m11_negative_prices_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="unusable values"):
        load_settings({"prices": {"mine": {"input": -1}}})


def test_r4_every_entry_of_the_map_is_a_task() -> None:
    assert set(MODEL_MAP) - {"default"} <= {task.name for task in all_tasks()}
    assert ModelRoutes({"default": "one"}).models() == ["one"]
    assert ModelRoutes().models() == ["gpt-6-luna", "gpt-6.1-terra"]
