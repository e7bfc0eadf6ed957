"""Hybrid search: BM25 and vectors shortlist, a fitted linear score ranks (section A)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from policypal.db import embeddings, index
from policypal.db.pool import Database
from policypal.domain.documents import RetrievedPassage
from policypal.search.embeddings import Embedder, built_in_embedder
from policypal.search.fitted import ASKING
from policypal.search.question import Question, looked_up, looked_up_instead, weigh
from policypal.search.reranking import rerank
from policypal.search.serving import Serving, serving_for
from policypal.search.vocabulary import without_slips

DENSE_WEIGHT = 0.3
"""Share of the cosine in the score that makes the shortlist; BM25 has the rest (docs/decisions/0007)."""
_NO_MODEL = ""


@dataclass(frozen=True, slots=True)
class Search:
    """Searches one user's library with the vectors of ``embedder``'s model; while they are being made, or where they are not
    in the index, with what :mod:`policypal.search.serving` says (R3)."""

    db: Database
    embedder: Embedder

    def serving(self, user_id: str, document_ids: Sequence[str] | None = None) -> Serving:
        """What serves a search in these documents (None: all of the library)."""
        return serving_for(embeddings.documents_by_model(self.db, user_id, document_ids), self.embedder)

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
        """The best passages for ``query``, best first.

        ``document_ids`` None searches the whole library, an empty list finds nothing. ``per_document`` caps the
        passages of one document, so that a long one cannot crowd out the rest. ``serving`` is what serves the
        search, where the caller knows it already. Raises DatabaseUnavailable, ModelError: the search could not be
        carried out; an empty list always means "nothing found"."""
        if document_ids is not None and not document_ids:
            return []
        question, shortlist = self.shortlist(
            user_id, query, document_ids=document_ids, limit=limit, per_document=per_document or limit, serving=serving
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
        serving: Serving | None = None,
    ) -> tuple[Question, list[RetrievedPassage]]:
        """What :meth:`find` ranks: the weighed question and the passages that BM25 and cosine put first.

        ``asking`` are the factors of the words of asking (:func:`policypal.search.question.weigh`). Raises
        DatabaseUnavailable, ModelError: as :meth:`find`."""
        chunks, question = self._question(user_id, query, asking)
        if chunks == 0:
            return question, []
        serving = serving or self.serving(user_id, document_ids)
        vector = serving.embedder.embed([query])[0]
        hits = index.search(
            self.db,
            user_id,
            terms=question.lexical,
            vector=vector,
            model=serving.embedder.model if serving.is_indexed else _NO_MODEL,
            document_ids=document_ids,
            limit=limit,
            per_document=per_document,
            dense_weight=DENSE_WEIGHT if serving.is_indexed else 0.0,
        )
        if not serving.is_indexed:
            hits = _compared(hits, serving.embedder.embed([hit.passage.text for hit in hits]) @ vector)
        return question, hits

    def ranked(self, user_id: str, query: str, passages: Sequence[RetrievedPassage]) -> list[RetrievedPassage]:
        """Passages that are not in the index, such as the provisions of what it found, in the order of :meth:`find`. Compared by the
        built-in model, which costs nothing."""
        if not passages:
            return []
        _, question = self._question(user_id, query, ASKING)
        vectors = built_in_embedder().embed([query, *(hit.passage.text for hit in passages)])
        similar = vectors[1:] @ vectors[0]
        return rerank(question, [replace(h, similarity=float(s)) for h, s in zip(passages, similar, strict=True)])

    def _question(self, user_id: str, query: str, asking: Mapping[str, float]) -> tuple[int, Question]:
        """How many passages there are, and the question asked of them, its slips corrected."""
        chunks, frequencies = index.corpus_frequencies(self.db, user_id, looked_up(query))
        meant = without_slips(self.db, user_id, query, frequencies)
        if meant != query:
            _, frequencies = index.corpus_frequencies(self.db, user_id, looked_up(meant))
        if instead := looked_up_instead(meant, frequencies):
            frequencies |= index.corpus_frequencies(self.db, user_id, instead)[1]
        return chunks, weigh(meant, chunks, frequencies, asking)


def _compared(hits: Sequence[RetrievedPassage], similarities: Iterable[float]) -> list[RetrievedPassage]:
    """Hits by BM25 alone with their similarity, and the score they would have had with it."""
    return [
        replace(h, similarity=float(s), score=(1 - DENSE_WEIGHT) * h.score + DENSE_WEIGHT * max(float(s), 0.0))
        for h, s in zip(hits, similarities, strict=True)
    ]


def _capped(ranked: Sequence[RetrievedPassage], limit: int, per_document: int) -> list[RetrievedPassage]:
    taken: Counter[str] = Counter()
    kept = []
    for hit in ranked:
        taken[hit.passage.document_id] += 1
        if taken[hit.passage.document_id] <= per_document:
            kept.append(hit)
    return kept[:limit]
