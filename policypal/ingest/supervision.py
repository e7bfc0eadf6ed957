"""Ends a process whose time is over, or whose result nobody waits for any more (D4, D6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

Obstacle = Callable[[], Exception | None]
"""Why work should not go on: an exception to end it with, or None. Asked once a second, from another thread."""

LOOK_SECONDS = 1.0
NICENESS = 10
"""How much processes in the background give way to the interface and the database, in the system's units (0 to 19)."""


def no_obstacle() -> None:
    """Nothing stands in the way but the clock."""


class Supervisor:
    """Watches one process from its start until :meth:`stop`; ``kill`` has to end it at once.

    ``expired`` says that its ``seconds`` (of wall-clock time) were over, ``obstacle`` why else it was ended.
    """

    def __init__(self, kill: Callable[[], None], seconds: float, obstacle: Obstacle = no_obstacle) -> None:
        self.expired = False
        self.obstacle: Exception | None = None
        self._kill = kill
        self._deadline = time.monotonic() + seconds
        self._look = obstacle
        self._over = threading.Event()
        threading.Thread(target=self._watch, name="supervisor", daemon=True).start()

    @property
    def intervened(self) -> bool:
        return self.expired or self.obstacle is not None

    def stop(self) -> None:
        """The process is no longer to be touched."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(max(0.0, min(LOOK_SECONDS, self._deadline - time.monotonic()))):
            self.expired = time.monotonic() >= self._deadline
            self.obstacle = None if self.expired else self._look()
            if self.intervened and not self._over.is_set():
                self._kill()
                return
