"""Whether this process can work now, for load balancers and monitoring (R8)."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from policypal.application.container import Container
from policypal.db.jobs import queue_state
from policypal.db.probe import probe
from policypal.errors import PolicyPalError

logger = logging.getLogger(__name__)

KEPT_SECONDS = 5.0
"""How long an answer holds: whoever asks more often learns nothing more, and opens no more connections."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """``problem`` is the code of what stands in the way, empty where nothing does. The others are of the whole
    installation, None where they could not be read; ``oldest_waiting_seconds`` is None as well where no document waits."""

    problem: str = ""
    live_workers: int | None = None
    waiting_documents: int | None = None
    oldest_waiting_seconds: float | None = None

    def record(self) -> dict[str, object]:
        """What is told to whoever asks: nothing of settings, addresses or people (X3)."""
        return {
            "ready": not self.problem,
            "problem": self.problem or None,
            "live_workers": self.live_workers,
            "waiting_documents": self.waiting_documents,
            "oldest_waiting_seconds": self.oldest_waiting_seconds,
        }


class Lookout:
    """Looks when asked, but not more often than every few seconds, however many ask."""

    def __init__(self, container: Callable[[], Container]) -> None:
        self._container = container
        self._lock = threading.Lock()
        self._seen: Readiness | None = None
        self._seen_at = float("-inf")

    def look(self) -> Readiness:
        with self._lock:
            if self._seen is None or time.monotonic() - self._seen_at > KEPT_SECONDS:
                self._seen = _look(self._container)
                self._seen_at = time.monotonic()
            return self._seen


def _look(container: Callable[[], Container]) -> Readiness:
    try:
        app = container()
        probe(app.db)
        state = queue_state(app.db)
    except PolicyPalError as error:
        logger.warning("not ready: %s", error.message)
        return Readiness(error.code)
    except Exception:  # whatever it is, this process is not ready
        logger.exception("the look whether this process is ready failed")
        return Readiness(PolicyPalError.code)
    if state is None:
        return Readiness("configuration")
    oldest = None if state.oldest_seconds is None else round(state.oldest_seconds, 1)
    return Readiness("", state.processes, state.waiting, oldest)
