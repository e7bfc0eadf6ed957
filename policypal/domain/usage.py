"""Tokens and money (M7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal

from policypal.config import MonthlyLimits

NEARLY_USED_UP = Decimal("0.8")
"""The share of a budget or quota from which on people are warned."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call consumed. ``cost_usd`` is in dollars; ``is_priced``: no part of it is of a model without a known price."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal = field(default=Decimal(0))
    is_priced: bool = True

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
            self.is_priced and other.is_priced,
        )


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request a provider answered and what it consumed, whether or not the answer could be used."""

    task: str
    engine: str
    model: str
    prompt_version: str
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class Budget:
    """A calendar month's (UTC) money for models, in dollars. ``own_usd`` bounds what this person spends, ``installation`` what all people
    use together, whose ``tokens_of_all`` are those of models without a known price; None is no limit. ``continue_without_model``: when it
    is used up, answer with the extractive engine instead of refusing."""

    own_usd: Decimal | None = None
    installation: MonthlyLimits = field(default_factory=MonthlyLimits)
    spent_usd: Decimal = Decimal(0)
    spent_by_all_usd: Decimal = Decimal(0)
    tokens_of_all: int = 0
    continue_without_model: bool = False

    def covers(self, cost_usd: Decimal) -> bool:
        """Whether a call that costs so much stays within it; one that costs nothing, whose price is not known, as long as tokens are left."""
        if not cost_usd:
            return self.installation.tokens is None or self.tokens_of_all < self.installation.tokens
        return all(spent + cost_usd <= limit for spent, limit in self._money())

    @property
    def is_used_up(self) -> bool:
        return any(spent >= limit for spent, limit in self._limits())

    @property
    def share(self) -> Decimal | None:
        """How much of the tighter limit is spent, 1 for all of it; None without a limit."""
        shares = [spent / limit if limit else Decimal(1) for spent, limit in self._limits()]
        return max(shares, default=None)

    @property
    def is_nearly_used_up(self) -> bool:
        return self.share is not None and self.share >= NEARLY_USED_UP

    def _money(self) -> list[tuple[Decimal, Decimal]]:
        pairs = ((self.spent_usd, self.own_usd), (self.spent_by_all_usd, self.installation.usd))
        return [(spent, limit) for spent, limit in pairs if limit is not None]

    def _limits(self) -> list[tuple[Decimal, Decimal]]:
        tokens = self.installation.tokens
        return [*self._money(), *([] if tokens is None else [(Decimal(self.tokens_of_all), Decimal(tokens))])]


def first_of_next_month(today: date | None = None) -> date:
    """When monthly budgets and quotas begin anew (UTC)."""
    day = today or datetime.now(UTC).date()
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


@dataclass(frozen=True, slots=True)
class UsageDay:
    """One line of the usage table: a day (UTC), a model, its calls, tokens and dollars. ``is_priced``: the price of the model
    is known."""

    day: date
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
    is_priced: bool = True


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """What a user consumed in a time: calls, tokens, dollars."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
