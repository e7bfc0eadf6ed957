"""What an obligation depends on and what it limits, for the rows of a coverage table (A6)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities

_TIMES = frozenset({QuantityKind.DURATION, QuantityKind.FREQUENCY, QuantityKind.DATE})
_LEADING = re.compile(
    r"^(?:where|when|if|in case|in the event|upon|on|at|after|before|should|once|prior to|unless|except)\b[^,]{0,250}?,\s*"
    r"(?=(?:the|each|every|any|all|an?|it|they|we|no|this|such)\s|\w+ (?:shall|must|will|may)\b)",
    re.I,
)
_TRAILING = re.compile(
    r",?\s+(?:where|if|unless|except|in case|provided that|when|insofar as|to the extent)\b.*$", re.I
)
_EXCEPTION = re.compile(r"\W*(?:unless|except)\b", re.I)
_SHORTEST_MAIN = 20


@dataclass(frozen=True, slots=True)
class ObligationParts:
    """Words of the obligation itself, each "" where it has none. ``deadline`` is a time limit, a date or a frequency,
    ``threshold`` any other quantity it limits."""

    condition: str
    deadline: str
    threshold: str
    exception: str


def obligation_parts(text: str) -> ObligationParts:
    """Take an obligation sentence apart, by rules: the main clause, and what it depends on, "If …," before it, "where …" or "unless …"
    after it."""
    flat = " ".join(text.split())
    lead = match[0] if (match := _LEADING.match(flat)) else ""
    main = flat[len(lead) :]
    found = _TRAILING.search(main)
    trail = found[0] if found and found.start() > _SHORTEST_MAIN else ""
    pieces = [piece.strip(" ,") for piece in (lead, trail) if piece]
    exceptions = [piece for piece in pieces if _EXCEPTION.match(piece)]
    quantities = find_quantities(main[: len(main) - len(trail)])
    return ObligationParts(
        condition=" ".join(piece for piece in pieces if piece not in exceptions),
        deadline=_words(q for q in quantities if q.kind in _TIMES),
        threshold=_words(q for q in quantities if q.kind not in _TIMES and q.bound is not Bound.UNSTATED),
        exception=" ".join(exceptions),
    )


def _words(quantities: Iterable[Quantity]) -> str:
    return "; ".join(dict.fromkeys(q.text for q in quantities))
