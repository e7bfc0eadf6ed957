"""Words that exclude each other, and conditions a claim drops (A4)."""

from __future__ import annotations

import re

from policypal.audit.opposites import OPPOSITES
from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.audit.polarity import polarity
from policypal.gate.vocabulary import GENERIC, concepts

_MIN_RELATION = 0.36
_LEAST_RELATION = 0.28
_CLOSE_RELATION = 0.45


def contrast_conflict(pair: Pair) -> Conflict | None:
    """Words that exclude each other, such as "in writing" and "orally"."""
    if (
        pair.relation < (_LEAST_RELATION if pair.mutual else _MIN_RELATION)
        or pair.rule.obligation is None
        or not pair.shared
    ):
        return None
    if not pair.mutual and pair.relation < _CLOSE_RELATION:
        return None
    for wanted, excluded in OPPOSITES:
        ruled, said = wanted.search(pair.rule.text), excluded.search(pair.claim.text)
        if ruled and said and not _denies(pair.claim.full) and not _denies(pair.rule.full):
            if wanted.search(pair.claim.text.replace(said.group(), "")):
                continue
            return Conflict(Nature.CONTRAST, said.group(), ruled.group(), min(1.0, 0.45 + pair.relation / 2))
    return None


def _denies(text: str) -> bool:
    """Whether anything but a price is denied."""
    return any("charge" not in denial.scope for denial in polarity(text).denials)


_CONDITION = re.compile(
    r"\bonly (?:with|if|after|once|where|when|on|upon|following|under|against|to (?:those |persons |people |\w+ )?(?:who|that|which))\b(?P<x>[^.;]*)|"
    r"\b(?:unless|provided that|on condition that|subject to)\b(?P<y>[^.;,]*)",
    re.I,
)
_IN_ANY_CASE = re.compile(
    r"\b(?:whether or not|regardless of(?: whether)?|irrespective of(?: whether)?|no matter (?:if|whether)|even (?:if|where|when|without)|by default|automatically|without)\b(?P<x>[^.;]*)",
    re.I,
)


def dropped_condition(pair: Pair) -> Conflict | None:
    """The rule allows something only on a condition; the claim does it whether or not that is met."""
    if pair.relation < _MIN_RELATION or pair.rule.obligation is None or not pair.shared:
        return None
    condition, anyway = _CONDITION.search(pair.rule.text), _IN_ANY_CASE.search(pair.claim.text)
    if condition is None or anyway is None or _IN_ANY_CASE.search(pair.rule.text):
        return None
    wanted = frozenset(concepts(condition["x"] or condition["y"] or "")) - GENERIC
    named = frozenset(concepts(anyway["x"])) - GENERIC
    if not wanted & named or re.search(r"\b(?:not|never|nobody|no)\b", pair.claim.text[: anyway.start()], re.I):
        return None
    return Conflict(
        Nature.PROHIBITED, anyway.group().strip(), condition.group().strip(), min(1.0, 0.45 + pair.relation / 2)
    )


_EXCLUSIVE = re.compile(
    r"\bonly (?:be \w+ )?by (?P<a>(?:[\w-]+ ?){1,5})|\bby (?P<b>(?:[\w-]+ ){1,5})only\b|^\W*only (?P<c>(?:[\w-]+ ){1,5}?)(?:may|shall|must|can|is|are)\b",
    re.I,
)
_ANYBODY = re.compile(
    r"\b(?:any(?:one|body)?|every(?:one|body)?|all|each|himself|herself|themselves|ourselves|yourself|(?:our|their|its|your) own)\b",
    re.I,
)


def exclusive_conflict(pair: Pair) -> Conflict | None:
    """The rule reserves an act for somebody ("only by the inspector"); the claim has anybody do it."""
    if not pair.mutual or pair.relation < _MIN_RELATION or pair.rule.obligation is None:
        return None
    reserved, anybody = _EXCLUSIVE.search(pair.rule.text), _ANYBODY.search(pair.claim.text)
    if reserved is None or anybody is None or _denies(pair.claim.full):
        return None
    agent = frozenset(concepts(reserved["a"] or reserved["b"] or reserved["c"] or "")) - GENERIC
    if not agent or agent & pair.claim_concepts:
        return None
    return Conflict(Nature.CONTRAST, pair.claim.text, reserved.group().strip(), min(1.0, 0.4 + pair.relation / 2))
