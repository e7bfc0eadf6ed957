"""Hybrid search: BM25 and vectors, one score (section A)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from policypal.db import index
from policypal.db.pool import Database
from policypal.domain.documents import RetrievedPassage
from policypal.services.embeddings import Embedder
from policypal.services.retrieval.bm25 import idf, query_weights
from policypal.services.retrieval.terms import term_position, terms

DENSE_WEIGHT = 0.3
"""Share of the cosine in the score; fitted on development questions with `benchmarks/retrieval.py`."""

MAX_RESULTS = 15
MAX_PER_DOCUMENT = 5

_PRIOR_CHUNKS = 300
_PRIOR_FREQUENCY = 3
"""In a library of a few chunks every absent word would look rare and decisive; these pseudo-counts even that out."""

_QUESTION_TERMS = frozenset(
    terms("must shall should may might need many much long often soon within there any do does please tell")
)
"""Words that ask rather than name; whether a passage contains them says nothing about its subject."""


@dataclass(frozen=True, slots=True)
class Search:
    """Searches one user's library. ``embedder.model`` decides which vectors are compared."""

    db: Database
    embedder: Embedder

    def find(
        self,
        user_id: str,
        query: str,
        *,
        document_ids: Sequence[str] | None = None,
        limit: int = 10,
        per_document: int | None = None,
    ) -> list[RetrievedPassage]:
        """The best passages for ``query``, best first.

        ``document_ids`` None searches the whole library, an empty list finds nothing. ``per_document`` caps the passages
        of one document, so that a long one cannot crowd out the rest.

        Raises:
            DatabaseUnavailable, ModelError: the search could not be carried out; an empty list always means "nothing found".
        """
        if document_ids is not None and not document_ids:
            return []
        query_terms = terms(query)
        positions = {t: term_position(t) for t in query_terms}
        chunks, frequencies = index.corpus_frequencies(self.db, user_id, list(positions.values()))
        if chunks == 0:
            return []
        weights = query_weights(query_terms, chunks, frequencies)
        hits = index.search(
            self.db,
            user_id,
            terms=weights,
            vector=self.embedder.embed([query])[0],
            model=self.embedder.model,
            document_ids=document_ids,
            limit=limit,
            per_document=per_document or limit,
            dense_weight=DENSE_WEIGHT,
        )
        asked = {
            p: idf(frequencies.get(p, 0) + _PRIOR_FREQUENCY, chunks + _PRIOR_CHUNKS)
            for t, p in positions.items()
            if t not in _QUESTION_TERMS
        }
        return [replace(hit, coverage=_coverage(asked, present)) for hit, present in hits]

    def adaptive(
        self, user_id: str, query: str, *, document_ids: Sequence[str] | None, floor: float
    ) -> list[RetrievedPassage]:
        """Adaptive-k (A2): best first until the similarity falls below ``floor``; 3–5 per document, 15 in total.

        The floor bounds how much is read, not whether anything is: three passages per document survive it, and
        :mod:`policypal.services.retrieval.confidence` judges whether they suffice.
        """
        hits = self.find(user_id, query, document_ids=document_ids, limit=MAX_RESULTS, per_document=MAX_PER_DOCUMENT)
        kept: list[RetrievedPassage] = []
        taken: dict[str, int] = {}
        for hit in hits:
            count = taken.get(hit.passage.document_id, 0)
            if hit.similarity >= floor or count < 3:
                kept.append(hit)
                taken[hit.passage.document_id] = count + 1
        return kept


def _coverage(weights: Mapping[int, float], present: frozenset[int]) -> float:
    """The idf-weighted share of the query's terms among a passage's terms, in [0, 1]."""
    total = sum(weights.values())
    return sum(w for p, w in weights.items() if p in present) / total if total else 0.0
