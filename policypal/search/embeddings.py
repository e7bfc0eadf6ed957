"""Embedding models behind one interface (R3)."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from policypal.domain.account import Account

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors. ``model`` names the column the vectors live in; models are never mixed."""

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit-length float32 vectors of shape (len(texts), dimensions).

        Raises:
            ModelError: the provider failed after its retries.
            BudgetExceeded: the account it is charged to does not cover the next request.
        """
        ...

    def charged_to(self, account: Account) -> Embedder:
        """The same model, with its calls on this account."""
        ...


class WordLlamaEmbedder:
    """The keyless default: static embeddings whose weights are inside the installed package. Thread-safe."""

    model = "wordllama-256"
    dimensions = 256

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        model = self._load()
        tokens_of = _Tokens(model.tokenizer.model)
        for row, text in enumerate(texts):
            written = (text or " ").replace(" ", _SPACE)
            words = written.split(_SPACE)
            if "" in words:
                words = [written]  # tokens of several spaces go over the borders of words
            vectors[row] = _mean(chain.from_iterable(map(tokens_of.__getitem__, words)), model.embedding)
        return vectors

    def charged_to(self, account: Account) -> Self:
        """Itself: it costs nothing."""
        return self

    @functools.lru_cache(maxsize=1)  # noqa: B019 - one embedder a process
    def common_words(self) -> frozenset[str]:
        """The words that the model's vocabulary has whole, as it has the common words of languages; slips it has not."""
        known = self._load().tokenizer.get_vocab()
        return frozenset(token[1:] for token in known if token[0] == _SPACE and _COMMON.fullmatch(token[1:]))

    def _load(self) -> Any:
        with self._lock:
            if self._model is None:
                import wordllama

                folder = Path(wordllama.__file__).parent
                self._model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
            return self._model


@functools.cache
def built_in_embedder() -> WordLlamaEmbedder:
    """The one of this process; its weights are loaded once, on first use."""
    return WordLlamaEmbedder()


_COMMON = re.compile(r"[a-z]{3,}")
_SPACE = "▁"
"""How the vocabulary writes a space. No token has one behind something else, so words can be cut one by one, each once."""


class _Tokens(dict[str, list[int]]):
    """What words are cut into, each once."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model

    def __missing__(self, word: str) -> list[int]:
        found = self[word] = [token.id for token in self._model.tokenize(_SPACE + word)]
        return found


def _mean(tokens: Iterable[int], embedding: Vectors) -> Vectors:
    """The mean of a text's token vectors, of unit length; zeros for a text without tokens. The library's own ``embed`` pads
    every text to the longest beside it and takes several times as long for the same vectors."""
    total: Vectors = embedding[np.fromiter(tokens, dtype=np.int64)].sum(axis=0)
    return total / (float(np.linalg.norm(total)) or 1.0)


class OnceEmbedder:
    """Another embedder whose vectors are remembered for as long as this one lives: one task, which compares the same
    statements with one thing after the other."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self.model = embedder.model
        self.dimensions = embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As :meth:`Embedder.embed`, and it raises the same."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])

    def charged_to(self, account: Account) -> OnceEmbedder:
        """As :meth:`Embedder.charged_to`; it remembers nothing yet."""
        return OnceEmbedder(self._embedder.charged_to(account))


def cosine(a: Vectors, b: Vectors) -> Vectors:
    """Cosine similarities, shape (len(a), len(b)), of unit vectors."""
    return np.asarray(a @ b.T, dtype=np.float32)
