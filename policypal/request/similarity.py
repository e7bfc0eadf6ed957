"""What labelled utterances say about a message, for wording the cues do not know (G2).

Kernel ridge regression on the utterances: two messages are alike by meaning (embedding), by words and word pairs
(function words included, they carry the intent) and by the cues they show. It is fitted once per embedding model, in
milliseconds, and is deterministic.
"""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from policypal.request.cues import LABELS, request_text, scores_of
from policypal.request.words import NOUNS, VERSION_NOUNS, split_words
from policypal.search.embeddings import Embedder, Vectors, cosine

_FILE = Path(__file__).with_name("utterances.json")
_MEANING, _WORDING, _CUES = 1.0, 1.0, 0.5
_RIDGE = 0.3
_LOCK = threading.Lock()
_MODELS: dict[str, _Model] = {}


@dataclass(frozen=True, slots=True)
class _Model:
    """The fitted utterances. As all three kernels are inner products, one weight per feature and label is enough."""

    vocabulary: dict[str, tuple[int, float]]
    meaning: Vectors
    wording: Vectors
    cues: Vectors


def likeness(message: str, embedder: Embedder) -> dict[str, float]:
    """Per label how much the message is like its utterances: about 1 for one of them, about 0 for a stranger."""
    model = _model(embedder)
    values = embedder.embed([_plain(message)])[0] @ model.meaning + _cue_rows([message])[0] @ model.cues
    positions, weights = _weighted(message, model.vocabulary)
    values = values + weights @ model.wording[positions]
    return {label: float(value) for label, value in zip(LABELS, values, strict=True)}


def prepare(embedder: Embedder) -> None:
    """Fit the utterances now, so that the first message does not wait for it."""
    _model(embedder)


def _model(embedder: Embedder) -> _Model:
    with _LOCK:
        if embedder.model not in _MODELS:
            _MODELS[embedder.model] = _fitted(embedder)
        return _MODELS[embedder.model]


def _fitted(embedder: Embedder) -> _Model:
    texts, labels = utterances()
    vocabulary = _vocabulary(texts)
    meaning = embedder.embed([_plain(t) for t in texts])
    wording, cues = _worded(texts, vocabulary), _cue_rows(texts)
    kernel = _MEANING * cosine(meaning, meaning) + _WORDING * wording @ wording.T + _CUES * cues @ cues.T
    targets = np.asarray([[float(own == label) for label in LABELS] for own in labels], dtype=np.float32)
    weights = np.linalg.solve(kernel + _RIDGE * np.eye(len(texts), dtype=np.float32), targets).astype(np.float32)
    folded = (_MEANING * meaning.T @ weights, _WORDING * wording.T @ weights, _CUES * cues.T @ weights)
    return _Model(vocabulary, *(part.astype(np.float32) for part in folded))


def _vocabulary(texts: tuple[str, ...]) -> dict[str, tuple[int, float]]:
    """Position and idf of every feature of the utterances."""
    counts = Counter(feature for text in texts for feature in set(_features(text)))
    return {f: (i, math.log((1 + len(texts)) / (0.5 + n))) for i, (f, n) in enumerate(sorted(counts.items()))}


def _worded(texts: Sequence[str], vocabulary: dict[str, tuple[int, float]]) -> Vectors:
    rows = np.zeros((len(texts), len(vocabulary)), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        positions, weights = _weighted(text, vocabulary)
        row[positions] = weights
    return rows


def _weighted(text: str, vocabulary: dict[str, tuple[int, float]]) -> tuple[list[int], Vectors]:
    """Positions of the text's known features and their idf weights, of unit length."""
    known = [vocabulary[f] for f in sorted(set(_features(text))) if f in vocabulary]
    weights = np.asarray([weight for _, weight in known], dtype=np.float32)
    return [position for position, _ in known], weights / (float(np.linalg.norm(weights)) or 1.0)


def _cue_rows(texts: Sequence[str]) -> Vectors:
    return np.asarray([[scores_of(text)[label] for label in LABELS] for text in texts], dtype=np.float32)


def _features(text: str) -> list[str]:
    """Words and word pairs; every document is the same "DOC", what counts is how it is spoken of."""
    words = [
        "DOC" if w.stem == "xdoc" or w.stem in NOUNS.keys() - VERSION_NOUNS else w.stem
        for w in split_words(request_text(text))
    ]
    words = words[:60]
    pairs = [f"{a} {b}" for a, b in zip(["^", *words], [*words, "$"], strict=True)]
    return words + pairs


def _plain(message: str) -> str:
    return request_text(message).replace("xdoc", "the document")[:1000] or " "


@lru_cache(maxsize=1)
def utterances() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labelled utterances: texts and their labels."""
    labelled: dict[str, list[str]] = json.loads(_FILE.read_text(encoding="utf-8"))
    pairs = [(text, label) for label, texts in labelled.items() for text in texts]
    return tuple(text for text, _ in pairs), tuple(label for _, label in pairs)
