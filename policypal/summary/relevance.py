"""What documents say about a user's own company: clauses that name its country, industry, name or business (A1).

Relevance is what can be shown: a clause is only said to concern somebody where it has that person's own words in it.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from policypal.answer.evidence import CitedSentence
from policypal.answer.readings import Reading
from policypal.domain.provisions import Kind
from policypal.domain.users import Profile
from policypal.search.terms import terms
from policypal.text.clauses import Clause

RELEVANT = 4
_BINDS = 1.5
_PHRASE_ENDS = re.compile(r"[,;/|()\n]+|\s+(?:and|or|&)\s+|(?<=[.!?])\s+")
_UNSPECIFIC = frozenset(
    terms(
        "company group firm business organisation organization institution industry sector market field area region country"
        " service product customer client user people employee staff management system process solution provider general"
        " other various global international national local small medium large mid main mainly include offer provide sell"
        " work use new private public limited inc plc ltd llc gmbh holding number year"
    )
)
"""Words that are in every profile and every rulebook; one of them alone concerns nobody in particular."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A clause with its terms, and the document it is of."""

    reading: Reading
    clause: Clause
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Found:
    """A clause that has words of the profile: which, and how telling they are."""

    held: _Held
    words: tuple[str, ...]
    weight: float


def relevance(profile: Profile, readings: Sequence[Reading]) -> list[CitedSentence]:
    """At most four clauses, the most telling of each part of the profile first; none where nothing names the user."""
    if not any((profile.company, profile.country, profile.industry, profile.description)):
        return []
    held = [_Held(r, c, frozenset(terms(c.text))) for r in readings for c in r.clauses if c.kind is not Kind.REFERENCE]
    counts = Counter(term for h in held for term in h.terms)
    idf = {term: math.log(1 + len(held) / n) for term, n in counts.items()}
    parts = {
        "your country": _naming(_phrases(profile.country), held, idf),
        "your industry": _naming(_phrases(profile.industry), held, idf) or _sharing(profile.industry, held, idf, 1),
        "your company": _naming([_words(profile.company)], held, idf),
        "what your company does": _sharing(profile.description, held, idf, 2),
    }
    chosen: dict[frozenset[str], CitedSentence] = {}
    for label, found in _in_turn(parts):
        if len(chosen) < RELEVANT and found.held.terms not in chosen:
            prefix = f"On {' '.join(found.words)} ({label}) – "
            chosen[found.held.terms] = found.held.reading.quote(found.held.clause, prefix=prefix)
    return list(chosen.values())


def _in_turn(parts: Mapping[str, Sequence[_Found]]) -> Iterator[tuple[str, _Found]]:
    """The best of every part, then the second best of every part, and so on."""
    for row in zip_longest(*parts.values()):
        yield from ((label, found) for label, found in zip(parts, row, strict=True) if found is not None)


def _phrases(value: str) -> list[list[str]]:
    return [words for part in _PHRASE_ENDS.split(value) if (words := _words(part))]


def _words(text: str) -> list[str]:
    """The words that count, as they were typed."""
    return [word for word in re.findall(r"[\w.'’-]*\w", text) if terms(word)]


def _naming(phrases: Sequence[Sequence[str]], held: Sequence[_Held], idf: Mapping[str, float]) -> list[_Found]:
    """Clauses with all words of a phrase."""
    found = []
    for words in phrases:
        wanted = frozenset(terms(" ".join(words)))
        if wanted and not wanted <= _UNSPECIFIC:
            found += [_found(h, words, wanted, idf) for h in held if wanted <= h.terms]
    return sorted(found, key=lambda f: -f.weight)


def _sharing(text: str, held: Sequence[_Held], idf: Mapping[str, float], at_least: int) -> list[_Found]:
    """Clauses with so many of the specific words of a text."""
    specific = {term: word for word in _words(text) for term in terms(word) if term not in _UNSPECIFIC}
    found = []
    for h in held:
        shared = h.terms & specific.keys()
        if len(shared) >= at_least:
            words = dict.fromkeys(word for term, word in specific.items() if term in shared)
            found.append(_found(h, list(words), shared, idf))
    return sorted(found, key=lambda f: -f.weight)


def _found(held: _Held, words: Sequence[str], shared: frozenset[str], idf: Mapping[str, float]) -> _Found:
    """What binds tells a company more than what describes."""
    weight = sum(idf.get(term, 0.0) for term in shared)
    return _Found(held, tuple(words), weight * (_BINDS if held.clause.kind.binds else 1.0))
