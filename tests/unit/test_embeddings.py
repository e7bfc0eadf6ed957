"""The keyless embedding model (R3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import wordllama

from policypal.search.embeddings import OnceEmbedder, Vectors, WordLlamaEmbedder

_TEXTS = [
    "A bank must notify the Authority of a major incident within 4 hours.", "Yes.", "", "   ", "\u200b", "🙂 émoji", "short",
    " Two  spaces,\na line\u2028and  what the vocabulary\u2581writes for a space \u2581 , 日本語.  ",
    "The register is kept for five years. " * 400,
]  # fmt: skip


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_r3_vectors_are_those_of_the_library_whatever_stands_beside_a_text(embedder: WordLlamaEmbedder) -> None:
    library = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    expected = library.embed([t or " " for t in _TEXTS], norm=True)
    np.testing.assert_allclose(embedder.embed(_TEXTS), expected, atol=1e-5)
    alone = np.concatenate([embedder.embed([t]) for t in _TEXTS])
    np.testing.assert_array_equal(embedder.embed(_TEXTS * 20), np.tile(alone, (20, 1)))


def test_r3_vectors_are_of_unit_length_and_nothing_is_an_empty_matrix(embedder: WordLlamaEmbedder) -> None:
    np.testing.assert_allclose(np.linalg.norm(embedder.embed(_TEXTS), axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == OnceEmbedder(embedder).embed([]).shape == (0, 256)


class _Counting(WordLlamaEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        self.asked += texts
        return super().embed(texts)


def test_a4_a_text_is_embedded_once_per_task_and_means_the_same(embedder: WordLlamaEmbedder) -> None:
    counting = _Counting()
    once = OnceEmbedder(counting)
    np.testing.assert_array_equal(once.embed(["a b", "c", "a b"]), embedder.embed(["a b", "c", "a b"]))
    np.testing.assert_array_equal(once.embed(["c", "d"]), embedder.embed(["c", "d"]))
    assert counting.asked == ["a b", "c", "d"]
