"""Which embedding model a search uses while one takes the place of another (R3).

The old index serves until the new one is complete. Vectors of two models are never compared: where the index of the
best-covered model cannot be asked any more (its key is gone, or is not to be used), words alone make the shortlist, and the
built-in model compares its passages on the spot.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from policypal.domain.documents import Document, DocumentStatus
from policypal.search.embeddings import Embedder, built_in_embedder


@dataclass(frozen=True, slots=True)
class Serving:
    """The ``embedder`` of a search; ``is_indexed`` says that the index holds its vectors."""

    embedder: Embedder
    is_indexed: bool


def serving_for(coverage: Mapping[str, int], current: Embedder) -> Serving:
    """What serves a search in documents of which so many (``coverage``) have vectors of each model: the model in use
    where no other covers more of them, else the built-in one, which needs no provider."""
    most = max(coverage.values(), default=0)
    if coverage.get(current.model, 0) >= most:
        return Serving(current, is_indexed=True)
    built_in = built_in_embedder()
    return Serving(built_in, is_indexed=coverage.get(built_in.model, 0) >= most)


def coverage_of(documents: Iterable[Document]) -> Counter[str]:
    """How many of the documents that can be searched have the vectors of each model."""
    return Counter(m for d in documents if d.status is DocumentStatus.READY for m in d.embedding_models)


WITHOUT_PROVIDER = Serving(built_in_embedder(), is_indexed=False)
"""By words and on this machine: costs nothing and asks nobody."""
