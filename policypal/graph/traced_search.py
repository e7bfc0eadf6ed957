"""Every search of a run is in its trace (M5)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import RetrievedPassage
from policypal.search.hybrid import Search
from policypal.search.serving import Serving


class Tracing(Protocol):
    def trace(self, entry: TraceEntry) -> None: ...


@dataclass(frozen=True, slots=True)
class TracedSearch(Search):
    """A search that records its duration, its query and how many passages it found."""

    recorder: Tracing = field(kw_only=True)

    def find(
        self,
        user_id: str,
        query: str,
        *,
        document_ids: Sequence[str] | None = None,
        limit: int = 10,
        per_document: int | None = None,
        serving: Serving | None = None,
    ) -> list[RetrievedPassage]:
        started = time.perf_counter()
        hits = Search.find(
            self, user_id, query, document_ids=document_ids, limit=limit, per_document=per_document, serving=serving
        )
        detail = {"query": query[:200], "passages": len(hits)}
        self.recorder.trace(TraceEntry("search", "library", time.perf_counter() - started, detail))
        return hits
