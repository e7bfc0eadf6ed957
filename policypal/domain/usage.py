"""Tokens and money (M7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call consumed. ``cost_usd`` is in dollars."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal = field(default=Decimal(0))

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )
