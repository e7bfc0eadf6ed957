"""What a run of research counts while its fan-outs are at work (U4)."""

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from policypal.domain.events import STATUS_MESSAGES, StatusEvent
from policypal.graph.context import NodeContext
from policypal.web.addresses import Deadline

HARVEST_SECONDS = 90.0
"""All pages of a run together; those that remain unread then speak through the search provider's excerpt."""


@dataclass(frozen=True)
class ResearchContext(NodeContext):
    """``counted`` is what the tasks of each node that work side by side have done so far in this run, for the progress only."""

    counted: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _harvest: list[Deadline] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def harvest_deadline(self) -> Deadline:
        """When the reading of pages ends, counted from the first one."""
        with self._lock:
            if not self._harvest:
                self._harvest.append(Deadline.after(HARVEST_SECONDS))
            return self._harvest[0]

    def count(self, node: str, **more: int) -> None:
        """Add to the counts and show them."""
        with self._lock:
            self.counted[node].update(more)
        self.run.tell(StatusEvent(node=node, message=STATUS_MESSAGES[node], counts=self.counted_by(node)))

    def counted_by(self, node: str) -> dict[str, int]:
        with self._lock:
            return dict(self.counted.get(node, {}))
