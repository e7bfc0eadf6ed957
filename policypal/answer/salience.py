"""Which statements are worth telling: whole ones that can stand alone, duties, deadlines and thresholds (A1, W3)."""

from __future__ import annotations

import re

from policypal.answer.statements import Statement, has_verb
from policypal.text.obligations import Modality, modality_of
from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities

_SHORTEST = 6
_LONGEST = 59
_LEANS_ON_CONTEXT = re.compile(
    r"^(?:it|they|he|she|those|that|such|these|moreover|however|furthermore|therefore|in addition|in particular|in turn|likewise|"
    r"similarly|also|where such|the same|without prejudice|by way of derogation|notwithstanding|this (?:should|shall|must|may|is|includes?|means?|had))\b",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"(?:^|\n)\s*\d{1,2}\s+[“\"]?[A-Z]|www\.|https?://|©")
_ILLUSTRATES = re.compile(r"^(?:for example|for instance|illustration|explanation|note\b|see\b|eg\b)", re.IGNORECASE)
_MEASURED = {QuantityKind.DURATION, QuantityKind.FREQUENCY, QuantityKind.PERCENT, QuantityKind.MONEY, QuantityKind.DATE}


def is_readable(statement: Statement, longest: int = _LONGEST) -> bool:
    """Whether it is a whole sentence or list item of six to ``longest`` words: no row, example, question or footnote."""
    return (
        statement.complete
        and not statement.is_row
        and _SHORTEST <= len(statement.text.split()) <= longest
        and has_verb(statement.full_text)
        and (statement.intro is not None or not statement.text[0].islower())
        and not _ILLUSTRATES.match(statement.text)
        and not statement.text.endswith(("?", ":"))
        and not _FOOTNOTE.search(statement.evidence.text[slice(*statement.span)])
    )


def self_standing(statement: Statement) -> float:
    """Less for list items and for sentences that lean on the one before them ("Such a report …")."""
    return (0.7 if statement.intro is not None else 1.0) * (0.6 if _LEANS_ON_CONTEXT.match(statement.text) else 1.0)


def duty_weight(statement: Statement) -> float:
    """What binds: duties and prohibitions; recommendations only where nothing is stronger."""
    modality = modality_of(statement.full_text)
    if modality in (Modality.REQUIRED, Modality.PROHIBITED):
        return self_standing(statement)
    return 0.35 * self_standing(statement) if modality is Modality.RECOMMENDED else 0.0


def limit_weight(statement: Statement) -> float:
    """Deadlines and thresholds: measured quantities, more so with a stated bound or a duty."""
    quantities = [q for q in find_quantities(statement.text) if _is_limit(q)]
    if not quantities:
        return 0.0
    weight = 1.0 + 0.5 * any(q.bound is not Bound.UNSTATED for q in quantities)
    weight += 0.4 * any(q.kind in (QuantityKind.MONEY, QuantityKind.PERCENT) for q in quantities)
    return weight * (1.3 if modality_of(statement.full_text) in (Modality.REQUIRED, Modality.PROHIBITED) else 1.0)


def _is_limit(quantity: Quantity) -> bool:
    if quantity.kind is not QuantityKind.NUMBER:
        return quantity.kind in _MEASURED
    bounded = quantity.bound not in (Bound.UNSTATED, Bound.BELOW)
    return bounded and quantity.value > 1 and len(quantity.unit) > 3


def limit_value(statement: Statement) -> str:
    """The figures of a limit with the bounds the text states."""
    limits = [q for q in find_quantities(statement.text) if _is_limit(q)]
    values = [" ".join(filter(None, [_bound(q), q.text])) for q in limits]
    return "; ".join(dict.fromkeys(values))


def _bound(quantity: Quantity) -> str:
    if quantity.kind is QuantityKind.DATE and quantity.bound is Bound.AT_MOST:
        return "by"
    return "" if quantity.bound is Bound.UNSTATED else quantity.bound.value
