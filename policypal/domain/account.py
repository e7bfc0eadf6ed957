"""Who pays for calls to a model provider (M7): asked before a call, told after it."""

import threading
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from policypal.domain.usage import ModelCall, Usage


class Account(Protocol):
    """Clients of providers ask it before every request and tell it what every answered one consumed."""

    def admit(self, cost_usd: Decimal) -> None:
        """Raises BudgetExceeded: a call that costs so much would exceed the budget."""
        ...

    def book(self, call: ModelCall) -> None:
        """Keep what a call consumed."""
        ...


class NoAccount:
    """For calls nobody is charged for: measurements, and the engine that costs nothing."""

    def admit(self, cost_usd: Decimal) -> None:
        """Everything is admitted."""

    def book(self, call: ModelCall) -> None:
        """Nothing is kept."""


class Reserving:
    """An account for calls that are made side by side: each is admitted together with what is expected of those under way."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._lock = threading.Lock()
        self._expected: dict[int, Decimal] = {}

    def admit(self, cost_usd: Decimal) -> None:
        with self._lock:
            self._expected.pop(threading.get_ident(), None)
            self._account.admit(cost_usd + sum(self._expected.values()))
            self._expected[threading.get_ident()] = cost_usd

    def book(self, call: ModelCall) -> None:
        with self._lock:
            self._expected.pop(threading.get_ident(), None)
        self._account.book(call)


@dataclass(slots=True)
class Tally:
    """An account that adds up what passes through it: what one task has cost, however it ended."""

    account: Account
    usage: Usage = field(default_factory=Usage)

    def admit(self, cost_usd: Decimal) -> None:
        self.account.admit(cost_usd)

    def book(self, call: ModelCall) -> None:
        self.usage += call.usage
        self.account.book(call)
