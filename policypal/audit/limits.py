"""The numbers a claim states and the limits a rule sets: deadlines, retention, frequencies, ratios, amounts (A4).

A limit has a *role* (what is measured; only equal roles are compared) and a *side*: "max" must not be passed upwards
("within 72 hours", "not exceeding 5 %", "at least once a year" as an interval), "min" not downwards ("at least five
years", "30 days before"). A *trigger* ("transactions of EUR 10,000 or more must …") selects what a duty covers: a claim
may lower it, never raise it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from policypal.audit.measures import AGE, measures, range_partner
from policypal.audit.reading import Statement
from policypal.gate.vocabulary import GENERIC, concepts
from policypal.text.obligations import Modality
from policypal.text.quantities import Bound, Quantity, QuantityKind, number_value

Role = Literal[
    "deadline", "retention", "lasting", "notice", "withdrawal", "frequency", "percent", "money", "measure", "age", "number", "date"
]  # fmt: skip
Side = Literal["max", "min"]


@dataclass(frozen=True, slots=True)
class Limit:
    """A number with what it measures; for rules also the side that must not be passed. ``nouns`` are the concepts of
    the things counted. ``end`` tells which end of a range it is."""

    role: Role
    value: float
    unit: str
    text: str
    side: Side = "max"
    trigger: bool = False
    nouns: frozenset[str] = frozenset()
    end: Literal["", "low", "high"] = ""


RETAINS = re.compile(
    r"\b(?:retain\w*|retention|keeps?|kept|keeping|stor(?:e[ds]?|ing|age)|held|holds?|archiv\w+|preserv\w+)\b", re.I
)
DELETES = re.compile(r"\b(?:delet\w+|eras\w+|destroy\w*|destruction|purg\w+|dispos\w+|anonymi[sz]\w+|shred\w*|(?:throw|thrown) away)\b", re.I)  # fmt: skip
_ON_REQUEST = re.compile(r"\b(?:requests?|instruction|notice|withdraw\w*|objection)\b", re.I)
_NOTICE = re.compile(
    r"^['’]?\s*(?:\w+ ){0,2}?(?:notice|notification period|before|prior to|previously|beforehand|in advance|ahead|earlier)\b",
    re.I,
)
_NOTICE_BEFORE = re.compile(r"\bnotice(?: period)? of(?: at least| not less than| a minimum of)?\s*$", re.I)
_AFTER_NOTICE = re.compile(
    r"^\s*(?:after|from)\b[^.;]{0,45}\b(?:told|tell|inform(?:ed)?|notif(?:y|ied)|notice|notification|announc\w*|letter|e-?mail)\b",
    re.I,
)
_WITHDRAWAL = re.compile(
    r"\bcool(?:ing)?[- ]off\b|\b(?:right to|may|can|able to|entitled to|option to)\s+(?:\w+ ){0,6}?(?:withdraw|cancel|terminate|return|object|appeal)\b|"
    r"\b(?:period|time|days|weeks|months) to (?:withdraw|cancel|terminate|object|appeal)\b",
    re.I,
)
_DEADLINE_LEAD = re.compile(
    r"\b(?:within|no later than|not later than|at the latest|before the end of|by)\s+(?:\w+ )?[(]?$", re.I
)
_FLOOR_VERB = re.compile(r"\b(?:maintain|hold|have|keep|ratio|buffer|coverage|own funds|capital|reserve)\w*\b", re.I)
_MODAL = re.compile(
    r"\b(?:must|shall|(?:is|are) (?:required|obliged|to)|should|ha(?:s|ve) to|needs? to|requires?|may|can)\b", re.I
)
_FINITE = re.compile(r"\b(?:is|are|has|have|will|do|does)\b", re.I)
_URGENT = re.compile(
    r"\b(?:immediately|without (?:any |undue )?delay|forthwith|on the same (?:business |working )?day|at once|straight away)\b",
    re.I,
)
_URGENT_DAYS = 2.0
"""What "immediately" still covers, in days; "without undue delay" alone sets no limit."""


def statement_measures(statement: Statement) -> tuple[Quantity, ...]:
    """The quantities of a statement, those that only a comparison needs included."""
    return measures(statement.text, statement.quantities)


@lru_cache(maxsize=8_192)
def rule_limits(rule: Statement) -> tuple[Limit, ...]:
    """The limits a rule sets, with the side that binds."""
    return tuple(_rule_limits(rule))


def _rule_limits(rule: Statement) -> Iterator[Limit]:
    quantities = statement_measures(rule)
    for quantity in quantities:
        role = _role(rule.text, quantity)
        partner = range_partner(rule.text, quantity, quantities)
        trigger = partner is None and role not in ("notice", "withdrawal") and _is_trigger(rule, quantity)
        side = ("min" if quantity.value < partner.value else "max") if partner else _side(rule, quantity, role, trigger)
        if side and not quantity.unbounded:
            yield Limit(role, quantity.value, quantity.unit, quantity.text, side, trigger, _nouns(rule.text, quantity))
    if not any(q.kind is QuantityKind.DURATION for q in quantities) and (urgent := _urgency(rule.text)):
        yield Limit("deadline", _URGENT_DAYS, "days", urgent)


def _urgency(text: str) -> str | None:
    found = [m.group() for m in _URGENT.finditer(text) if "undue" not in m.group().lower()]
    return found[0] if found else None


@lru_cache(maxsize=8_192)
def claim_values(claim: Statement) -> tuple[Limit, ...]:
    """The numbers a claim states. A claim's own bound does not matter: its outermost promise is its number."""
    return tuple(_claim_values(claim))


def _claim_values(claim: Statement) -> Iterator[Limit]:
    quantities = statement_measures(claim)
    for quantity in quantities:
        partner = range_partner(claim.text, quantity, quantities)
        yield Limit(
            _role(claim.text, quantity),
            quantity.value,
            quantity.unit,
            quantity.text,
            trigger=_is_trigger(claim, quantity),
            nouns=_nouns(claim.text, quantity),
            end="" if partner is None else "low" if quantity.value < partner.value else "high",
        )
    for match in _ONCE_ONLY.finditer(claim.text):
        yield Limit("frequency", 36525.0, "days", match.group())
    for match in _SINGLE.finditer(claim.text):
        yield Limit("number", 1.0, "", match.group(), nouns=_counted(match["what"]))


def _counted(words: str) -> frozenset[str]:
    named = frozenset(concepts(words))
    return named - GENERIC or named & _COUNTED


_ONCE_ONLY = re.compile(
    r"\b(?:only once|once only|one[- ]off|a single time|only (?:when|upon|on|at) (?:they )?(?:join\w*|induction|hire|hiring|recruitment|onboarding))\b",
    re.I,
)
_SINGLE = re.compile(r"\b(?:one|a single|only one)\s+(?P<what>(?!of\b|who\b|that\b|or\b|and\b|another\b)[a-z-]+(?:\s+[a-z-]+)?)", re.I)  # fmt: skip


def deadline_of(statement: Statement) -> Limit | None:
    """The deadline a rule sets in numbers, if any."""
    return next((x for x in rule_limits(statement) if x.role == "deadline" and x.side == "max"), None)


_NOUN_END = re.compile(
    r"[.,;:()]|\b(?:of|for|in|on|at|to|with|from|by|per|as|is|are|was|were|be|must|shall|may|can|will|has|have|and|or|who|whose|which|that|when|where|if|after|before|within|during|accompan\w+)\b",
    re.I,
)


def _nouns(text: str, quantity: Quantity) -> frozenset[str]:
    """The concepts of what a plain number counts: "two written reminders" counts reminders, written ones."""
    if quantity.kind is not QuantityKind.NUMBER or quantity.unit == AGE:
        return frozenset()
    tail = re.sub(r"^['’]?s?\s*(?:\(\s*\w+\s*\)\s*)?(?:or (?:more|fewer|less)\s+)?", "", text[quantity.end :])
    end = _NOUN_END.search(tail)
    words = (tail[: end.start()] if end else tail).split()[:4]
    return _counted(" ".join(words))


_COUNTED = frozenset(concepts("person people persons party"))


def _role(text: str, quantity: Quantity) -> Role:
    if quantity.kind is QuantityKind.NUMBER:
        return "age" if quantity.unit == AGE else "measure" if quantity.unit in _BASE_UNITS else "number"
    if quantity.kind is not QuantityKind.DURATION:
        return _ROLES[quantity.kind]
    before, after = text[: quantity.start], text[quantity.end :]
    if (
        _NOTICE.search(after)
        or _NOTICE_BEFORE.search(before)
        or re.search(r"\b(?:before|prior|previous)\b", quantity.text)
    ):
        return "notice"
    led = bool(_DEADLINE_LEAD.search(before))
    if not led and _AFTER_NOTICE.search(after):
        return "notice"
    if _WITHDRAWAL.search(text):
        return "withdrawal"
    if quantity.unbounded or (DELETES.search(text) and not (led and _ON_REQUEST.search(text))):
        return "retention"
    if not led and RETAINS.search(text):
        return "retention"
    return "lasting" if not led and _LASTS.search(before) else "deadline"


_LASTS = re.compile(
    r"\b(?:warranty|guarantee|validity|insurance|cover|protection|pause|rest|break|training|course|autonomy|supply|reserve|retention|storage)(?: period)?s? of(?: at least| no less than| not less than| a minimum of)?\s*$|"
    r"\bfor(?: an?| the)?(?: \w+)?(?: period of| duration of)?(?: at least| up to| at most| a (?:minimum|maximum) of| (?:no|not) (?:more|less|fewer|longer|shorter) than| more than| less than| over| only| some| another| a further)?\s*$",
    re.I,
)
_BASE_UNITS = frozenset(
    ("°c", "°f", "db", "km/h", "g/kg", "g/m3", "g/l", "g/km", "litre", "m2", "m", "g", "wh", "w", "v", "bar", "lux", "ppm", "sv", "‰")
)  # fmt: skip
_ROLES: dict[QuantityKind, Role] = {
    QuantityKind.FREQUENCY: "frequency",
    QuantityKind.PERCENT: "percent",
    QuantityKind.MONEY: "money",
    QuantityKind.DATE: "date",
}


def _side(rule: Statement, quantity: Quantity, role: Role, trigger: bool) -> Side | None:
    prohibited = rule.obligation is not None and rule.obligation.modality is Modality.PROHIBITED
    if trigger:
        return "min" if quantity.bound in (Bound.BELOW, Bound.AT_MOST) else "max"
    if role in ("notice", "withdrawal"):
        return "min"
    if role == "frequency":
        return "min" if _NOT_OFTENER.search(rule.text[: quantity.start]) and not _INTERVALS.search(rule.text) else "max"
    if role == "deadline" and prohibited and _WITHIN.search(rule.text[: quantity.start]):
        return "min"  # "must not refuse returns within 14 days" opens a window
    if role == "deadline":
        return (
            "min" if quantity.bound in (Bound.AT_LEAST, Bound.ABOVE) and not _ceiling(quantity, prohibited) else "max"
        )
    if role in ("retention", "lasting"):
        deleting = bool(DELETES.search(rule.text)) and not _NOT_DELETED.search(rule.text)
        upwards = quantity.bound in (Bound.AT_MOST, Bound.BELOW) or _ceiling(quantity, prohibited)
        return "max" if deleting or upwards else "min"
    if role == "age":
        return _age_side(quantity, prohibited)
    if role == "date":
        return "max" if _BY_DATE.search(rule.text[: quantity.start]) else None
    return _amount_side(rule, quantity, prohibited)


_NOT_OFTENER = re.compile(r"\b(?:(?:no|not) more (?:often )?than|at most|not oftener than|up to)(?: once)?\s*(?:in\s*)?$", re.I)  # fmt: skip
_BY_DATE = re.compile(r"\b(?:by|before|no later than|not later than|until|prior to)(?: the)?\s*$", re.I)
_WITHIN = re.compile(r"\b(?:within|during|for|in)(?: the| a)?(?: first| next)?(?: period of)?\s*$", re.I)
_INTERVALS = re.compile(r"\bintervals?\b", re.I)
_NOT_DELETED = re.compile(r"\b(?:not|never) (?:be )?(?:delet|eras|destroy|dispos)", re.I)


def _ceiling(quantity: Quantity, prohibited: bool) -> bool:
    """ "must not … for more than" limits upwards; "must not … earlier than" does not."""
    return prohibited and quantity.bound is Bound.ABOVE


def _age_side(quantity: Quantity, prohibited: bool) -> Side | None:
    if prohibited:
        return "min" if quantity.bound in (Bound.BELOW, Bound.AT_MOST) else None
    return "min" if quantity.bound in (Bound.AT_LEAST, Bound.ABOVE) else None


def _amount_side(rule: Statement, quantity: Quantity, prohibited: bool) -> Side | None:
    """Amounts: "must not … more than" is a ceiling, "of at least" a floor, "one … for every ten" a ratio."""
    if quantity.kind is QuantityKind.NUMBER and _RATIO.search(rule.text[: quantity.start]):
        return "max"
    if prohibited and quantity.bound in (Bound.ABOVE, Bound.AT_LEAST, Bound.UNSTATED):
        return None if quantity.bound is Bound.UNSTATED else ("min" if _never_below(rule, quantity) else "max")
    if quantity.bound is Bound.AT_MOST:
        return "max"
    if quantity.bound in (Bound.ABOVE, Bound.AT_LEAST):
        return "min"
    if quantity.bound is Bound.BELOW:
        return "min" if prohibited else "max"
    return (
        "min" if _FLOOR_VERB.search(rule.text) or quantity.kind in (QuantityKind.NUMBER, QuantityKind.PERCENT) else None
    )


_RATIO = re.compile(r"\b(?:at least|no fewer than|a minimum of)\s+(?:one|an?|1)\b.*\b(?:for|per|to)\s+(?:every\s+|each\s+)?$", re.I)  # fmt: skip


def _never_below(rule: Statement, quantity: Quantity) -> bool:
    return bool(re.search(r"\bnot (?:be |fall )?(?:less|fewer|lower|below)", rule.text[: quantity.start], re.I))


def _is_trigger(statement: Statement, quantity: Quantity) -> bool:
    """Whether the number selects what the clause is about rather than limiting it."""
    if quantity.bound is Bound.UNSTATED and not _FROM.search(statement.text[: quantity.start]):
        return False
    if quantity.kind is QuantityKind.FREQUENCY or quantity.unit == AGE:
        return False
    if quantity.kind is QuantityKind.DURATION and quantity.bound is Bound.AT_MOST:
        return False
    modal = _MODAL.search(statement.text) or _FINITE.search(statement.text)
    if modal and quantity.start < modal.start():
        return _selects_subject(statement.text, quantity)
    tail = statement.text[modal.end() if modal else 0 : quantity.start]
    if _SELECTS.search(tail) or (quantity.bound is Bound.AT_LEAST and _CASES_OF.search(tail)):
        return True
    floor = _FLOOR_VERB.search(tail)
    prohibited = bool(re.match(r"\s*(?:not|never)\b", tail))
    above = quantity.bound is Bound.ABOVE and floor is None and not prohibited and modal is not None
    return above and quantity.kind is QuantityKind.MONEY


def _selects_subject(text: str, quantity: Quantity) -> bool:
    """ "At least 95% of assets must …" counts its subject; "Transactions of at least … must" selects it."""
    lead = text[: quantity.start]
    if _A_SINGLE_THING.search(lead) and not _SELECTS.search(lead):
        return False
    if _LEADING_FLOOR.search(lead) or (
        quantity.kind is QuantityKind.DURATION and re.search(r"\bwithin\s+$", lead, re.I)
    ):
        return False
    return (
        quantity.kind is not QuantityKind.NUMBER or quantity.bound is not Bound.AT_LEAST or bool(_SELECTS.search(lead))
    )


_A_SINGLE_THING = re.compile(
    r"^\W*(?:(?:an?|the) (?:[\w-]+ ){1,4}|(?:[\w-]+ )?[\w-]*[^s\W] )of (?:at least|not less than|no less than|a minimum of) $",
    re.I,
)
_FROM = re.compile(r"\bfrom (?:(?:an? )?(?:amount|value|sum|threshold) of )?$", re.I)
_SELECTS = re.compile(
    r"\b(?:when(?:ever)?|where|if|in case|that (?:is|are|amounts?|exceeds?|ha(?:s|ve))|which|who|whose|holding|owning|causing|involving|amounting|worth|valued|with an? (?:[\w-]+ ){1,3}?(?:of|above|over|exceeding|below|under|from)|from (?:an? )?(?:amount|value)|with (?:more|fewer|less|at least|over|under))\b[^,;]*$",
    re.I,
)
_CASES_OF = re.compile(
    r"\b(?:for|on|upon|in (?:the )?(?:case|event) of|following) (?!(?:an? |the )?(?:minimum|maximum|period|total|further|term)\b)(?:[\w-]+ ){1,4}of\s*$",
    re.I,
)
_LEADING_FLOOR = re.compile(
    r"^\W*(?:[\d.()]+\s+)?(?:at least|no less than|not less than|no fewer than|not fewer than|a minimum of)\s*$", re.I
)


_DURATIONS = ("deadline", "retention", "lasting")


def _same_role(said: Role, ruled: Role) -> bool:
    """A plain "for six months" may stand beside a deadline or a retention period."""
    return said == ruled or ("lasting" in (said, ruled) and said in _DURATIONS and ruled in _DURATIONS)


def same_thing(said: Limit, limit: Limit) -> bool:
    """Whether a claim's number and a rule's limit measure the same."""
    if (
        not _same_role(said.role, limit.role)
        or (said.end == "low" and limit.side == "max")
        or (said.end == "high" and limit.side == "min")
    ):
        return False
    if said.role in _DURATIONS and said.trigger != limit.trigger:
        return False
    if said.role in ("money", "measure", "date"):
        return said.unit == limit.unit
    return said.role != "number" or bool(said.nouns & limit.nouns) or _counts_same(said, limit)


def _counts_same(said: Limit, limit: Limit) -> bool:
    """Inflected forms of one noun."""
    return bool(said.unit) and bool(limit.unit) and number_value(said.unit) is None and said.unit[:4] == limit.unit[:4]
