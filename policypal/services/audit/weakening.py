"""Claims that say less than the rule: "may" for "must", exceptions, open-ended deadlines (A4)."""

from __future__ import annotations

import re

from policypal.services.audit.limits import has_deadline
from policypal.services.audit.pairs import Conflict, Nature, Pair
from policypal.services.audit.polarity import polarity
from policypal.services.audit.vocabulary import GENERIC, concepts
from policypal.services.obligations import Modality, bound_party
from policypal.services.quantities import QuantityKind

_WEAK_MODAL = re.compile(
    r"\b(?P<modal>(?-i:may)|might|should|ought to|(?:is|are) (?:encouraged|recommended|advised|invited|expected) to|"
    r"tr(?:y|ies) to|should try to|aims? to|seeks? to|endeavou?rs? to|strives? to|intends? to|hopes? to)\b(?! not\b)\s+(?P<verb>(?:be |also |normally |generally |try to |ideally )*)(?P<rest>[\w-]+(?:\s+[\w-]+){0,2})",
    re.I,
)
_HEDGE = re.compile(
    r"\b(?:(?:where|when|wherever|whenever|if|as far as|to the extent)(?: (?:it is|this is|reasonably|they|commercially))* "
    r"(?:possible|practicable|practical|feasible|convenient|desired|useful|workable)|"
    r"(?:where|when|if|as) (?:\w+ )?(?:resources|time|capacity|budgets?|workload)s? (?:permits?|allows?|is available|are available)|"
    r"(?:when|if|where) (?:their|the|our) (?:workload|schedule|time|budget) (?:permits?|allows?)|at (?:the|their|its|our) (?:own |sole )?discretion|"
    r"on a (?:best[- ]efforts?|voluntary) basis|best efforts|(?:if|where|when) (?:the |their |our |an? )?[\w-]+(?: [\w-]+)? (?:feels?|thinks?|considers?|believes?|deems?|sees? fit|wish(?:es)?|wants?|likes?)|"
    r"(?:is|are|be) (?:optional|voluntary|recommended|encouraged|desirable|discretionary)|ideally|optionally)\b",
    re.I,
)
_ASIDE = re.compile(r"\b(?:includ\w+|describ\w+|contain\w*|such as|a description of)\b[^.;]{0,60}$", re.I)
_OTHER_PARTY = re.compile(r"^\W*(?:the |each |any |a |our |all )*(?:customers?|clients?|complainants?|complaints?|consumers?|data subjects?|individuals?|policy ?holders?|patients?|investors?|applicants?|authority|regulators?)\b", re.I)  # fmt: skip
_MIN_RELATION = 0.38


def weakened_conflict(pair: Pair) -> Conflict | None:
    """The claim leaves to choice or convenience what the rule requires."""
    if not _binds(pair) or pair.relation < _MIN_RELATION or not pair.shared:
        return None
    said = _weak_words(pair)
    if said is None:
        return None
    return Conflict(Nature.WEAKENED, said, _must(pair.rule.text), min(1.0, 0.4 + pair.relation / 2))


def _weak_words(pair: Pair) -> str | None:
    text = pair.claim.text
    hedge = _HEDGE.search(text)
    if hedge and not _HEDGE.search(pair.rule.text) and not _ASIDE.search(text[: hedge.start()]):
        return hedge.group()
    for match in _WEAK_MODAL.finditer(text):
        if _acts(match, pair) and not _may_already(match["modal"], pair.rule.text):
            return f"{match['modal']} {match['verb']}{match['rest']}"
    return None


def _acts(match: re.Match[str], pair: Pair) -> bool:
    """Whether the weak verb is the one the rule requires, and not somebody else's right or a mere possibility."""
    lead = match.string[: match.start()]
    if (
        _OTHER_PARTY.match(match.string)
        or _another_party(pair)
        or re.search(r"\b(?:that|which|who|if|where|when)\b[^,;]*$", lead, re.I)
    ):
        return False
    verb = concepts(match["rest"])[:1]
    return bool(verb) and verb[0] in pair.rule_concepts and (verb[0] not in GENERIC or pair.relation > 0.5)


def _another_party(pair: Pair) -> bool:
    """Whether the claim is about somebody the rule names without binding ("assist the controller")."""
    mine = frozenset(concepts(bound_party(pair.claim.text)))
    bound = frozenset(concepts(pair.rule.obligation.party)) if pair.rule.obligation else frozenset()
    return bool(mine & pair.rule_concepts) and not mine & bound and bool(bound)


def _may_already(modal: str, rule: str) -> bool:
    return modal.lower() in ("may", "should") and bool(re.search(rf"\b{modal}\b(?! not)", rule, re.I))


def _binds(pair: Pair) -> bool:
    return pair.rule.obligation is not None and pair.rule.obligation.modality is Modality.REQUIRED


def _must(text: str) -> str:
    match = re.search(r"\b(?:must|shall|(?:is|are) required to|ha(?:s|ve) to|needs? to)\b(?:\s+\S+){0,6}", text, re.I)
    return match.group().rstrip(" .,;") if match else text


_EXCEPTION = re.compile(
    r"\b(?P<cue>except(?:ing)?(?: for| in| on)?|excluding|with the exception of|other than|(?:do|does|shall|will|need) not (?:apply|extend) to|(?:is|are) not required for|(?:is|are) waived for|apart from)\s+(?P<who>(?:[\w-]+\s*){1,6})",
    re.I,
)
_EXEMPT = re.compile(r"(?P<who>(?:[\w,-]+\s+){1,8})(?P<cue>(?:is|are) (?:exempt(?:ed)?|excluded|excused|not (?:covered|included|in scope|required to|obliged to|expected to))|need not|(?:do|does) not (?:need|have) to|(?:do|does) not (?:attend|take part|participate))\b", re.I)  # fmt: skip
_ONLY = re.compile(r"\b(?P<cue>only|solely|exclusively|limited to|restricted to)\s+(?:for |to |by |of |on |in |the |as |from )*(?P<who>(?:[\w-]+\s*){1,4})", re.I)  # fmt: skip
_FOR_ONLY = re.compile(r"\b(?:to|for|by|from|in|at) (?P<who>(?:[\w-]+ ){1,4})only\b(?=[.,;]|$)", re.I)
_ONLY_CONDITION = re.compile(
    r"\b(?:only|solely)\s+(?:after|once|with|if|when|where|upon approval|following|under|on (?:the )?(?:basis|documented|written)|in accordance|as long|to the extent|until)\b", re.I
)  # fmt: skip
_PURPOSE = re.compile(r"\b(?:purposes?|extent|use)\b", re.I)
_ON_DEMAND = re.compile(r"\bonly (?:up)?on (?:\w+ )?(?:request|demand)|(?:up)?on request only|only (?:if|when|where) (?:they are |it is |the customer )?(?:asked|requested|asks)\b", re.I)  # fmt: skip
_UNIVERSAL = re.compile(
    r"\b(?:all|every|each|any|both|including|whole|entire|always|at all times|regardless|irrespective)\b", re.I
)
_RULE_EXCEPTION = re.compile(
    r"\b(?:except|unless|exempt\w*|other than|excluding|does not apply|shall not apply)\b", re.I
)


def scope_conflict(pair: Pair) -> Conflict | None:
    """The claim carves out cases the rule covers."""
    if not _binds(pair) or pair.relation < _MIN_RELATION or not pair.shared:
        return None
    said = _carve_out(pair)
    if said is None:
        return None
    universal = _UNIVERSAL.search(pair.rule.text)
    ruled = pair.rule.text[universal.start() :] if universal else _must(pair.rule.text)
    return Conflict(Nature.SCOPE, said, " ".join(ruled.split()[:8]), min(1.0, 0.4 + pair.relation / 2))


def _carve_out(pair: Pair) -> str | None:
    text, rule = pair.claim.text, pair.rule.text
    if demand := _ON_DEMAND.search(text):
        return None if re.search(r"\brequest\b", rule, re.I) else demand.group()
    if (match := _EXEMPT.search(text) or _EXCEPTION.search(text)) and not _RULE_EXCEPTION.search(rule):
        return None if re.search(r"\b(?:who|which|that|if|it|they)\b", match["who"], re.I) else match.group().strip()
    only = _ONLY.search(text) or _FOR_ONLY.search(text)
    if (
        only is None
        or _ONLY_CONDITION.search(text)
        or re.search(r"\b(?:only|solely|exclusively|limited to)\b", rule, re.I)
    ):
        return None
    who = frozenset(concepts(only["who"]))
    if _PURPOSE.search(only.group()) or text[: only.start()].count("(") > text[: only.start()].count(")"):
        return None
    narrower = _UNIVERSAL.search(rule) and who and pair.weights.share(pair.rule_concepts, who) <= 0.9
    denied = polarity(text).denials
    return only.group().strip() if narrower and not denied else None


_VAGUE = re.compile(
    r"\b(?:as soon as (?:it is |we find it )?(?:convenient|possible|practicable|practical|reasonable|resources (?:allow|permit))|when(?:ever)? (?:convenient|possible|time (?:permits|allows))|"
    r"in due course|in a timely (?:manner|fashion)|timely|promptly|eventually|at the (?:next|earliest) (?:opportunity|convenience)|"
    r"at (?:our|their|its) (?:earliest )?convenience|within a reasonable (?:time|period|timeframe)|as (?:and )?when (?:possible|appropriate)|sooner or later|from time to time|"
    r"periodically|regularly|occasionally|as needed|when needed|where needed|on an ad[- ]hoc basis)\b",
    re.I,
)
_PERIODIC = re.compile(
    r"\b(?:from time to time|periodically|regularly|occasionally|as needed|when needed|ad[- ]hoc)", re.I
)
_IDLE = re.compile(
    r"convenien|due course|eventually|time (?:permits|allows)|sooner or later|resources|occasionally|opportunity", re.I
)


def vague_conflict(pair: Pair) -> Conflict | None:
    """The claim names no figure where the rule does: "in due course" for "within 72 hours"."""
    said = _VAGUE.search(pair.claim.text)
    if said is None or not _binds(pair) or pair.relation < _MIN_RELATION or not pair.shared:
        return None
    if _PERIODIC.search(said.group()):
        return _vague_frequency(pair, said.group())
    ruled = has_deadline(pair.rule)
    counted = any(q.kind is QuantityKind.DURATION for q in pair.claim.quantities)
    if ruled is None or counted or _VAGUE.search(pair.rule.text):
        return None
    return Conflict(Nature.VAGUE, said.group(), ruled.text, 0.7 if _IDLE.search(said.group()) else 0.5)


def _vague_frequency(pair: Pair, said: str) -> Conflict | None:
    ruled = next((q for q in pair.rule.quantities if q.kind is QuantityKind.FREQUENCY), None)
    if ruled is None or any(q.kind is QuantityKind.FREQUENCY for q in pair.claim.quantities):
        return None
    return Conflict(Nature.VAGUE, said, ruled.text, 0.5)
