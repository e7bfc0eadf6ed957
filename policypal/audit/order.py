"""What comes first: a rule wants something before an event, a claim does it after (A4)."""

from __future__ import annotations

import re

from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.audit.polarity import polarity
from policypal.gate.vocabulary import GENERIC, concepts

_EVENT = r"\b(?P<x>(?:\s+\S+){0,8})"
_BEFORE = re.compile(rf"\b(?:before|prior to|until|in advance of|ahead of){_EVENT}", re.I)
_PRIOR = re.compile(r"\b(?:prior|advance|beforehand|ex[- ]ante)\b", re.I)
_AFTER = re.compile(rf"\b(?:after|afterwards|following|subsequently|retrospectively|retroactively|ex[- ]post|once|within (?:\S+ ){{1,3}}?of){_EVENT}", re.I)  # fmt: skip
_AFTERWARDS = re.compile(r"^(?:afterwards|subsequently|retrospectively|retroactively)$", re.I)
_NOT_UNTIL = re.compile(rf"\b(?:only (?:after|once|when|following)|(?:suspend|withhold|withheld|postpone|defer|block|hold|wait)\w*\b[^.;]*?\buntil|(?:not|never|no)\b[^.;]*?\b(?:until|before|prior to)){_EVENT}", re.I)  # fmt: skip
_AHEAD = re.compile(
    rf"\b(?:before|prior to|ahead of|without (?:waiting|awaiting)(?: for)?|in anticipation of){_EVENT}", re.I
)
_THEN = re.compile(r"\b(?:and|but)?\s*(?:only )?(?:then|afterwards|subsequently|later(?: on)?)\b", re.I)
_MEASURED = re.compile(r"\b(?:hours?|days?|weeks?|months?|years?) (?:before|prior to|until)$", re.I)
_MIN_RELATION = 0.36


def order_conflict(pair: Pair) -> Conflict | None:
    """The rule wants something done before an event, the claim does it after that event; or the reverse."""
    if pair.relation < _MIN_RELATION:
        return None
    words = _late(pair) or _early(pair) or _sequence(pair)
    if words is None:
        return None
    said, ruled = words
    return Conflict(Nature.ORDER, said.strip(" .,;"), ruled.strip(" .,;"), min(1.0, 0.5 + pair.relation / 2))


def _late(pair: Pair) -> tuple[str, str] | None:
    before, after = _BEFORE.search(pair.rule.text), _AFTER.search(pair.claim.text)
    if not after or not (before or _PRIOR.search(pair.rule.text)) or _BEFORE.search(pair.claim.text):
        return None
    event = frozenset(concepts(before["x"])) if before else pair.rule_concepts
    done_first = pair.rule_concepts - event if before else frozenset()
    named = frozenset(concepts(after["x"]))
    later = named - GENERIC or named
    alone = bool(_AFTERWARDS.match(after.group().split()[0]))
    if not alone and (not later & event or pair.weights.total(later & done_first) >= pair.weights.total(later & event)):
        return None
    return after.group(), before.group() if before else pair.rule.text


def _early(pair: Pair) -> tuple[str, str] | None:
    """The rule waits for an event ("only after", "not … until"), the claim acts before it."""
    waits, ahead = _NOT_UNTIL.search(pair.rule.text), _AHEAD.search(pair.claim.text)
    if not waits or not ahead or polarity(pair.claim.text).denials or re.search(r"\bonly\b", pair.claim.text, re.I):
        return None
    if _MEASURED.search(pair.rule.text[: waits.start("x")]):
        return None
    event, sooner = frozenset(concepts(waits["x"])) - GENERIC, frozenset(concepts(ahead["x"])) - GENERIC
    same = event & sooner and pair.weights.share(sooner, event) >= 0.4
    return (ahead.group(), waits.group()) if same else None


def _halves(text: str, then: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What is done before and after the word of sequence, which may also close the second half ("… and check it later")."""
    cut = then.start()
    if len(text[then.end() :].split()) < 2:
        cut = max(text.rfind(mark, 0, then.start()) for mark in (" and ", "; ", ", "))
    return frozenset(concepts(text[: max(cut, 0)])) - GENERIC, frozenset(concepts(text[max(cut, 0) :])) - GENERIC


def _sequence(pair: Pair) -> tuple[str, str] | None:
    """ "They recommend the product and then assess it": the two halves stand in the wrong order."""
    before, then = _BEFORE.search(pair.rule.text), _THEN.search(pair.claim.text)
    if not before or not then or not pair.mutual:
        return None
    event = frozenset(concepts(before["x"])) - GENERIC
    act = pair.rule_concepts - event - GENERIC
    first, second = _halves(pair.claim.text, then)
    swapped = first & event and second & act - event and not (second & event - first)
    return (pair.claim.text[then.start() :], before.group()) if swapped and not first & act - second else None
