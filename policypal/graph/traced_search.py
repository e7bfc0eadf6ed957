"""Every search of a run is in its trace (M5)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Protocol

from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import RetrievedPassage
from policypal.search.hybrid import Search


class Tracing(Protocol):
    def trace(self, entry: TraceEntry) -> None: ...


@dataclass(frozen=True, slots=True)
class TracedSearch(Search):
    """A search that records its duration, its query and how many passages it found."""

    recorder: Tracing = field(kw_only=True)

    def find(self, user_id: str, query: str, **asked: Any) -> list[RetrievedPassage]:
        """As :meth:`Search.find`."""
        started = time.perf_counter()
        hits = Search.find(self, user_id, query, **asked)
        detail = {"query": query[:200], "passages": len(hits)}
        self.recorder.trace(TraceEntry("search", "library", time.perf_counter() - started, detail))
        return hits
