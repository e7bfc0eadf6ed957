"""Numbers of a claim against the limits of a rule: deadlines, retention, frequencies, ratios, amounts (A4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from policypal.services.audit.pairs import Conflict, Nature, Pair
from policypal.services.audit.reading import Statement
from policypal.services.audit.vocabulary import concepts
from policypal.services.obligations import Modality
from policypal.services.quantities import Bound, Quantity, QuantityKind, number_value
from policypal.services.retrieval.terms import terms

Role = Literal["deadline", "retention", "notice", "withdrawal", "frequency", "percent", "money", "number", "date"]
Side = Literal["max", "min"]

_TOLERANCE = 1.04
"""A month is 28 to 31 days; differences below 4 % are none."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A number with what it measures; for rules also the side that must not be passed."""

    role: Role
    value: float
    unit: str
    text: str
    side: Side = "max"


_RETAIN = re.compile(
    r"\b(?:retain\w*|retention|keeps?|kept|keeping|stor(?:e[ds]?|ing|age)|held|holds?|archiv\w+|preserv\w+)\b", re.I
)
_DELETE = re.compile(r"\b(?:delet\w+|eras\w+|destroy\w*|destruction|purg\w+|dispos\w+|anonymi[sz]\w+|shred\w*)\b", re.I)
_ON_REQUEST = re.compile(r"\b(?:requests?|instruction|notice|withdraw\w*|objection)\b", re.I)
_NOTICE = re.compile(
    r"^['’]?\s*(?:\w+ ){0,2}?(?:notice|notification period|before|prior to|in advance|ahead of)\b", re.I
)
_NOTICE_BEFORE = re.compile(r"\bnotice(?: period)? of(?: at least| not less than| a minimum of)?\s*$", re.I)
_AFTER_NOTICE = re.compile(
    r"^\s*(?:after|from)\b[^.;]{0,45}\b(?:told|informed|notified|notice|notification|announce\w*)\b", re.I
)
_WITHDRAWAL = re.compile(
    r"\bcool(?:ing)?[- ]off\b|\b(?:right to|may|can|entitled to|option to)\s+(?:\w+ )?(?:withdraw|cancel|terminate|return|object|appeal)\b",
    re.I,
)
_DEADLINE_LEAD = re.compile(
    r"\b(?:within|no later than|not later than|at the latest|before the end of|by)\s+(?:\w+ )?[(]?$", re.I
)
_FLOOR_VERB = re.compile(r"\b(?:maintain|hold|have|keep|ratio|buffer|coverage|own funds|capital|reserve)\w*\b", re.I)


def limit_conflict(pair: Pair) -> Conflict | None:
    """The number of the claim that lies outside the rule's limit for the same thing. Where a claim states several
    such numbers, one that keeps the limit settles it unless the rule's words stand nearer to another."""
    beside = comparable(pair.claim, pair.rule)
    for role in dict.fromkeys(limit.role for _, limit in beside):
        outside = [(s, x) for s, x in beside if x.role == role and _outside(s.value, x)]
        kept = [(s, x) for s, x in beside if x.role == role and not _outside(s.value, x)]
        if outside and not (kept and _nearness(pair, outside) <= _nearness(pair, kept)):
            said, limit = max(outside, key=lambda o: _nearness(pair, [o]))
            return Conflict(_nature(limit), said.text, limit.text, min(1.0, 0.55 + pair.relation / 2))
    return None


def _nearness(pair: Pair, beside: list[tuple[Limit, Limit]]) -> float:
    """How much the words that lead up to either number share with the other side."""
    best = 0.0
    for said, limit in beside:
        ours, theirs = _leading(pair.claim.text, said.text), _leading(pair.rule.text, limit.text)
        both = pair.weights.share(ours, pair.rule_concepts) + pair.weights.share(theirs, pair.claim_concepts)
        best = max(best, both)
    return best


def _leading(text: str, number: str) -> frozenset[str]:
    at = max(text.find(number), 0)
    begin = max(text.rfind(mark, 0, at) for mark in (", ", "; ", " and ", " but "))
    return frozenset(
        concepts(text[max(begin, 0) : at] + text[at + len(number) : at + len(number) + 40].split(" and ")[0])
    )


def comparable(claim: Statement, rule: Statement) -> list[tuple[Limit, Limit]]:
    """Numbers of the claim beside the rule's limits for the same thing."""
    limits, values = list(rule_limits(rule)), list(claim_values(claim))
    beside = [(said, limit) for said in values for limit in limits if _same_thing(said, limit)]
    met = [(said, limit) for said, limit in beside if said.value == limit.value and len(beside) > 1]
    open_pairs = [(s, x) for s, x in beside if not any(s is said or x is limit for said, limit in met)]
    return open_pairs or beside


def rule_limits(rule: Statement) -> Iterator[Limit]:
    """The limits a rule sets, with the side that binds."""
    for quantity in rule.quantities:
        role = _role(rule.text, quantity)
        side = _side(rule, quantity, role)
        if side and not quantity.unbounded:
            yield Limit(role, quantity.value, quantity.unit, quantity.text, side)
    if not any(q.kind is QuantityKind.DURATION for q in rule.quantities) and (urgent := _URGENT.search(rule.text)):
        yield Limit("deadline", _URGENT_DAYS, "days", urgent.group())


_URGENT = re.compile(
    r"\b(?:immediately|without (?:any )?delay|forthwith|on the same (?:business |working )?day|at once)\b", re.I
)
_URGENT_DAYS = 2.0
"""What "immediately" still covers, in days."""


def claim_values(claim: Statement) -> Iterator[Limit]:
    """The numbers a claim states. A claim's own bound does not matter: its outermost promise is its number."""
    for quantity in claim.quantities:
        yield Limit(_role(claim.text, quantity), quantity.value, quantity.unit, quantity.text)
    for match in _ONCE_ONLY.finditer(claim.text):
        yield Limit("frequency", 36525.0, "days", match.group())


_ONCE_ONLY = re.compile(
    r"\b(?:only once|once only|one[- ]off|a single time|only (?:when|upon|on|at) (?:they )?(?:join\w*|induction|hire|hiring|recruitment|onboarding))\b",
    re.I,
)


def batch_conflict(pair: Pair) -> Conflict | None:
    """Reporting in rounds ("every month") that are rarer than the deadline for each report."""
    if "notify" not in pair.shared | (pair.claim_concepts & pair.rule_concepts):
        return None
    ruled = has_deadline(pair.rule)
    rounds = [v for v in claim_values(pair.claim) if v.role == "frequency"]
    timed = any(v.role == "deadline" for v in claim_values(pair.claim)) or _URGENT.search(pair.claim.text)
    if ruled is None or not rounds or timed or any(x.role == "frequency" for x in rule_limits(pair.rule)):
        return None
    late = rounds[0].value > ruled.value * _TOLERANCE
    return Conflict(Nature.DEADLINE, rounds[0].text, ruled.text, 0.6) if late and pair.relation >= 0.45 else None


def has_deadline(statement: Statement) -> Limit | None:
    """The deadline a rule sets in numbers, if any."""
    return next((x for x in rule_limits(statement) if x.role == "deadline" and x.side == "max"), None)


def _role(text: str, quantity: Quantity) -> Role:
    if quantity.kind is not QuantityKind.DURATION:
        return _ROLES[quantity.kind]
    before, after = text[: quantity.start], text[quantity.end :]
    if _NOTICE.search(after) or _NOTICE_BEFORE.search(before):
        return "notice"
    led = bool(_DEADLINE_LEAD.search(before))
    if not led and _AFTER_NOTICE.search(after):
        return "notice"
    if _WITHDRAWAL.search(text):
        return "withdrawal"
    if quantity.unbounded or (_DELETE.search(text) and not (led and _ON_REQUEST.search(text))):
        return "retention"
    return "retention" if _RETAIN.search(text) and not led else "deadline"


_ROLES: dict[QuantityKind, Role] = {
    QuantityKind.FREQUENCY: "frequency",
    QuantityKind.PERCENT: "percent",
    QuantityKind.MONEY: "money",
    QuantityKind.NUMBER: "number",
    QuantityKind.DATE: "date",
}


def _side(rule: Statement, quantity: Quantity, role: Role) -> Side | None:
    prohibited = rule.obligation is not None and rule.obligation.modality is Modality.PROHIBITED
    if role in ("notice", "withdrawal"):
        return "min"
    if role == "frequency":
        return "max"
    if role == "deadline":
        return "min" if quantity.bound in (Bound.AT_LEAST, Bound.ABOVE) and not prohibited else "max"
    if role == "retention":
        deleting = bool(_DELETE.search(rule.text)) and not re.search(
            r"\b(?:not|never) (?:be )?(?:delet|eras|destroy|dispos)", rule.text
        )
        return "max" if deleting or quantity.bound in (Bound.AT_MOST, Bound.BELOW) else "min"
    if role == "date":
        return None
    return _amount_side(rule, quantity, prohibited)


def _amount_side(rule: Statement, quantity: Quantity, prohibited: bool) -> Side | None:
    """Amounts: "must not … more than" is a ceiling; "exceeding X must be reported" is a trigger that a claim may
    only lower; "of at least" is a floor."""
    if prohibited and quantity.bound in (Bound.ABOVE, Bound.AT_LEAST, Bound.UNSTATED):
        return None if quantity.bound is Bound.UNSTATED else ("min" if _never_below(rule, quantity) else "max")
    if quantity.bound is Bound.AT_MOST:
        return "max"
    if quantity.bound in (Bound.ABOVE, Bound.AT_LEAST) and _is_trigger(rule, quantity):
        return "max"
    if quantity.bound is Bound.AT_LEAST:
        return "min"
    if prohibited and quantity.bound is Bound.BELOW:
        return "min"
    counted = quantity.kind in (QuantityKind.NUMBER, QuantityKind.PERCENT)
    if quantity.bound is Bound.UNSTATED and (_FLOOR_VERB.search(rule.text) or counted):
        return "min"
    return None


def _never_below(rule: Statement, quantity: Quantity) -> bool:
    return bool(re.search(r"\bnot (?:be |fall )?(?:less|fewer|lower|below)", rule.text[: quantity.start], re.I))


def _is_trigger(rule: Statement, quantity: Quantity) -> bool:
    if quantity.kind is QuantityKind.NUMBER and quantity.bound is Bound.AT_LEAST:
        return False
    modal = re.search(r"\b(?:must|shall|is required|are required|should|has to|have to)\b", rule.text)
    if modal and quantity.start < modal.start():
        # "At least 95% of assets must …" counts its subject; "Transactions of at least … must" selects it.
        return not _LEADING_FLOOR.search(rule.text[: quantity.start])
    tail = rule.text[modal.end() if modal else 0 : quantity.start]
    floor = _FLOOR_VERB.search(tail)
    return quantity.bound is Bound.ABOVE and floor is None and quantity.kind is QuantityKind.MONEY


_LEADING_FLOOR = re.compile(
    r"^\W*(?:[\d.()]+\s+)?(?:at least|no less than|not less than|no fewer than|not fewer than|a minimum of)\s*$", re.I
)


def _same_thing(said: Limit, limit: Limit) -> bool:
    if said.role != limit.role:
        return False
    if said.role == "money":
        return said.unit == limit.unit
    return (
        said.role != "number"
        or (bool(said.unit) and terms(said.unit) == terms(limit.unit))
        or _counts_same(said, limit)
    )


def _counts_same(said: Limit, limit: Limit) -> bool:
    """ "three independent members" against "two members" is left to the topic; only the first noun is known."""
    return bool(said.unit) and bool(limit.unit) and number_value(said.unit) is None and said.unit[:4] == limit.unit[:4]


def _outside(value: float, limit: Limit) -> bool:
    exact = limit.role in ("percent", "money", "number")
    slack = 1.0 if exact else _TOLERANCE
    return value > limit.value * slack if limit.side == "max" else value < limit.value / slack


def _nature(limit: Limit) -> Nature:
    if limit.role in ("deadline", "notice", "withdrawal"):
        return Nature.DEADLINE
    if limit.role == "retention":
        return Nature.RETENTION
    return Nature.FREQUENCY if limit.role == "frequency" else Nature.LIMIT


_NECESSITY = re.compile(
    r"\bno longer than\b|\b(?:only )?(?:for )?as long as (?:is |are |it is )?(?:necessary|needed|required)|"
    r"\b(?:delet\w+|eras\w+|destroy\w*|dispos\w+|anonymi[sz]\w+)\b.{0,80}\b(?:no longer|when|once|after|as soon as)\b|"
    r"\bretention (?:period|schedule|limit)s?\b|\bstorage limitation\b|\bnot (?:be )?(?:kept|retained|stored|held) (?:for )?(?:any )?longer\b",
    re.I,
)
_STRICT_NECESSITY = re.compile(
    r"\b(?:no|not)\b.{0,25}\blonger than\b|\bas long as (?:is |are )?(?:necessary|needed)", re.I
)


def unbounded_conflict(pair: Pair) -> Conflict | None:
    """Keeping without an end where the rule sets one, in a number or by necessity."""
    said = next((q for q in pair.claim.quantities if q.unbounded), None)
    if said is None or not (_RETAIN.search(pair.claim.text) or _DELETE.search(said.text)):
        return None
    ruled = _NECESSITY.search(pair.rule.text)
    limited = next((x for x in rule_limits(pair.rule) if x.role == "retention"), None)
    if limited is not None:
        return Conflict(Nature.UNBOUNDED, said.text, limited.text, 0.85) if limited.side == "max" else None
    if ruled is None or not (_RETAIN.search(pair.rule.text) or _DELETE.search(pair.rule.text)):
        return None
    strength = 0.9 if _STRICT_NECESSITY.search(pair.rule.text) else 0.6
    return Conflict(Nature.UNBOUNDED, said.text, ruled.group(), strength)
