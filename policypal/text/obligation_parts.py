"""What an obligation consists of, for the rows of a coverage table (A6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from policypal.text.obligations import bound_party, modality_of, split_condition
from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities

_TIMES = frozenset({QuantityKind.DURATION, QuantityKind.FREQUENCY, QuantityKind.DATE})


@dataclass(frozen=True, slots=True)
class ObligationParts:
    """Words of the obligation itself, each "" where it has none. ``deadline`` is a time limit, a date or a frequency,
    ``threshold`` any other quantity it limits."""

    bound_party: str
    modality: str
    condition: str
    deadline: str
    threshold: str
    exception: str


def obligation_parts(text: str) -> ObligationParts:
    """Take an obligation sentence apart, by rules."""
    parts = split_condition(" ".join(text.split()))
    modality = modality_of(text)
    quantities = find_quantities(parts.main)
    return ObligationParts(
        bound_party=bound_party(text),
        modality=modality.value if modality else "",
        condition=parts.condition,
        deadline=_words(q for q in quantities if q.kind in _TIMES),
        threshold=_words(q for q in quantities if q.kind not in _TIMES and q.bound is not Bound.UNSTATED),
        exception=parts.exception,
    )


def _words(quantities: Iterable[Quantity]) -> str:
    return "; ".join(dict.fromkeys(q.text for q in quantities))
