"""What documents say about a user's own company: statements that name its country, industry, name or business (A1).

Relevance is what can be shown: a statement is only said to concern somebody where it has that person's own words in it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from policypal.answer.evidence import CitedSentence
from policypal.answer.quoting import quote
from policypal.answer.ranking import near_duplicate
from policypal.answer.statements import Statement
from policypal.domain.users import Profile
from policypal.search.terms import terms
from policypal.text.obligations import Modality, modality_of

RELEVANT = 4
_BINDS = (Modality.REQUIRED, Modality.PROHIBITED)
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
class _Found:
    """A statement that has words of the profile: which, and how telling they are."""

    statement: Statement
    words: tuple[str, ...]
    weight: float


def relevance(profile: Profile, statements: Sequence[Statement]) -> list[CitedSentence]:
    """At most four statements, the most telling of each part of the profile first; none where nothing names the user."""
    idf = _idf(statements)
    parts = {
        "your country": _naming(_phrases(profile.country), statements, idf),
        "your industry": _naming(_phrases(profile.industry), statements, idf)
        or _sharing(profile.industry, statements, idf, at_least=1),
        "your company": _naming([_words(profile.company)], statements, idf),
        "what your company does": _sharing(profile.description, statements, idf, at_least=2),
    }
    chosen: list[CitedSentence] = []
    taken: list[Statement] = []
    for label, found in _in_turn(parts):
        if len(chosen) < RELEVANT and not any(near_duplicate(found.statement, other) for other in taken):
            taken.append(found.statement)
            focus = terms(" ".join(found.words))
            chosen.append(quote(found.statement, focus, prefix=f"On {' '.join(found.words)} ({label}) – "))
    return chosen


def _in_turn(parts: Mapping[str, Sequence[_Found]]) -> Iterator[tuple[str, _Found]]:
    """The best of every part, then the second best of every part, and so on."""
    for row in zip_longest(*parts.values()):
        yield from ((label, found) for label, found in zip(parts, row, strict=True) if found is not None)


def _phrases(value: str) -> list[list[str]]:
    return [words for part in _PHRASE_ENDS.split(value) if (words := _words(part))]


def _words(text: str) -> list[str]:
    """The words that count, as they were typed."""
    return [word for word in re.findall(r"[\w.'’-]*\w", text) if terms(word)]


def _naming(
    phrases: Sequence[Sequence[str]], statements: Sequence[Statement], idf: Mapping[str, float]
) -> list[_Found]:
    """Statements with all words of a phrase."""
    found = []
    for words in phrases:
        wanted = set(terms(" ".join(words)))
        if wanted and not wanted <= _UNSPECIFIC:
            found += [_found(s, words, wanted, idf) for s in statements if wanted <= set(s.terms)]
    return _best_first(found)


def _sharing(text: str, statements: Sequence[Statement], idf: Mapping[str, float], *, at_least: int) -> list[_Found]:
    """Statements with so many of the specific words of a text."""
    specific = {term: word for word in _words(text) for term in terms(word) if term not in _UNSPECIFIC}
    found = []
    for statement in statements:
        shared = specific.keys() & set(statement.terms)
        if len(shared) >= at_least:
            words = [word for term, word in specific.items() if term in shared]
            found.append(_found(statement, list(dict.fromkeys(words)), shared, idf))
    return _best_first(found)


def _found(statement: Statement, words: Sequence[str], shared: set[str], idf: Mapping[str, float]) -> _Found:
    """What binds tells a company more than what describes."""
    weight = sum(idf.get(term, 0.0) for term in shared)
    return _Found(statement, tuple(words), weight * (1.5 if modality_of(statement.full_text) in _BINDS else 1.0))


def _best_first(found: Sequence[_Found]) -> list[_Found]:
    return sorted(found, key=lambda f: -f.weight)


def _idf(statements: Sequence[Statement]) -> dict[str, float]:
    counts = Counter(term for statement in statements for term in set(statement.terms))
    return {term: math.log(1 + len(statements) / n) for term, n in counts.items()}
