"""Figures of a claim beside the limits that a rule sets for the same measured thing (A4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from policypal.audit.units import Unit
from policypal.search.terms import terms
from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities

_TOLERANCE = 1.04
"""A month is 28 to 31 days; differences below 4 % are none."""
_TIMES = frozenset({"deadline", "notice", "retention", "lasting", "frequency"})


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with what it measures: figures are compared where ``role`` and ``unit`` are the same. ``side`` is the one a rule's
    figure must not be passed to ("max": no more than it, "min": no less), "" where it sets no limit; ``is_bounded`` says that the text
    itself bounds it ("within", "at least")."""

    role: str
    value: float
    unit: str
    text: str
    side: str = ""
    is_bounded: bool = False

    def is_broken_by(self, said: Figure) -> bool:
        """Whether a claim's figure lies on the wrong side of this limit."""
        slack = _TOLERANCE if self.role in _TIMES else 1.0
        return said.value > self.value * slack if self.side == "max" else said.value < self.value / slack


_KEEPS = re.compile(r"\b(?:retain\w*|retention|keep\w*|kept|stor(?:e[ds]?|ing|age)|archiv\w+|preserv\w+)\b", re.I)
_DELETES = re.compile(
    r"\b(?:delet\w+|eras\w+|destroy\w*|destruction|purg\w+|dispos\w+|anonymi[sz]\w+|remov\w+)\b", re.I
)
_ON_REQUEST = re.compile(r"\b(?:requests?|instruct\w*|withdraw\w*|objection)\b", re.I)
_AHEAD = re.compile(r"^['’]?\s*(?:\w+ ){0,2}?(?:notice|before|prior to|previously|beforehand|in advance|ahead)\b", re.I)
_LED = re.compile(r"\b(?:within|later than|at the latest|by|in|after|every)\s+(?:\w+ )?[(]?$", re.I)
_LASTS = re.compile(
    r"\b(?:for|open|last\w*|remain\w*|cover\w*)(?: an?| the)?(?: (?:\w+ )?(?:period|duration) of)?"
    r"(?: at least| up to| at most| (?:no|not) (?:more|less|longer|shorter) than| the)?\s*$",
    re.I,
)
_OPTIONAL = re.compile(r"\b(?:recommend\w*|permit\w*|allow\w*|may|should|ideally|where possible|extended)\b", re.I)
_PIECE = re.compile(r"[;:]|, (?:and|but|or|although|while|whereas) |,? although |, (?=\w+ (?:or more )?(?:is|are) )")
_FREE = re.compile(r"\b(?:free of (?:any )?charge|(?:without|at no) (?:any )?(?:charge|cost|fee))\b", re.I)
_CHARGES = re.compile(r"\b(?:charg(?:es?|ed|ing)|fees? of|costs?|pays?|paid)\s+(?:an? )?$", re.I)
_NOUN_ENDS = re.compile(
    r"[.,;:()]|\b(?:of|in|for|that|which|who|with|per|to|from|at|by|and|or|is|are|was|were|must|shall|may|will|has|have)\b"
)


@lru_cache(maxsize=8_192)
def figures_of(unit: Unit) -> tuple[Figure, ...]:
    """The figures of a sentence but those it only recommends or permits, with the side that binds where it is a rule."""
    return tuple(_figures(unit))


def _figures(unit: Unit) -> Iterator[Figure]:
    text = unit.text
    for quantity in find_quantities(text):
        role = _role(unit, quantity)
        if role and not _is_optional(text, quantity):
            side = "" if quantity.unbounded else _side(unit, quantity, role)
            yield Figure(
                role, quantity.value, _unit(text, quantity), quantity.text, side, quantity.bound is not Bound.UNSTATED
            )
            if role in ("money", "number") and _CHARGES.search(text[: quantity.start]):
                yield Figure("fee", quantity.value, "", quantity.text)
    if unit.kind.binds and (free := _FREE.search(text)):
        yield Figure("fee", 0.0, "", free[0], "max")


def _is_optional(text: str, quantity: Quantity) -> bool:
    """Whether the part of the sentence that holds the figure recommends or permits only."""
    cuts = [0, *(m.end() for m in _PIECE.finditer(text)), len(text)]
    start = max(c for c in cuts if c <= quantity.start)
    end = min((c for c in cuts if c >= quantity.end), default=len(text))
    return bool(_OPTIONAL.search(text[start:end])) and not re.search(r"\b(?:may|should) not\b", text[start:end], re.I)


def _role(unit: Unit, quantity: Quantity) -> str:
    """What is measured; "" for dates, which name a day rather than measure."""
    if quantity.kind is QuantityKind.DATE:
        return ""
    if quantity.kind is not QuantityKind.DURATION:
        return quantity.kind.value
    before, after = unit.text[: quantity.start], unit.text[quantity.end :]
    if _AHEAD.match(after):
        return "notice"
    is_led = bool(_LED.search(before))
    if quantity.unbounded or _is_deletion(unit) or (_KEEPS.search(unit.full) and not is_led):
        return "retention"
    return "lasting" if _LASTS.search(before) else "deadline"


def _is_deletion(unit: Unit) -> bool:
    """Whether a time says how long something is kept at most, rather than how fast a request to delete is met."""
    return bool(_DELETES.search(unit.full)) and not _ON_REQUEST.search(unit.full)


def _unit(text: str, quantity: Quantity) -> str:
    """The currency of an amount, the noun that a number counts; times and shares need none."""
    if quantity.kind is QuantityKind.MONEY:
        return quantity.unit
    if quantity.kind is not QuantityKind.NUMBER:
        return ""
    behind = text[quantity.end :].lstrip(" )-")
    end = _NOUN_ENDS.search(behind)
    counted = terms(behind[: end.start()] if end else behind)
    return counted[-1] if counted else ""


def _side(unit: Unit, quantity: Quantity, role: str) -> str:
    upwards = quantity.bound in (Bound.AT_MOST, Bound.BELOW)
    downwards = quantity.bound in (Bound.AT_LEAST, Bound.ABOVE)
    if quantity.bound in (Bound.ABOVE, Bound.BELOW):
        # "Above X" forbidden is a ceiling; otherwise it says from where on a duty holds, which a claim may set lower.
        upwards, downwards = downwards, upwards
    if role == "notice":
        return "max" if upwards else "min"
    if role == "frequency":
        return "max"
    if role in ("retention", "lasting"):
        deletes = role == "retention" and _DELETES.search(unit.text) and not downwards
        return "max" if upwards or deletes else "min"
    if role == "deadline":
        return "min" if downwards else "max"
    return "max" if upwards else "min" if downwards else ""


def beside(claim: Unit, rule: Unit) -> list[tuple[Figure, Figure]]:
    """The figures of a claim beside the rule's limits for the same measured thing. Where both have as many, in their order; otherwise
    each beside each, because nothing tells which belongs to which."""
    pairs: list[tuple[Figure, Figure]] = []
    limits = [x for x in figures_of(rule) if x.side]
    for role, unit in dict.fromkeys((x.role, x.unit) for x in limits):
        ours = [s for s in figures_of(claim) if (s.role, s.unit) == (role, unit)]
        theirs = [x for x in limits if (x.role, x.unit) == (role, unit)]
        pairs += zip(ours, theirs, strict=True) if len(ours) == len(theirs) else [(s, x) for s in ours for x in theirs]
    return pairs


def broken(pairs: Sequence[tuple[Figure, Figure]]) -> tuple[Figure, Figure] | None:
    """The figure that breaks its limit, if no figure of the same measure keeps it or may be meant instead."""
    for said, limit in pairs:
        rivals = [x for s, x in pairs if s is said]
        others = [s for s, x in pairs if x is limit]
        if all(x.is_broken_by(said) for x in rivals) and all(limit.is_broken_by(s) for s in others):
            return said, limit
    return None


def kept(pairs: Sequence[tuple[Figure, Figure]]) -> bool:
    """Whether there are figures to compare and none breaks a limit."""
    return bool(pairs) and not any(limit.is_broken_by(said) for said, limit in pairs)
