"""Lists the claim repeats only in part: "states the reasons" for "states the reasons and the right to appeal" (A4)."""

from __future__ import annotations

import re

from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.gate.vocabulary import GENERIC, concepts
from policypal.text.obligations import Modality

_LISTS = re.compile(
    r"\b(?:(?:must|shall|will|to|and|or|also|always|not)\s+){0,4}(?:state[sd]?|stating|includes?|including|contains?|containing|describes?|describing|specif(?:y|ies|ying)|indicates?|indicating|mentions?|mentioning|"
    r"sets? out|setting out|shows?|showing|covers?|covering|comprises?|comprising|bears?|carr(?:y|ies)|discloses?|disclosing|gives?|giving|names?|naming|explains?|explaining|"
    r"consists? of|(?:is|are|be) accompanied by|provides?|identif(?:y|ies)|lists?|records?|requires?|informs?|tells?|(?:is|are|be) (?:informed|told))\b",
    re.I,
)
_TELLS = re.compile(r"\b(?:informs?|tells?|informed|told|notif\w+)$", re.I)
_ABOUT = re.compile(
    r"^\s+(?:(?:the |each |every |all |our |their |its |any )?[\w'’-]+(?: [\w'’-]+){0,2}?\s+)?(?:about|of|on)\s+", re.I
)
_SEPARATOR = re.compile(r"\s*(?:,\s*and\b|;\s*and\b|,|;|\band\b|\bas well as\b|\btogether with\b)\s*", re.I)
_TAIL_END = re.compile(
    r"[.:(]|\b(?:if|where|when|unless|before|after|within|so that|in order to|who|for those)\b", re.I
)
_MIN_RELATION = 0.5
_CARRIED = 0.5
_ABSENT = 0.34


def partial_list(pair: Pair, everywhere: frozenset[str]) -> Conflict | None:
    """The claim names some elements of the rule's list but not all, and no part of the source names the rest.
    ``everywhere`` are the concepts of the whole source. A claim with as many elements as the rule is a paraphrase."""
    obligation = pair.rule.obligation
    if obligation is None or obligation.modality is not Modality.REQUIRED:
        return None
    if not pair.mutual or pair.relation < _MIN_RELATION:
        return None
    wanted, named = list_elements(pair.rule.text), list_elements(pair.claim.text)
    if len(wanted) < 2:
        wanted, named = _agents(pair.rule.text), _agents(pair.claim.text)
        named = named or [m["what"] for m in _CHANNELS.finditer(pair.claim.text)][:1]
    if len(wanted) < 2 or not named or len(named) >= len(wanted):
        return None
    carried = [w for w in wanted if _share(pair, w, pair.claim_concepts) >= _CARRIED]
    missing = [w for w in wanted if _share(pair, w, everywhere) < _ABSENT]
    if not carried or not missing:
        return None
    return Conflict(Nature.INCOMPLETE, pair.claim.text, "; ".join(missing), min(1.0, 0.3 + pair.relation / 2))


def _share(pair: Pair, element: str, said: frozenset[str]) -> float:
    telling = frozenset(concepts(element)) - GENERIC
    return pair.weights.share(said, telling or frozenset(concepts(element)))


def list_elements(text: str) -> list[str]:
    """The coordinated elements after the first verb of content ("must state", "includes"), and after further such verbs."""
    start = _LISTS.search(text)
    if start is None:
        return []
    elements = []
    verbs = list(_LISTS.finditer(text))
    for verb, following in zip(verbs, [*verbs[1:], None], strict=True):
        part = text[verb.end() : following.start() if following else len(text)]
        about = _ABOUT.match(part) if _TELLS.search(verb.group()) else None
        tail = part[about.end() :] if about else part
        end = _TAIL_END.search(tail)
        elements += [e.strip() for e in _SEPARATOR.split(tail[: end.start()] if end else tail)]
    return [e for e in elements if concepts(e)]


_CHANNELS = re.compile(r"\b(?:by|on|via|through|in|at|to|from)\s+(?P<what>(?:the |an? |its |our )?[\w-]+(?:\s+(?!and\b|or\b|by\b|on\b|via\b|through\b|in\b|at\b|to\b|from\b)[\w-]+){0,2})", re.I)  # fmt: skip
_JOINED = re.compile(
    r"\b(?:by|on|via|through|in|at|to|from)\s+(?:[\w-]+\s+){1,3}?and\s+(?:by|on|via|through|in|at|to|from)\b[^.;,]*",
    re.I,
)
_AGENTS = re.compile(r"\bby (?:both )?(?P<agents>(?:the |an? )?[\w-]+(?: [\w-]+){0,3}?(?:(?:,| and| and by|, and) (?:the |an? )?[\w-]+(?: [\w-]+){0,3}?)*)(?=[.,;]|$)", re.I)  # fmt: skip


def _agents(text: str) -> list[str]:
    """Those by whom something must be done: "by the board and by the auditor"."""
    if joined := _JOINED.search(text):
        return [m["what"] for m in _CHANNELS.finditer(joined.group())]
    match = _AGENTS.search(text)
    parts = re.split(r",? and (?:by )?|, ", match["agents"]) if match else []
    return [p for p in parts if frozenset(concepts(p)) - GENERIC]
