"""Texts compared with several queries among themselves: what was found for a report, be it of the library or of the web (W3)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from policypal.domain.documents import DocumentType, Passage, RetrievedPassage
from policypal.search.embeddings import built_in_embedder
from policypal.search.fitted import ASKING
from policypal.search.question import weigh
from policypal.search.reranking import rerank
from policypal.search.terms import term_position, terms

Commonness = tuple[int, Mapping[int, int]]
"""How many passages there are, and how many of them hold a term, by its position."""


def passage_among(number: int, document: str, heading: str | None, text: str, ordinal: int = 0) -> Passage:
    """A text to be compared, by its place in a list; what is not known of it does not count."""
    return Passage(
        id=f"{number:06d}", document_id=document, document_title=document, document_version="", document_type=DocumentType.REGULATORY,
        ordinal=ordinal or -3 * number, page=1, start=0, end=len(text), heading=heading, text=text,
    )  # fmt: skip


def ranked_among(
    queries: Sequence[str], passages: Sequence[Passage], library: Commonness | None = None
) -> list[list[RetrievedPassage]]:
    """For each query all passages, in the order given, with the score of a search whose index these passages are: ``score`` is relative
    to the best, ``coverage`` the share of the query that a passage speaks of. ``library`` says how common words are where the passages
    were found: among passages on one subject its words are all common."""
    if not passages:
        return [[] for _ in queries]
    embedder = built_in_embedder()
    vectors, asked = embedder.embed([p.text for p in passages]), embedder.embed(list(queries))
    own = Counter(term_position(term) for p in passages for term in set(terms(p.text)))
    count, frequencies = library if library and library[0] else (len(passages), own)
    place = {p.id: n for n, p in enumerate(passages)}
    found = []
    for query, vector in zip(queries, asked, strict=True):
        hits = [
            RetrievedPassage(p, score=0.0, similarity=float(s)) for p, s in zip(passages, vectors @ vector, strict=True)
        ]
        ranked = rerank(weigh(query, count, frequencies, ASKING), hits)
        found.append(sorted(ranked, key=lambda h: place[h.passage.id]))
    return found
