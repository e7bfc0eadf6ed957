"""A claim that does what its rule forbids, or denies what its rule demands, in the rule's own words (A4)."""

import re

from policypal.audit.units import Unit
from policypal.domain.provisions import Kind
from policypal.search.terms import terms
from policypal.text.quantities import Bound, find_quantities

_DENIES = re.compile(
    r"\b(?:not|never|cannot|nobody|no one|neither|nor|no longer|\w+n['’]t)\b(?! (?:only|later|earlier|more|less|fewer|longer|exceed\w*|below|apply|affect|prejudice|preclude|constitute|mean)\b)",
    re.I,
)
_ANY_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|nobody|nothing|neither|nor|none|without|only|unless|except\w*|until|before|avoid\w*|prevent\w*|prohibit\w*"
    r"|forbid\w*|forbidden|refus\w+|refrain\w*|reject\w*|free|\w+n['’]t|un(?!der|til|it|ion)[a-z]{3,}ed)\b",
    re.I,
)
_FORBIDS = re.compile(
    r"\b(?:shall|must|may|will|can|do|does)\s+(?:not|never)\s+(?:be\s+)?(?:\w+ly\s+)?(?P<what>[\w-]+)", re.I
)
_CONDITION = re.compile(r"\b(?:without|unless|except\w*|only|until|before|prior|other than|if|where|when)\b", re.I)
_RELEASES = re.compile(
    r"\b(?:need not|(?:do|does) not (?:have|need) to|(?:is|are|be) (?:\w+ )?not (?:be )?(?:\w+ )?(?:required|obliged|obligated|liable|responsible|mandatory|necessary|obligatory)"
    r"|not required|optional|no obligation|at (?:its|his|her|their) (?:sole |own )?discretion)\b",
    re.I,
)
_WITHOUT = re.compile(
    r"\bwithout\b(?! (?:any )?(?:undue|delay|prejudice|exception|restriction|limit|interruption|reservation|hesitation))(?P<what>(?:(?!\b(?:can|could|may|might|will|would|shall|must|is|are)\b)[^.;:,]){3,60})",
    re.I,
)
_SUBORDINATE = re.compile(
    r"\b(?:where|if|when|whenever|in case|because|although|which|who|whose|that)\b[^,;:]*,?[^,;:]*$", re.I
)
"""What stands before words that a clause of its own holds, so that the sentence does not claim them."""


def releases(text: str) -> str:
    """The words by which a sentence says that something is not owed; "" where it does not."""
    found = _RELEASES.search(text)
    return found[0] if found else ""


def contradiction(claim: Unit, rule: Unit) -> tuple[str, str] | None:
    """The words of the claim and of the rule that cannot both hold; None where none are sure. Only what either side says of the other's own
    words is sure: exceptions, conditions and figures are left to a reader."""
    if rule.kind is Kind.PROHIBITION:
        return _does(claim.text, rule)
    if rule.kind is Kind.OBLIGATION:
        return _lacks(claim.text, rule) or _omits(claim.text, rule)
    return None


def _does(claim: str, rule: Unit) -> tuple[str, str] | None:
    """The claim affirms the very act that the rule forbids without condition, or does without what it is forbidden without."""
    forbidden = _FORBIDS.search(rule.text)
    if forbidden is None:
        return None
    if lacked := _WITHOUT.search(claim):
        condition = _CONDITION.search(rule.text, forbidden.end())
        shared = condition and set(terms(lacked["what"])) & set(terms(rule.text[condition.end() :]))
        others = _ANY_NEGATION.findall(_WITHOUT.sub(" ", claim))
        return (lacked[0], rule.text[forbidden.start() :]) if shared and not others else None
    act = terms(forbidden["what"])
    if any(q.bound is not Bound.UNSTATED for q in find_quantities(rule.text)):
        return None
    if _CONDITION.search(rule.text) or _ANY_NEGATION.search(claim) or not act or act[0] not in terms(claim):
        return None
    return claim, rule.text[forbidden.start() :]


def _lacks(claim: str, rule: Unit) -> tuple[str, str] | None:
    """The claim does without what the rule demands."""
    lacked = _WITHOUT.search(claim)
    if lacked is None or _ANY_NEGATION.search(lacked["what"]) or _WITHOUT.search(rule.text):
        return None
    if _SUBORDINATE.search(claim[: lacked.start()]):
        return None
    if _ANY_NEGATION.search(_WITHOUT.sub(" ", claim)):
        return None
    return (lacked[0], rule.text) if set(terms(lacked["what"])) & set(terms(rule.full)) else None


def _omits(claim: str, rule: Unit) -> tuple[str, str] | None:
    """The claim denies a word of the rule, or says that the duty is none."""
    if _ANY_NEGATION.search(rule.text) or re.search(
        r"\b(?:until|unless|before|without|so that|such that)\b", claim, re.I
    ):
        return None
    if released := releases(claim):
        return released, rule.text
    demanded = set(terms(rule.full))
    for denial in (d for d in _DENIES.finditer(claim) if not _SUBORDINATE.search(claim[: d.start()])):
        behind = re.split(r"[.,;:]", claim[denial.end() :])[0]
        denied = terms(behind)
        if denied and denied[0] in demanded:
            return f"{denial[0]}{behind}", rule.text
    return None
