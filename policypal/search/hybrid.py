"""Hybrid search: BM25 and vectors shortlist, a fitted linear score ranks (section A)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from policypal.db import embeddings, index
from policypal.db.pool import Database
from policypal.domain.documents import RetrievedPassage
from policypal.search.embeddings import Embedder
from policypal.search.fitted import ASKING
from policypal.search.lists import category_of, is_open
from policypal.search.question import Question, looked_up, weigh
from policypal.search.reranking import rerank
from policypal.search.serving import Serving, serving_for

DENSE_WEIGHT = 0.3
"""Share of the cosine in the score that makes the shortlist; BM25 has the rest (docs/decisions/0007)."""

MAX_RESULTS = 15
MAX_PER_DOCUMENT = 5
_READ_ON_SCORE = 0.8
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
        chunks, frequencies = index.corpus_frequencies(self.db, user_id, looked_up(query))
        question = weigh(query, chunks, frequencies, asking)
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

    def adaptive(
        self,
        user_id: str,
        query: str,
        *,
        document_ids: Sequence[str] | None,
        floor: float,
        serving: Serving | None = None,
    ) -> list[RetrievedPassage]:
        """Adaptive-k (A2): best first until the similarity falls below ``floor``; 3–5 per document, 15 in total.

        The floor bounds how much is read, not whether anything is: three passages per document survive it, and
        :mod:`policypal.search.confidence` judges whether they suffice. A list that is cut in the best passage (in one of
        the two best, where a list is asked for) is read on, in place of what fits least.
        """
        hits = self.find(
            user_id, query, document_ids=document_ids, limit=MAX_RESULTS, per_document=MAX_PER_DOCUMENT, serving=serving
        )
        kept: list[RetrievedPassage] = []
        taken: dict[str, int] = {}
        for hit in hits:
            count = taken.get(hit.passage.document_id, 0)
            if hit.similarity >= floor or count < 3:
                kept.append(hit)
                taken[hit.passage.document_id] = count + 1
        for opening in kept[: 2 if category_of(query.lower()) else 1]:
            kept = _with_rest(kept, self._rest_of_list(user_id, opening))
        return kept

    def _rest_of_list(self, user_id: str, opening: RetrievedPassage) -> list[RetrievedPassage]:
        """The passage after ``opening`` if its list goes on there; it ranks behind it."""
        if not is_open(opening.passage.text):
            return []
        following = index.load_passages(self.db, user_id, opening.passage.document_id, [opening.passage.ordinal + 1])
        return [replace(opening, passage=p, score=opening.score * _READ_ON_SCORE, coverage=0.0) for p in following]


def _compared(hits: Sequence[RetrievedPassage], similarities: Iterable[float]) -> list[RetrievedPassage]:
    """Hits by BM25 alone with their similarity, and the score they would have had with it."""
    return [
        replace(h, similarity=float(s), score=(1 - DENSE_WEIGHT) * h.score + DENSE_WEIGHT * max(float(s), 0.0))
        for h, s in zip(hits, similarities, strict=True)
    ]


def _with_rest(kept: Sequence[RetrievedPassage], rest: Sequence[RetrievedPassage]) -> list[RetrievedPassage]:
    """``kept`` and what of ``rest`` is not among them; the documents' and the answer's limits stay."""
    known = {hit.passage.id for hit in kept}
    lowest = min((hit.similarity for hit in kept), default=0.0)
    new = [replace(hit, similarity=lowest) for hit in rest if hit.passage.id not in known]
    if not new:
        return list(kept)
    document = new[0].passage.document_id
    room = MAX_PER_DOCUMENT - len(new)
    ours = [hit for hit in kept if hit.passage.document_id == document][:room]
    others = [hit for hit in kept if hit.passage.document_id != document]
    stay = {hit.passage.id for hit in [*ours, *others]}
    return [*(hit for hit in kept if hit.passage.id in stay), *new][:MAX_RESULTS]


def _capped(ranked: Sequence[RetrievedPassage], limit: int, per_document: int) -> list[RetrievedPassage]:
    taken: Counter[str] = Counter()
    kept = []
    for hit in ranked:
        taken[hit.passage.document_id] += 1
        if taken[hit.passage.document_id] <= per_document:
            kept.append(hit)
    return kept[:limit]
