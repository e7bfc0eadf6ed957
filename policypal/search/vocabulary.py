"""Words of a search that stand nowhere in the library: slips of the keyboard (A2)."""

import re
from collections.abc import Iterator, Mapping
from string import ascii_lowercase

from policypal.db import index
from policypal.db.pool import Database
from policypal.search.embeddings import built_in_embedder
from policypal.search.terms import term_position, terms

_WORD = re.compile(r"(?<![\w'’-])[a-z]{3,24}(?![\w'’-])")
_SHORTEST_SLIP = 5
_FEWEST = 2
_MOST_WORDS = 8


def without_slips(db: Database, user_id: str, query: str, known: Mapping[int, int] | None = None) -> str:
    """The query, words that the user's library does not have corrected where they are one slip away from one it has. Names stay as they
    are, and so do the common words of languages. ``known`` are the frequencies of the query's terms by position, where they are known already."""
    stems = {word: found[0] for word in dict.fromkeys(_WORD.findall(query)) if (found := terms(word))}
    if known is None:
        _, known = index.corpus_frequencies(db, user_id, [term_position(stem) for stem in stems.values()])
    unknown = [w for w, stem in stems.items() if not known.get(term_position(stem))][:_MOST_WORDS]
    slips = {w: dict(_one_slip_away(w)) for w in unknown if not _is_common(w) and len(w) >= _SHORTEST_SLIP}
    if not slips:
        return query
    _, counts = index.corpus_frequencies(db, user_id, [position for found in slips.values() for position in found])
    meant = {w: found[best] for w, found in slips.items() if (best := _most_frequent(found, counts)) is not None}
    return _WORD.sub(lambda found: meant.get(found[0], found[0]), query)


def _is_common(word: str) -> bool:
    return word in built_in_embedder().common_words()


def _most_frequent(found: Mapping[int, str], counts: Mapping[int, int]) -> int | None:
    """The library's commonest word of them, one of the language before one that may be a slip itself."""
    common = [p for p, word in found.items() if counts.get(p) and _is_common(word)]
    often = common or [p for p in found if counts.get(p, 0) >= _FEWEST]
    return max(often, key=lambda position: counts[position], default=None)


def _one_slip_away(word: str) -> Iterator[tuple[int, str]]:
    """The words one slip away, by the position of their stem: those of the language, and those whose stem is one slip away, too."""
    stem = terms(word)[0]
    stems_nearby = set(_one_slip(stem))
    for other in set(_one_slip(word)):
        found = terms(other)
        if found and (found[0] in stems_nearby or _is_common(other)):
            yield term_position(found[0]), other


def _one_slip(word: str) -> Iterator[str]:
    """What a letter left out, added, mistaken or swapped makes of a word."""
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
