"""An obligation taken apart for comparison: what is to be done, to what, by whom, under which condition (A6)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from policypal.audit.thesaurus import SILENT, read_concepts
from policypal.text.obligations import Modality, bound_party, modality_of, split_condition
from policypal.text.quantities import Quantity, QuantityKind

ACTIONS = frozenset(
    "notify assist delete return engage designate approve impose answerable allow audit review monitor train retain record "
    "demonstrate respond comply consult provide transfer publish implement identify screen prevent restore test "
    "change object refer receive commit charge consider".split()
)
SOFT_ACTIONS = frozenset(
    "impose implement provide allow engage designate comply commit demonstrate identify receive change "
    "prevent answerable charge".split()
)
"""Verbs that policies paraphrase freely; another verb in their place weighs less."""
OUTSIDERS = frozenset("controller processor authority customer datasubject subprocessor provider fiu".split())
"""Parties a duty lies on or is owed to; a clause binding another of them does not meet it."""
_SAME_PARTY = frozenset({("controller", "customer"), ("customer", "datasubject"), ("processor", "provider")})

_CONDITION_WEIGHT = 0.35
_MODAL = re.compile(
    r"\b(?:must|shall|may|will|should|(?:is|are) (?:required|obliged) to|has to|have to|needs? to)\b"
    r"(?:\s+(?:not|only|also|never|be|have|\w+ly))*\s+",
    re.I,
)
_GERUND = re.compile(r"\b(?:in|by|for|with|of)\s+(?:\w+ly\s+)?(\w+ing)\b", re.I)
_WORD = re.compile(r"[\w'’-]+")
_ALTERNATIVE_WEIGHT = 0.5
_ALTERNATIVE = re.compile(r"\bor\b([^,;.]*)", re.I)
_OURSELVES = re.compile(r"\b(?:we|i|our)\b", re.I)
_PERMISSION = frozenset({"approve"})
_GUARD = re.compile(r"\b(?:without|unless|only|prior|before)\b", re.I)


Figure = tuple[QuantityKind, float]


def figures(quantities: Iterable[Quantity]) -> frozenset[Figure]:
    """What is counted and how much; a period and a frequency are both times."""
    times = (QuantityKind.DURATION, QuantityKind.FREQUENCY)
    return frozenset((QuantityKind.DURATION if q.kind in times else q.kind, round(q.value, 1)) for q in quantities)


@dataclass(frozen=True, slots=True)
class Duty:
    """``concepts`` weigh 1 in the main clause and less in its condition. Each of ``actions`` is a set of verbs one of
    which is to be done. ``parties`` are who is bound. ``guarded``: what it forbids is allowed with a permission."""

    concepts: dict[str, float]
    actions: tuple[frozenset[str], ...]
    parties: frozenset[str]
    guarded: bool
    prohibits: bool
    figures: frozenset[Figure]


def read_duty(text: str, quantities: Iterable[Quantity] = ()) -> Duty:
    parts = split_condition(text)
    concepts = {group[0]: _CONDITION_WEIGHT for group in read_concepts(f"{parts.condition} {parts.exception}")}
    concepts |= {
        group[0]: _ALTERNATIVE_WEIGHT for m in _ALTERNATIVE.finditer(parts.main) for group in read_concepts(m[1])
    }
    concepts |= {group[0]: 1.0 for group in read_concepts(_ALTERNATIVE.sub(" ", parts.main))}
    told = {c: w for c, w in concepts.items() if c not in SILENT}
    guarded = bool(_GUARD.search(text)) and "approve" in told
    prohibits = modality_of(parts.main) is Modality.PROHIBITED
    actions = _actions(parts.main) + ((_PERMISSION,) if guarded else ())
    return Duty(told, actions, parties(parts.main), guarded, prohibits, figures(quantities))


@lru_cache(maxsize=20_000)
def parties(text: str) -> frozenset[str]:
    """The outsider that the subject of the text names, if any: its last noun, so "the processor's staff" is none."""
    subject = bound_party(text)
    named = read_concepts(subject)
    if not named or _OURSELVES.search(subject):
        return frozenset()
    return frozenset(named[-1]) & OUTSIDERS


def other_party(bound: frozenset[str], subject: frozenset[str]) -> bool:
    """Whether ``subject`` is a different party than the one bound. A firm's rules name itself in many ways, so a duty
    of "the institution" is only another's where the subject is plainly outside the firm."""
    if not bound:
        return bool(subject) and subject <= {"customer", "authority", "datasubject", "fiu"}
    same = any((a, b) in _SAME_PARTY or (b, a) in _SAME_PARTY for a in bound for b in subject)
    return bool(subject) and not same and not subject & bound


def _actions(main: str) -> tuple[frozenset[str], ...]:
    modal = _MODAL.search(main)
    if not modal:
        return ()
    rest = main[modal.end() :]
    words = _WORD.findall(rest)[:14]
    head = _head(words)
    for place, word in enumerate(words[:4]):
        if word in ("or", "and"):
            head |= set(_verbs(" ".join(words[place + 1 : place + 3]))[:1])
    governed = [frozenset(v for v in _verbs(g[1]) if v not in SOFT_ACTIONS) for g in _GERUND.finditer(rest[:120])]
    return tuple(a for a in (frozenset(head), *governed) if a)


def _head(words: list[str]) -> set[str]:
    """The verb, or with "carry out an assessment" the noun that says what is done."""
    first = set(_verbs(" ".join(words[:1])))
    if first:
        return first
    for length in range(2, 9):
        if found := _verbs(" ".join(words[:length])):
            return set(found[:2])
    return set()


def _verbs(text: str) -> list[str]:
    return [c for group in read_concepts(text) for c in group if c in ACTIONS]
