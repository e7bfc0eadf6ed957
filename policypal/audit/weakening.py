"""Claims that say less than the rule: "may" for "must", exceptions, open-ended deadlines (A4)."""

from __future__ import annotations

import re

from policypal.audit.limits import deadline_of, statement_measures
from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.gate.vocabulary import GENERIC, concepts
from policypal.text.obligations import Modality, bound_party
from policypal.text.quantities import QuantityKind

_WEAK_MODAL = re.compile(
    r"\b(?P<modal>(?-i:may|can)|might|could|should|ought to|(?:is|are) (?:encouraged|recommended|advised|invited|expected|urged|free|asked where possible) to|"
    r"tr(?:y|ies) to|attempts? to|should try to|aims? to|seeks? to|endeavou?rs? to|strives? to|intends? to|hopes? to|plans? to|would like to|"
    r"consider(?:s)?(?= \w+ing)|(?:we |it is |is )recommend(?:ed)?(?: to| that)?)\b(?! not\b)\s+"
    r"(?P<verb>(?:be |also |normally |generally |try to |ideally |then |to |want to |wish to |like to )*)(?P<rest>[\w-]+(?:\s+[\w-]+){0,2})",
    re.I,
)
_ALLOWING = r"(?:permits?|allows?|suffices?|(?:is|are) (?:available|sufficient)|can be spared)"
_HEDGE = re.compile(
    rf"\b(?:(?:where|when|wherever|whenever|if|as far as|so far as|insofar as|to the extent)(?: (?:it is|this is|reasonably|they|commercially|technically|operationally|economically))* "
    rf"(?:possible|practicable|practical|feasible|convenient|desired|useful|workable|appropriate|suitable)|"
    rf"(?:where|when|if|as|so far as|insofar as|provided(?: that)?|as long as|whenever) (?:the |our |their |its )?(?:[\w-]+ ){{1,3}}{_ALLOWING}|"
    rf"subject to (?:the )?(?:availab\w+|capacity|resources|budget|staffing|workload|time)(?: [\w-]+)?|"
    rf"at (?:the |their |its |our )?(?:[\w'’-]+ ){{0,3}}discretion|(?:(?:is|are|it is|remains?) up|left) to (?:the |each |every |our )?(?:[\w-]+ ){{0,3}}[\w-]+(?= (?:whether|to decide)|[.,;]|$)|"
    rf"on a (?:best[- ]efforts?|voluntary) basis|(?:best|reasonable) (?:efforts|endeavou?rs)|"
    rf"(?:if|where|when|unless|in so far as) (?:the |their |our |an? |they |he or she )?[\w-]+(?: [\w-]+)? (?:feels?|thinks?|considers?|believes?|deems?|sees? fit|wish(?:es)?|wants?|likes?|prefers?)|"
    rf"(?:if|where|when) (?:this |it |that )?(?:seems?|appears?|is considered|is deemed|is felt|is thought) (?:to be )?(?:\w+ )?(?:useful|appropriate|necessary|worthwhile|sensible|suitable|helpful|reasonable|justified|opportune)|"
    rf"(?:is|are|be|remains?) (?:purely |entirely |only )?(?:optional|voluntary|recommended|encouraged|desirable|discretionary|advisable|a recommendation|good practice|nice to have|not (?:mandatory|compulsory|obligatory))|"
    rf"ideally|optionally|preferably)\b",
    re.I,
)
_IN_ANY_EVENT = re.compile(r"\b(?:in any (?:event|case)|at the latest|no later than)\b", re.I)
_LOOSELY = re.compile(r"\b(?:as a (?:general )?rule|in principle|normally|usually|generally|typically|in most cases|mostly|as a matter of good practice)\b(?P<next>,?(?: [\w-]+){1,3})", re.I)  # fmt: skip
_ASIDE = re.compile(r"\b(?:includ\w+|describ\w+|contain\w*|such as|a description of)\b[^.;]{0,60}$", re.I)
_OTHER_PARTY = re.compile(r"^\W*(?:the |each |any |a |our |all )*(?:customers?|clients?|complainants?|complaints?|consumers?|data subjects?|individuals?|policy ?holders?|patients?|investors?|applicants?|authority|regulators?)\b", re.I)  # fmt: skip
_MIN_RELATION = 0.38


def weakened_conflict(pair: Pair) -> Conflict | None:
    """The claim leaves to choice or convenience what the rule requires."""
    if not (_binds(pair) or _advises_against(pair)) or pair.relation < _MIN_RELATION or not pair.shared:
        return None
    said = _weak_words(pair)
    if said is None:
        return None
    return Conflict(Nature.WEAKENED, said, _must(pair.rule.text), min(1.0, 0.4 + pair.relation / 2))


_ADVISED_AGAINST = re.compile(r"\b(?:should|ought|advised|encouraged|recommended|asked|tr(?:y|ies)|aims?|urged)\s+(?:to )?(?:not|never|refrain|abstain|avoid|desist)\b|\b(?:advised|recommended) against\b", re.I)  # fmt: skip


def _advises_against(pair: Pair) -> bool:
    """A prohibition turned into advice: "should not", "are advised to abstain"."""
    prohibits = pair.rule.obligation is not None and pair.rule.obligation.modality is Modality.PROHIBITED
    return prohibits and bool(_ADVISED_AGAINST.search(pair.claim.text))


def _weak_words(pair: Pair) -> str | None:
    text = pair.claim.text
    hedge = _HEDGE.search(text)
    if hedge and not _HEDGE.search(pair.rule.text) and not _ASIDE.search(text[: hedge.start()]):
        return hedge.group()
    loose = _LOOSELY.search(text)
    if (
        loose
        and not _IN_ANY_EVENT.search(text)
        and not _LOOSELY.search(pair.rule.text)
        and frozenset(concepts(loose["next"])) & pair.rule_concepts
    ):
        return loose.group()
    for match in _WEAK_MODAL.finditer(text):
        if _acts(match, pair) and not _may_already(match["modal"], pair.rule.text):
            return f"{match['modal']} {match['verb']}{match['rest']}"
    return None


_INVERTED = re.compile(r"(?:^|[.;:,]|\band|\bbut)\W*$", re.I)


_DUTY = re.compile(r"\b(?:must|shall|(?:is|are) (?:required|obliged) to|ha(?:s|ve) to|needs? to)\b", re.I)


def _acts(match: re.Match[str], pair: Pair) -> bool:
    """Whether the weak verb is the one the rule requires, and not somebody else's right or a mere possibility."""
    lead = match.string[: match.start()]
    if match["modal"].lower() == "should" and _INVERTED.search(lead):
        return False  # "Should you wish to …" is a condition
    if (
        _OTHER_PARTY.match(match.string)
        or _another_party(pair)
        or re.search(r"\b(?:that|which|who|if|where|when)\b[^,;]*$", lead, re.I)
    ):
        return False
    verb = concepts(match["rest"])[:1]
    modal = _DUTY.search(pair.rule.text)
    duty = frozenset(concepts(pair.rule.text[modal.end() :])) if modal else pair.rule_concepts
    return bool(verb) and verb[0] in duty and (verb[0] not in GENERIC or pair.relation > 0.5)


def _another_party(pair: Pair) -> bool:
    """Whether the claim is about somebody the rule names without binding ("assist the controller")."""
    mine = frozenset(concepts(bound_party(pair.claim.text)))
    bound = frozenset(concepts(pair.rule.obligation.party)) if pair.rule.obligation else frozenset()
    return bool(mine & pair.rule_concepts) and not mine & bound and bool(bound)


def _may_already(modal: str, rule: str) -> bool:
    """Whether the rule itself speaks of a possibility: "may", "be able to", "enable consumers to"."""
    if (modal.lower() in ("can", "could") and _ENABLES.search(rule)) or (
        modal.lower() == "may" and _ENTITLES.search(rule)
    ):
        return True
    return modal.lower() in ("may", "can", "could", "should") and bool(re.search(rf"\b{modal}\b(?! not)", rule, re.I))


_ENTITLES = re.compile(r"\b(?:entitled|right|able|possible|permitted|allowed)\b", re.I)
_ENABLES = re.compile(r"\b(?:able|enabl\w+|allow\w*|permit\w*|possib\w+|right|entitled|accessib\w+|available|option|capab\w+|may|can|offer\w*|choice)\b", re.I)  # fmt: skip


def _binds(pair: Pair) -> bool:
    return pair.rule.obligation is not None and pair.rule.obligation.modality is Modality.REQUIRED


def _must(text: str) -> str:
    match = re.search(r"\b(?:must|shall|(?:is|are) required to|ha(?:s|ve) to|needs? to)\b(?:\s+\S+){0,6}", text, re.I)
    return match.group().rstrip(" .,;") if match else text


_VAGUE = re.compile(
    r"\b(?:as soon as (?:it is |we find it |they |we |he or she )?(?:convenient|possible|practicable|practical|reasonable|can|are able|get round to it|(?:resources|capacity|workload|time) (?:allows?|permits?))|"
    r"in good time|in the near future|at a later (?:date|stage|time)|shortly|soon(?! as)|quickly|swiftly|speedily|when(?:ever)? (?:we|they) (?:get (?:a)?round to it|find the time|have time)|when(?:ever)? (?:convenient|possible|time (?:permits|allows))|"
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
    if not _binds(pair) or pair.relation < _MIN_RELATION or not pair.shared:
        return None
    said = _VAGUE.search(pair.claim.text) or _on_occasion(pair)
    if said is None:
        return None
    if _PERIODIC.search(said.group()) or said.re is _OCCASION:
        return _vague_frequency(pair, said.group())
    ruled = deadline_of(pair.rule)
    counted = any(q.kind is QuantityKind.DURATION for q in pair.claim.quantities)
    if ruled is None or counted or _VAGUE.search(pair.rule.text):
        return None
    return Conflict(Nature.VAGUE, said.group(), ruled.text, 0.7 if _IDLE.search(said.group()) else 0.5)


_OCCASION = re.compile(
    r"\b(?:only |just )?(?:when(?:ever)?|if|in the event of|in case of|following|where|after)\s+(?:\S+\s*){1,8}", re.I
)
_ALSO = re.compile(r"\b(?:also|in addition|additionally|and|earlier|moreover|besides)\b", re.I)


def _on_occasion(pair: Pair) -> re.Match[str] | None:
    """ "reviewed when the law changes" instead of every year."""
    if not pair.mutual or pair.relation < _OCCASION_RELATION or _ALSO.search(pair.claim.text):
        return None
    if any(q.kind in (QuantityKind.FREQUENCY, QuantityKind.DURATION) for q in statement_measures(pair.claim)):
        return None
    regular = any(q.kind is QuantityKind.FREQUENCY for q in statement_measures(pair.rule))
    return _OCCASION.search(pair.claim.text) if regular and not _OCCASION.search(pair.rule.text) else None


_OCCASION_RELATION = 0.5


def _vague_frequency(pair: Pair, said: str) -> Conflict | None:
    ruled = next((q for q in pair.rule.quantities if q.kind is QuantityKind.FREQUENCY), None)
    if ruled is None or any(q.kind is QuantityKind.FREQUENCY for q in pair.claim.quantities):
        return None
    return Conflict(Nature.VAGUE, said, ruled.text, 0.5)
