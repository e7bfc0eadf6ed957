"""How near a message is to labelled utterances, for wording the cues do not know (G2)."""

from __future__ import annotations

import json
import threading
from functools import lru_cache
from pathlib import Path

import numpy as np

from policypal.services.embeddings import Embedder, Vectors, cosine
from policypal.services.intents.cues import LABELS, request_text

_FILE = Path(__file__).with_name("utterances.json")
_NEAREST = 3
_LOCK = threading.Lock()
_VECTORS: dict[str, Vectors] = {}


def similarities(message: str, embedder: Embedder) -> dict[str, float]:
    """Per label the mean cosine of its nearest utterances, in [−1, 1]. Utterances are embedded once per model."""
    texts, labels = _utterances()
    near = cosine(embedder.embed([_plain(message)]), _vectors(embedder, texts))[0]
    return {label: _nearest(near[[i for i, own in enumerate(labels) if own == label]]) for label in LABELS}


def _nearest(values: Vectors) -> float:
    return float(np.sort(values)[-_NEAREST:].mean())


def _vectors(embedder: Embedder, texts: tuple[str, ...]) -> Vectors:
    with _LOCK:
        if embedder.model not in _VECTORS:
            _VECTORS[embedder.model] = embedder.embed([_plain(t) for t in texts])
        return _VECTORS[embedder.model]


def _plain(message: str) -> str:
    return request_text(message).replace("@doc", "the document")[:1000] or " "


@lru_cache(maxsize=1)
def _utterances() -> tuple[tuple[str, ...], tuple[str, ...]]:
    labelled: dict[str, list[str]] = json.loads(_FILE.read_text(encoding="utf-8"))
    pairs = [(text, label) for label, texts in labelled.items() for text in texts]
    return tuple(text for text, _ in pairs), tuple(label for _, label in pairs)
