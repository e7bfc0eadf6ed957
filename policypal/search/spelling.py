"""Slips of the keyboard in a search: a word that stands nowhere in the library, one letter from one that does (A2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import ascii_lowercase

from policypal.db import index
from policypal.db.pool import Database
from policypal.search.embeddings import built_in_embedder
from policypal.search.terms import term_position, terms

_WORD = re.compile(r"(?<![\w'’-])[a-z]{5,24}(?![\w'’-])")
_FEWEST = 2
_MOST_WORDS = 8


def corrected(db: Database, user_id: str, query: str) -> str:
    """The query with its slips corrected to words of the user's library; names, short words and words of the language that only the
    library does not have stay as they are."""
    stems = {word: terms(word)[0] for word in _WORD.findall(query) if terms(word)}
    if not stems:
        return query
    _, known = index.corpus_frequencies(db, user_id, [term_position(stem) for stem in stems.values()])
    slips = [w for w, stem in stems.items() if not known.get(term_position(stem)) and not built_in_embedder().is_common_word(w)]
    nearby = {word: dict(_nearby(word, stems[word])) for word in slips[:_MOST_WORDS]}
    _, counts = index.corpus_frequencies(db, user_id, [p for near in nearby.values() for p in near]) if nearby else (0, {})
    meant = {word: near[best] for word, near in nearby.items() if (best := _most_frequent(near, counts)) is not None}
    return _WORD.sub(lambda found: meant.get(found[0], found[0]), query)


def _most_frequent(near: Mapping[int, str], counts: Mapping[int, int]) -> int | None:
    best = max(near, key=lambda position: counts.get(position, 0), default=None)
    return best if best is not None and counts.get(best, 0) >= _FEWEST else None


def _nearby(word: str, stem: str) -> Iterator[tuple[int, str]]:
    """The words one slip away whose stems are, too, by the position of their stem."""
    stems_nearby = set(_one_slip(stem))
    for other in _one_slip(word):
        if (found := terms(other)) and found[0] in stems_nearby:
            yield term_position(found[0]), other


def _one_slip(word: str) -> Iterator[str]:
    """What a letter left out, doubled, mistaken or swapped makes of a word."""
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in ascii_lowercase:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]
