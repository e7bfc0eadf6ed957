"""Whole documents as clauses, their quotations, and what of them speaks of a topic (A0, A1, A3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from policypal.answer.evidence import CitedSentence, Quote
from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.search.embeddings import Embedder
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import terms
from policypal.text.clauses import Clause
from policypal.text.limits import limits_of

_SYNONYM = 0.8
_HEADING = 0.8
_NEAREST = 0.3
_ON_TOPIC = 0.5
_NEAR_BEST = 0.6
_LEAST = 0.2
_MEASURES = frozenset(terms("deadline limit threshold period time frequency amount"))
"""What a clause that sets a limit need not call itself."""


@dataclass(frozen=True)
class Reading:
    """A document ``title`` with all its clauses; ``before`` is how many passages are numbered before its first clause."""

    title: str
    clauses: tuple[Clause, ...]
    before: int = 0

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(clause): number for number, clause in enumerate(self.clauses, self.before + 1)}

    def quote(self, clause: Clause, *, prefix: str = "") -> CitedSentence:
        """The clause in its own words, a list item behind the line that introduces it; "[…]" marks what is cut off."""
        said = [part for part in (self._introduction(clause), clause) if part is not None]
        words = [_clipped(part.text) for part in said]
        cut = [f"{w} […]" if w != part.text else w for w, part in zip(words, said, strict=True)]
        quotes = [Quote(evidence=self._numbers[id(p)], text=w) for p, w in zip(said, words, strict=True)]
        return CitedSentence(text=f"{prefix}“{' '.join(cut)}”", quotes=quotes)

    def _introduction(self, clause: Clause) -> Clause | None:
        """The clause that introduces a list item, the nearest before it."""
        if not clause.introduction:
            return None
        position = self._numbers[id(clause)] - self.before - 1
        before = (c for c in reversed(self.clauses[max(position - 60, 0) : position]) if c.introduces)
        return next((c for c in before if clause.introduction.endswith(c.text)), None)


def _clipped(text: str) -> str:
    """At most 300 characters, cut between two words."""
    return text if len(text) <= MAX_QUOTE_CHARACTERS else text[: text.rfind(" ", 0, MAX_QUOTE_CHARACTERS)]


def on_topic(topic: str, readings: Sequence[Reading], embedder: Embedder) -> list[list[Clause]]:
    """Of each document the clauses that speak of a topic, best first: those that account for at least half of its weighted terms or,
    where nothing does, nearly as much as the best one does. Headings and introductions speak for what stands under them."""
    wanted = list(dict.fromkeys(terms(topic)))
    flat = [clause for reading in readings for clause in reading.clauses]
    held = [(set(terms(c.full_text)), set(terms(" ".join(c.headings)))) for c in flat]
    frequency = Counter(term for own, above in held for term in own | above)
    weights = {t: math.log(1 + len(flat) / (frequency[t] + 0.5)) for t in wanted}
    total = sum(weights.values())
    if not flat or not total:
        return [[] for _ in readings]
    vectors = embedder.embed([topic, *(c.full_text for c in flat)])
    near = (vectors[1:] @ vectors[0]).tolist()
    if measures := _MEASURES & set(wanted):
        held = [
            (own | measures if limits_of(c.text) else own, above) for c, (own, above) in zip(flat, held, strict=True)
        ]
    share = [sum(weights[t] * _held(t, own, above) for t in wanted) / total for own, above in held]
    enough = max(min(_ON_TOPIC, _NEAR_BEST * max(share)), _LEAST)
    scores = {id(c): s + _NEAREST * n for c, s, n in zip(flat, share, near, strict=True) if s >= enough}
    return [sorted((c for c in r.clauses if id(c) in scores), key=lambda c: -scores[id(c)]) for r in readings]


def _held(term: str, own: Collection[str], above: Collection[str]) -> float:
    if term in own:
        return 1.0
    others = SYNONYMS.get(term, frozenset())
    return max(_HEADING * (term in above), _SYNONYM * (not others.isdisjoint(own)))
