"""Numbers of a claim that break the limits of a rule (A4)."""

from __future__ import annotations

import re

from policypal.audit.limits import DELETES, RETAINS, Limit, claim_values, deadline_of, rule_limits, same_thing
from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.audit.reading import Statement
from policypal.gate.recipients import different_recipients
from policypal.gate.vocabulary import concepts

_TOLERANCE = 1.04
"""A month is 28 to 31 days; differences below 4 % are none."""


def limit_conflict(pair: Pair) -> Conflict | None:
    """The number of the claim that lies outside the rule's limit for the same thing. Where a claim states several
    such numbers, one that keeps the limit settles it unless the rule's words stand nearer to another."""
    beside = comparable(pair.claim, pair.rule)
    for role in dict.fromkeys((limit.role, limit.side) for _, limit in beside):
        ours = [(s, x) for s, x in beside if (x.role, x.side) == role]
        if role[0] == "deadline" and different_recipients(pair.claim.text, pair.rule.text):
            continue
        outside = [(s, x) for s, x in ours if is_outside(s.value, x)]
        kept = [(s, x) for s, x in ours if not is_outside(s.value, x)]
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
    limits, values = rule_limits(rule), claim_values(claim)
    beside = [(said, limit) for said in values for limit in limits if same_thing(said, limit)]
    met = [(said, limit) for said, limit in beside if said.value == limit.value and len(beside) > 1]
    open_pairs = [(s, x) for s, x in beside if not any(s is said or x is limit for said, limit in met)]
    return open_pairs or beside


def is_outside(value: float, limit: Limit) -> bool:
    """Whether a claim's number lies on the wrong side of a rule's limit."""
    exact = limit.role in ("percent", "money", "number", "measure", "age", "date")
    slack = 1.0 if exact else _TOLERANCE
    return value > limit.value * slack if limit.side == "max" else value < limit.value / slack


def _nature(limit: Limit) -> Nature:
    if limit.role in ("deadline", "notice", "withdrawal", "date"):
        return Nature.DEADLINE
    if limit.role == "retention":
        return Nature.RETENTION
    return Nature.FREQUENCY if limit.role == "frequency" else Nature.LIMIT


_URGENT = re.compile(
    r"\b(?:immediately|without (?:any )?delay|forthwith|on the same (?:business |working )?day|at once)\b", re.I
)


def batch_conflict(pair: Pair) -> Conflict | None:
    """Reporting in rounds ("every month") that are rarer than the deadline for each report."""
    if "notify" not in pair.shared | (pair.claim_concepts & pair.rule_concepts):
        return None
    ruled = deadline_of(pair.rule)
    rounds = [v for v in claim_values(pair.claim) if v.role == "frequency"]
    timed = any(v.role == "deadline" for v in claim_values(pair.claim)) or _URGENT.search(pair.claim.text)
    told_apart = different_recipients(pair.claim.text, pair.rule.text)
    if ruled is None or not rounds or timed or told_apart or any(x.role == "frequency" for x in rule_limits(pair.rule)):
        return None
    late = rounds[0].value > ruled.value * _TOLERANCE
    return Conflict(Nature.DEADLINE, rounds[0].text, ruled.text, 0.6) if late and pair.relation >= 0.45 else None


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
    if said is None or not (RETAINS.search(pair.claim.text) or DELETES.search(said.text)):
        return None
    ruled = _NECESSITY.search(pair.rule.text)
    limited = next((x for x in rule_limits(pair.rule) if x.role == "retention"), None)
    if limited is not None:
        return Conflict(Nature.UNBOUNDED, said.text, limited.text, 0.85) if limited.side == "max" else None
    if ruled is None or not (RETAINS.search(pair.rule.text) or DELETES.search(pair.rule.text)):
        return None
    strength = 0.9 if _STRICT_NECESSITY.search(pair.rule.text) else 0.6
    return Conflict(Nature.UNBOUNDED, said.text, ruled.group(), strength)
