"""An account that keeps its book in memory, to see what clients charge."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from policypal.domain.usage import ModelCall
from policypal.errors import BudgetExceeded


@dataclass
class Ledger:
    """Admits calls while what was booked and what is asked for stay within ``limit``."""

    limit: Decimal | None = None
    calls: list[ModelCall] = field(default_factory=list)

    @property
    def spent(self) -> Decimal:
        return sum((call.usage.cost_usd for call in self.calls), Decimal(0))

    def admit(self, cost_usd: Decimal) -> None:
        if self.limit is not None and self.spent + cost_usd > self.limit:
            raise BudgetExceeded

    def book(self, call: ModelCall) -> None:
        self.calls.append(call)
