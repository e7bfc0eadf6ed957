"""The concepts that the words of a clause stand for, as ``concepts.toml`` groups them (A6)."""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from policypal.search.terms import terms

_RAW: dict[str, Any] = tomllib.loads(files("policypal.audit").joinpath("concepts.toml").read_text(encoding="utf-8"))
_PHRASES: list[tuple[str, str]] = list(_RAW["phrases"].items())
_PHRASE = re.compile("|".join(rf"\b(?P<g{i}>{p})(?!\w)" for i, (_, p) in enumerate(_PHRASES)))
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_APART_WORD = re.compile("|".join(f"(?P<{name}>{p})" for name, p in _RAW["apart"].items()))

SILENT = frozenset(terms(_RAW["silent"]))
LIGHT = frozenset(terms(_RAW["light"]))
FORMAL = frozenset(f"{_RAW['qualifiers']} {_RAW['scaffold']}".split())
ACTIONS = frozenset(_RAW["actions"].split())
SOFT_ACTIONS = frozenset(_RAW["soft_actions"].split())
PARTIES = frozenset(_RAW["parties"].split())
KNOWN = frozenset(_RAW["words"]) | {c for names, _ in _PHRASES for c in names.split()}
"""Concepts whose words are grouped, so that other words for them were looked for."""

Reading = tuple[tuple[str, tuple[str, ...]], ...]
"""The words of a text that mean something, each with its concepts, chief meaning first."""


@lru_cache(maxsize=50_000)
def read_words(text: str) -> Reading:
    """The words and phrases of ``text`` in order with the concepts they stand for; stop words left out."""
    found: list[tuple[str, tuple[str, ...]]] = []
    plain = " ".join(text.replace("’", "'").replace("”", '"').split()).lower()
    position = 0
    for match in _PHRASE.finditer(plain):
        found += _single_words(plain[position : match.start()])
        found.append((match[0], tuple(_PHRASES[int((match.lastgroup or "g0")[1:])][0].split())))
        position = match.end()
    return (*found, *_single_words(plain[position:]))


def concepts_of(text: str) -> frozenset[str]:
    """The concepts of ``text`` but those that say nothing."""
    return frozenset(c for _, concepts in read_words(text) for c in concepts) - SILENT


@cache
def related(concept: str) -> dict[str, float]:
    """Concepts that a mention of ``concept`` also counts for in part."""
    pairs = ((frozenset(names.split()), credit) for names, credit in _RAW["related"].items())
    return {next(iter(names - {concept})): credit for names, credit in pairs if concept in names}


def _single_words(text: str) -> list[tuple[str, tuple[str, ...]]]:
    found = ((word, _term(word)) for word in _WORD.findall(text))
    return [(word, _concepts().get(term, (term,))) for word, term in found if term]


@cache
def _concepts() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for concept, words in _RAW["words"].items():
        for term in dict.fromkeys(map(_term, words.split())):
            found.setdefault(term, []).append(concept)
    return {term: tuple(concepts) for term, concepts in found.items()}


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    """The stem of one word in lower case; "" for stop words, numbers and single letters."""
    plain = word.removesuffix("'s").rstrip("'")
    if apart := _APART_WORD.fullmatch(plain):
        return str(apart.lastgroup)
    found = terms(plain)
    return "" if not found or found[0][0].isdigit() or len(found[0]) < 2 else found[0]
