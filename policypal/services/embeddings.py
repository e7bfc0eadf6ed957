"""Embedding models behind one interface (R3)."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from policypal.services.account import Account

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors. ``model`` names the column the vectors live in; models are never mixed."""

    model: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit-length float32 vectors of shape (len(texts), dimensions).

        Raises:
            ModelError: the provider failed after its retries.
            BudgetExceeded: the account it is charged to does not cover the next request.
        """
        ...

    def charged_to(self, account: Account) -> Self:
        """The same model, with its calls on this account."""
        ...


class WordLlamaEmbedder:
    """The keyless default: static embeddings whose weights are inside the installed package. Thread-safe."""

    model = "wordllama-256"
    dimensions = 256

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: object | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with self._lock:
            model = self._load()
            vectors = model.embed([t or " " for t in texts], norm=True)  # type: ignore[attr-defined]
        return np.nan_to_num(np.asarray(vectors, dtype=np.float32))

    def charged_to(self, account: Account) -> Self:
        """Itself: it costs nothing."""
        return self

    def _load(self) -> object:
        if self._model is None:
            import wordllama

            with _quiet():
                self._model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
        return self._model


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """wordllama reports on loading; the command line prints JSON, so keep it silent."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    yield


def cosine(a: Vectors, b: Vectors) -> Vectors:
    """Cosine similarities, shape (len(a), len(b)), of unit vectors."""
    return np.asarray(a @ b.T, dtype=np.float32)
