"""What a report is going to take: web pages and dollars, before anything is spent (W2, W5)."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from policypal.llm.prices import Tokens, cost_of
from policypal.llm.task import Engine

ModelCost = Callable[[str, Tokens], Decimal]
"""Dollars a task costs that takes so many tokens, by the task's name."""

MIN_QUERIES, MAX_QUERIES = 3, 8
SECTIONS = {"short": 3, "standard": 5, "deep": 8}
"""Sections of a report by its depth."""
QUERIES = {"short": MIN_QUERIES, "standard": 5, "deep": MAX_QUERIES}

_ONCE = {
    "plan_questions": Tokens(3_000, 600),
    "plan": Tokens(3_500, 900),
    "outline": Tokens(7_000, 900),
    "judge_support": Tokens(9_000, 2_500),
    "check_claims": Tokens(9_000, 900),
}
_PER_SECTION = Tokens(7_000, 1_200)
_PAGES_PER_QUERY = 6
"""Web pages that remain of a query's hits when both providers' are put together."""
_REPAIRED = Decimal("1.25")
"""One report in four is written a second time after the red-team gate."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """``pages`` of the web to be read, and ``usd`` for the models; 0 where no model or no price is known."""

    pages: int
    usd: float


def free(task: str, tokens: Tokens) -> Decimal:
    """The cost of the keyless engine."""
    return Decimal(0)


def model_cost_of(engine: Engine) -> ModelCost:
    """What an engine's models cost by the price table (M7); nothing for an engine that has no models."""
    model_for: Callable[[str], str] | None = getattr(engine, "model_for", None)
    if model_for is None:
        return free
    own = getattr(engine, "prices", {})
    return lambda task, tokens: cost_of(model_for(task), tokens, own)


def estimate(queries: int, sections: int, *, has_web: bool, model_cost: ModelCost) -> Estimate:
    """What so many queries and sections take; rather more than less."""
    pages = queries * _PAGES_PER_QUERY if has_web else 0
    once = sum((model_cost(task, tokens) for task, tokens in _ONCE.items()), Decimal(0))
    written = sections * model_cost("write_section", _PER_SECTION) * _REPAIRED
    return Estimate(pages, round(float(once + written), 4))
