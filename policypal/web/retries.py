"""The retry policy of calls to providers (M8): two after rate limits, server errors and time-outs, one after an unusable reply."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from policypal.errors import PolicyPalError

Value = TypeVar("Value")


class Retry(Enum):
    """Whether sending again can help."""

    NEVER = "never"
    LATER = "later"
    """The provider was busy or unreachable: wait, then send the same again."""
    CORRECTED = "corrected"
    """The reply was unusable: send again at once."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed attempt. ``error`` is what a person is told if it was the last one; ``wait_seconds`` is the
    provider's own request (Retry-After)."""

    error: PolicyPalError
    retry: Retry = Retry.NEVER
    wait_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently. ``sleep`` takes seconds; tests hand in one that does not wait."""

    later: int = 2
    corrected: int = 1
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 10.0
    sleep: Callable[[float], None] = time.sleep

    def run(self, attempt: Callable[[], Value | Failure]) -> Value:
        """Call ``attempt`` until it returns something else than a :class:`Failure`. Raises PolicyPalError: the last
        failure's, once its kind of retry is used up."""
        left = {Retry.NEVER: 0, Retry.LATER: self.later, Retry.CORRECTED: self.corrected}
        while isinstance(outcome := attempt(), Failure):
            if left[outcome.retry] == 0:
                raise outcome.error
            left[outcome.retry] -= 1
            if outcome.retry is Retry.LATER:
                self.sleep(self._wait(outcome, self.later - left[Retry.LATER]))
        return outcome

    def _wait(self, failure: Failure, nth: int) -> float:
        """Seconds before the nth retry: what the provider asked for, else doubling, with jitter so that several
        sessions do not return in step; never longer than a person would watch."""
        backoff = self.first_wait_seconds * 2 ** (nth - 1) * random.uniform(0.75, 1.25)
        wait = failure.wait_seconds if failure.wait_seconds is not None else backoff
        return min(wait, self.longest_wait_seconds)
