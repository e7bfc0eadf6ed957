"""Whole documents as clauses, their quotations, and what of them speaks of a topic (A0, A1, A3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from policypal.answer.evidence import CitedSentence, Quote
from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.search.among import passage_among, ranked_among
from policypal.text.clauses import Clause

_ON_TOPIC = 0.5
_NEAR_BEST = 0.6
_LEAST = 0.2


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


def on_topic(topic: str, readings: Sequence[Reading]) -> list[list[Clause]]:
    """Of each document the clauses that speak of a topic, best first: those that account for at least half of it or, where nothing does,
    nearly as much as the best one does. Headings and introductions speak for what stands under them."""
    flat = [clause for reading in readings for clause in reading.clauses]
    passages = [passage_among(n, "", "\n".join(c.headings) or None, c.full_text) for n, c in enumerate(flat)]
    (found,) = ranked_among([topic], passages)
    enough = max(min(_ON_TOPIC, _NEAR_BEST * max((h.coverage for h in found), default=0.0)), _LEAST)
    scores = {id(c): h.score for c, h in zip(flat, found, strict=True) if h.coverage >= enough}
    return [sorted((c for c in r.clauses if id(c) in scores), key=lambda c: -scores[id(c)]) for r in readings]
