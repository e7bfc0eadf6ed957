"""How much of what was asked a text speaks of, for library and web alike (W3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from policypal.search.fitted import ASKING
from policypal.search.question import Question, weigh
from policypal.search.terms import term_position, terms

_INDIRECT_CREDIT = 0.5
"""What a term counts for where only a synonym of it is there, or only the title has it."""


def shares(queries: Sequence[str], texts: Sequence[tuple[str, str]]) -> list[list[float]]:
    """For each (title, text), how much of each query it holds: the share of the query's terms, weighed by how rare they are
    among these texts, in [0, 1]."""
    bodies = [frozenset(terms(text)) for _, text in texts]
    titles = {title: frozenset(terms(title)) for title, _ in texts}
    questions = _weighed(queries, bodies)
    return [
        [_share(question, body, titles[title]) for question in questions]
        for (title, _), body in zip(texts, bodies, strict=True)
    ]


def covering(scores: Sequence[Sequence[float]], overall: Sequence[float], least: float) -> list[int]:
    """The order in which to take things so that no query goes without: first the best of each query, if it has ``least``,
    then the others; best first in both. ``scores`` are per thing and query."""
    ranked = sorted(range(len(overall)), key=lambda n: -overall[n])
    queries = range(len(scores[0]) if scores else 0)
    leaders = {max(ranked, key=lambda n: scores[n][q]) for q in queries if max(s[q] for s in scores) >= least}
    return [*(n for n in ranked if n in leaders), *(n for n in ranked if n not in leaders)]


def _weighed(queries: Sequence[str], bodies: Sequence[Collection[str]]) -> list[Question]:
    frequencies = Counter(term_position(term) for body in bodies for term in body)
    return [weigh(query, len(bodies), frequencies, ASKING) for query in queries]


def _share(question: Question, body: Collection[str], title: Collection[str]) -> float:
    """A title speaks only for a text that speaks of the matter itself: a page's cookie notice has its title, too."""
    said = {term: _credit(term, question.variants.get(term, ()), body) for term in question.weights}
    if not any(said.values()):
        return 0.0
    held = sum(w * max(said[t], _INDIRECT_CREDIT * (t in title)) for t, w in question.weights.items())
    total = sum(question.weights.values())
    return held / total if total else 0.0


def _credit(term: str, variants: Iterable[str], body: Collection[str]) -> float:
    if term in body:
        return 1.0
    return _INDIRECT_CREDIT if any(variant in body for variant in variants) else 0.0
