"""What labelled utterances say about a message, for wording that no rule knows (G2).

Kernel ridge regression on the utterances: two messages are alike by meaning (embedding) and by words and word pairs
(function words included, they carry the intent). It is fitted once, in milliseconds, and is deterministic.
"""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from policypal.request.words import NOUNS, VERSION_NOUNS, split_words
from policypal.search.embeddings import Vectors, built_in_embedder, cosine

LABELS = ("summarize", "inquire", "compare", "audit", "help", "small_talk")
_FILE = Path(__file__).with_name("utterances.json")
_RIDGE = 0.3


@dataclass(frozen=True, slots=True)
class Likeness:
    """Fitted utterances. As both kernels are inner products, one weight per feature and label is enough."""

    vocabulary: dict[str, tuple[int, float]]
    meaning: Vectors
    wording: Vectors

    def of(self, text: str) -> dict[str, float]:
        """Per label how much a request is like its utterances: about 1 for one of them, about 0 for a stranger."""
        positions, weights = _weighted(text, self.vocabulary)
        values = built_in_embedder().embed([text])[0] @ self.meaning + weights @ self.wording[positions]
        return {label: float(value) for label, value in zip(LABELS, values, strict=True)}


@lru_cache(maxsize=2_000)  # every turn asks it of the messages before
def likeness(text: str) -> dict[str, float]:
    """What :meth:`Likeness.of` says of all utterances."""
    return prepare().of(text)


@cache
def prepare() -> Likeness:
    """Fit the utterances, before the first message has to wait for it."""
    return fit(*utterances())


def fit(texts: Sequence[str], labels: Sequence[str]) -> Likeness:
    """What these labelled utterances say about others."""
    vocabulary = _vocabulary(texts)
    meaning = built_in_embedder().embed(texts)
    wording = np.zeros((len(texts), len(vocabulary)), dtype=np.float32)
    for row, text in zip(wording, texts, strict=True):
        positions, weights = _weighted(text, vocabulary)
        row[positions] = weights
    kernel = cosine(meaning, meaning) + wording @ wording.T
    targets = np.asarray([[float(own == label) for label in LABELS] for own in labels], dtype=np.float32)
    weights = np.linalg.solve(kernel + _RIDGE * np.eye(len(texts), dtype=np.float32), targets).astype(np.float32)
    return Likeness(vocabulary, (meaning.T @ weights).astype(np.float32), (wording.T @ weights).astype(np.float32))


def _vocabulary(texts: Sequence[str]) -> dict[str, tuple[int, float]]:
    """Position and idf of every feature of the utterances."""
    counts = Counter(feature for text in texts for feature in set(_features(text)))
    return {f: (i, math.log((1 + len(texts)) / (0.5 + n))) for i, (f, n) in enumerate(sorted(counts.items()))}


def _weighted(text: str, vocabulary: dict[str, tuple[int, float]]) -> tuple[list[int], Vectors]:
    """Positions of the text's known features and their idf weights, of unit length."""
    known = [vocabulary[f] for f in sorted(set(_features(text))) if f in vocabulary]
    weights = np.asarray([weight for _, weight in known], dtype=np.float32)
    return [position for position, _ in known], weights / (float(np.linalg.norm(weights)) or 1.0)


def _features(text: str) -> list[str]:
    """Words and word pairs; every document is the same "DOC", what counts is how it is spoken of."""
    words = ["DOC" if w.stem in NOUNS.keys() - VERSION_NOUNS else w.stem for w in split_words(text)][:60]
    pairs = [f"{a} {b}" for a, b in zip(["^", *words], [*words, "$"], strict=True)]
    return words + pairs


def utterances() -> tuple[list[str], list[str]]:
    """The labelled utterances: requests as they are read, and their labels."""
    labelled: dict[str, list[str]] = json.loads(_FILE.read_text(encoding="utf-8"))
    pairs = [(text, label) for label, texts in labelled.items() for text in texts]
    return [text for text, _ in pairs], [label for _, label in pairs]
