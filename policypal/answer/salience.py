"""Which statements are worth telling: whole ones that can stand alone, duties, deadlines and thresholds (A1, W3)."""

from __future__ import annotations

import re

from policypal.answer.statements import Statement, has_verb
from policypal.text.limits import limits_of
from policypal.text.quantities import QuantityKind

_SHORTEST = 6
_LONGEST = 59
_LEANS_ON_CONTEXT = re.compile(
    r"^(?:it|they|he|she|those|that|such|these|moreover|however|furthermore|therefore|in addition|in particular|in turn|likewise|"
    r"similarly|also|where such|the same|without prejudice|by way of derogation|notwithstanding|this (?:should|shall|must|may|is|includes?|means?|had))\b",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"(?:^|\n)\s*\d{1,2}\s+[“\"]?[A-Z]|www\.|https?://|©")
_ILLUSTRATES = re.compile(r"^(?:for example|for instance|illustration|explanation|note\b|see\b|eg\b)", re.IGNORECASE)


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


def limit_weight(statement: Statement) -> float:
    """Deadlines and thresholds: more where the text states a bound, for amounts, and where they bind."""
    limits = limits_of(statement.text)
    if not limits:
        return 0.0
    weight = 1.0 + 0.5 * any(limit.bound for limit in limits)
    weight += 0.4 * any(limit.kind in (QuantityKind.MONEY, QuantityKind.PERCENT) for limit in limits)
    return weight * (1.3 if statement.kind.binds else 1.0)


def limit_value(statement: Statement) -> str:
    """The figures of a limit with the bounds the text states."""
    return "; ".join(dict.fromkeys(limit.words for limit in limits_of(statement.text)))
