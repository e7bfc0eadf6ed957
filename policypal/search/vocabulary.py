"""Words of a search that stand nowhere in the library: slips of the keyboard, and words the library has others for (A2)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase

from policypal.db import index
from policypal.db.pool import Database
from policypal.search.embeddings import built_in_embedder
from policypal.search.terms import term_position, terms

_WORD = re.compile(r"(?<![\w'’-])[a-z]{3,24}(?![\w'’-])")
_SHORTEST_SLIP = 5
_FEWEST = 2
_MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class Understood:
    """A query with its slips corrected. ``nearby`` holds, by the stem of a word that the library does not have, the stems of the
    nearest words it has, and ``counts`` their frequencies by position."""

    query: str
    nearby: Mapping[str, frozenset[str]] = field(default_factory=dict)
    counts: Mapping[int, int] = field(default_factory=dict)


def understood(db: Database, user_id: str, query: str, known: Mapping[int, int] | None = None) -> Understood:
    """The query in words of the user's library. Names stay as they are, and so does what nothing is near to. ``known`` are the
    frequencies of the query's terms by position, where they are known already."""
    stems = {word: found[0] for word in dict.fromkeys(_WORD.findall(query)) if (found := terms(word))}
    if not stems:
        return Understood(query)
    if known is None:
        _, known = index.corpus_frequencies(db, user_id, [term_position(stem) for stem in stems.values()])
    unknown = [w for w, stem in stems.items() if not known.get(term_position(stem))][:_MOST_WORDS]
    if not unknown:
        return Understood(query)
    common = {word: built_in_embedder().is_common_word(word) for word in unknown}
    slips = {w: dict(_one_slip_away(w)) for w in unknown if not common[w] and len(w) >= _SHORTEST_SLIP}
    others = {w: {term_position(s): s for s in _near(w)} for w in unknown if common[w]}
    wanted = [position for found in (*slips.values(), *others.values()) for position in found]
    _, counts = index.corpus_frequencies(db, user_id, wanted)
    meant = {w: found[best] for w, found in slips.items() if (best := _most_frequent(found, counts)) is not None}
    nearby = {stems[w]: frozenset(s for p, s in found.items() if counts.get(p)) for w, found in others.items()}
    corrected = _WORD.sub(lambda found: meant.get(found[0], found[0]), query)
    return Understood(corrected, {stem: near for stem, near in nearby.items() if near}, counts)


def _near(word: str) -> Iterator[str]:
    for other in built_in_embedder().near_words(word):
        yield from terms(other)[:1]


def _most_frequent(found: Mapping[int, str], counts: Mapping[int, int]) -> int | None:
    """The library's commonest word of them, one of the language before one that may be a slip itself."""
    common = [p for p, word in found.items() if counts.get(p) and built_in_embedder().is_common_word(word)]
    often = common or [p for p in found if counts.get(p, 0) >= _FEWEST]
    return max(often, key=lambda position: counts[position], default=None)


def _one_slip_away(word: str) -> Iterator[tuple[int, str]]:
    """The words one slip away, by the position of their stem: those of the language, and those whose stem is one slip away, too."""
    stem = terms(word)[0]
    stems_nearby = set(_one_slip(stem))
    for other in set(_one_slip(word)):
        found = terms(other)
        if found and (found[0] in stems_nearby or built_in_embedder().is_common_word(other)):
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
