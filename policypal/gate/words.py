"""How far words stand for each other: the same stem, a synonym, a part of a compound, a near vector; never an opposite (C2b)."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from policypal.gate.figures import figures_of, plain_figures
from policypal.search.embeddings import built_in_embedder
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import terms
from policypal.text.logic import opposites, read_logic

COVERED = 0.4
"""The likeness from which a word counts as said."""
_FULL, _NONE = 0.55, 0.25
"""Likeness of two word vectors from which they stand for each other, and up to which they do not at all."""
_SYNONYM, _COMPOUND, _RELATED = 0.9, 0.8, 0.6
_WORD = re.compile(r"[^\W\d_]+(?:[-‑][^\W\d_]+)*")
_PREFIXES = ("un", "in", "im", "ir", "non", "non-", "dis")


@lru_cache(maxsize=100_000)
def likeness(word: str, other: str) -> float:
    """How far two words stand for each other, in [0, 1]."""
    one, two = stem_of(word), stem_of(other)
    if one == two:
        return 1.0
    if exclude_each_other(one, two):
        return 0.0
    if two in SYNONYMS.get(one, frozenset()):
        return _SYNONYM
    short, long = sorted((one, two), key=len)
    if len(short) >= 5 and (long.startswith(short) or long.endswith(short)):
        return _COMPOUND
    if len(short) >= 6 and short[:5] == long[:5]:
        return _RELATED
    return min(1.0, max(0.0, (_nearness(word, other) - _NONE) / (_FULL - _NONE))) * _SYNONYM


@lru_cache(maxsize=100_000)
def same_party(word: str, other: str) -> bool:
    """Whether two words name one party: words that often stand for each other in a search are still two parties."""
    return stem_of(word) == stem_of(other) or _nearness(word, other) > _FULL


def exclude_each_other(one: str, two: str) -> bool:
    """Whether two stems are opposites ("accept", "refuse"), or one denies the other ("founded", "unfounded")."""
    short, long = sorted((one, two), key=len)
    return frozenset((one, two)) in _opposed() or long in {prefix + short for prefix in _PREFIXES}


@lru_cache(maxsize=100_000)
def stem_of(word: str) -> str:
    return (terms(word) or [word])[0]


@lru_cache(maxsize=8_192)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text that a search would count, in small letters."""
    return tuple(w for w in _WORD.findall(text.lower()) if terms(w))


@lru_cache(maxsize=8_192)
def content_of(text: str) -> tuple[str, ...]:
    """The words that say something, each once: without figures, units and the words of grammar."""
    content = read_logic(without_figures(text)).content
    return tuple(dict.fromkeys(w for w in content if len(w) > 1 and terms(w) and stem_of(w) not in _UNITS))


@lru_cache(maxsize=8_192)
def without_figures(text: str) -> str:
    """The text without its figures, which are compared by value."""
    text = plain_figures(text)
    for figure in figures_of(text):
        text = re.sub(re.escape(figure.text).replace(r"\ ", r"\s+"), " ", text, flags=re.I)
    return re.sub(r"\d[\d.,]*", " ", text)


def likest(word: str, others: Iterable[str]) -> float:
    """The likeness of a word to the nearest of ``others``; 0 where there are none."""
    return max((likeness(word, other) for other in others), default=0.0)


def covered_by(content: Sequence[str], text: str) -> dict[str, float]:
    """How far a text says each word."""
    others = tuple(dict.fromkeys(words_of(text)))
    return {word: likest(word, others) for word in content}


@lru_cache(maxsize=20_000)
def _vector(word: str) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = built_in_embedder().embed([word])[0]
    return vector


def _nearness(word: str, other: str) -> float:
    return float(_vector(word) @ _vector(other))


@cache
def _opposed() -> frozenset[frozenset[str]]:
    return frozenset(frozenset(map(stem_of, pair)) for pair in opposites())


_UNITS = frozenset(
    terms(
        "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hour day week month year minute "
        "second eur usd gbp euro percent least most than maximum minimum time"
    )
) | frozenset("within during through per up out off too also".split())
"""And particles, which say nothing by themselves."""
