"""Conflicts and coverage compare the same clauses; each is embedded once (A4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from policypal.services.account import Account
from policypal.services.embeddings import Embedder, Vectors


class OnceEmbedder:
    """Another embedder whose vectors are remembered for as long as this one lives: one audit."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self.model = embedder.model
        self.dimensions = embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As :meth:`policypal.services.embeddings.Embedder.embed`, and it raises the same."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])

    def charged_to(self, account: Account) -> OnceEmbedder:
        """As :meth:`policypal.services.embeddings.Embedder.charged_to`; it remembers nothing yet."""
        return OnceEmbedder(self._embedder.charged_to(account))
