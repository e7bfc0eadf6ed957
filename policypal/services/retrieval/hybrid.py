"""Hybrid search: BM25 and vectors shortlist, a fitted linear score ranks (section A)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policypal.db import index
from policypal.db.pool import Database
from policypal.domain.documents import RetrievedPassage
from policypal.services.embeddings import Embedder
from policypal.services.retrieval.fitted import ASKING
from policypal.services.retrieval.question import Question, weigh
from policypal.services.retrieval.reranking import rerank
from policypal.services.retrieval.terms import term_position, terms

DENSE_WEIGHT = 0.3
"""Share of the cosine in the score that makes the shortlist; BM25 has the rest (docs/decisions/0007)."""

MAX_RESULTS = 15
MAX_PER_DOCUMENT = 5


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
        question, shortlist = self.shortlist(
            user_id, query, document_ids=document_ids, limit=limit, per_document=per_document or limit
        )
        return _capped(rerank(question, shortlist), limit, per_document or limit)

    def shortlist(
        self,
        user_id: str,
        query: str,
        *,
        document_ids: Sequence[str] | None = None,
        limit: int = 10,
        per_document: int = 10,
        asking: Mapping[str, float] = ASKING,
    ) -> tuple[Question, list[RetrievedPassage]]:
        """What :meth:`find` ranks: the weighed question and the passages that BM25 and cosine put first.

        ``asking`` are the factors of the words of asking (:func:`policypal.services.retrieval.question.weigh`).

        Raises:
            DatabaseUnavailable, ModelError: as :meth:`find`.
        """
        positions = [term_position(t) for t in terms(query)]
        chunks, frequencies = index.corpus_frequencies(self.db, user_id, positions)
        question = weigh(query, chunks, frequencies, asking)
        if chunks == 0:
            return question, []
        hits = index.search(
            self.db,
            user_id,
            terms=question.lexical,
            vector=self.embedder.embed([query])[0],
            model=self.embedder.model,
            document_ids=document_ids,
            limit=limit,
            per_document=per_document,
            dense_weight=DENSE_WEIGHT,
        )
        return question, hits

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


def _capped(ranked: Sequence[RetrievedPassage], limit: int, per_document: int) -> list[RetrievedPassage]:
    taken: Counter[str] = Counter()
    kept = []
    for hit in ranked:
        taken[hit.passage.document_id] += 1
        if taken[hit.passage.document_id] <= per_document:
            kept.append(hit)
    return kept[:limit]
