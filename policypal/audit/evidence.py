"""The passages of a policy as evidence: what each mentions, in its context, and what speaks against it (A6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from policypal.audit.duties import Figure, figures, parties
from policypal.audit.reading import Statement
from policypal.audit.thesaurus import read_concepts, related
from policypal.text.obligations import is_definition, split_condition
from policypal.text.quantities import Quantity

_CONTINUES = re.compile(
    r"(?:such|this|these|those|it|they|he|she|and|or|in (?:this|that|such) case|the (?:aforementioned|same)|also|then)\b",
    re.I,
)
_WAIVED = re.compile(
    r"\b(?:do(?:es)? not have to|(?:is|are|be) (?:not|neither) (?:\w+ )?(?:required|obliged|obligated|liable|responsible|entitled)|"
    r"not be (?:required|obliged|obligated|liable|responsible)|no obligation|need not|at (?:its|his|her|their) (?:sole |own )?discretion)\b",
    re.I,
)
_NEGATION = re.compile(
    r"\b(?:not|no|nor|never|nobody|none|neither|nothing|prohibited|forbidden|refrain\w*|only|without)\b", re.I
)
_WITHOUT = re.compile(r"\bwithout\b([^.;]{0,60})", re.I)
_RESTRAINED = re.compile(r"\b(?:not|no|nothing|nobody|never|only|neither)\b", re.I)
_FINITE = re.compile(
    r"\b(?:must|shall|will|may|can|cannot|should|is|are|be|been|was|were|has|have|had|does|do|did|agrees?|undertakes?|"
    r"warrants?|ensures?|needs?|requires?|provides?|makes?|takes?|keeps?|gives?)\b",
    re.I,
)
_ENDS = tuple('.;:!?”"')
_PASSIVE = re.compile(
    r"\b(?:is|are|be|been|being|was|were)\s+(?:\w+ly\s+)?(?:\w+(?:ed|en|ne|pt|nt|ght|ld|un|ut)|subject to)\b", re.I
)

OWN, CONTINUED, INTRODUCED, NEAR = 1.0, 0.8, 0.9, 0.25
"""How much a mention counts: in the passage; in the one it goes on from; in its list's introduction; next to it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of the policy. ``place`` is the index of its first statement. ``mentions`` are concepts, and
    concepts near them, with what they count for in context; ``stated`` leaves out mere neighbours. ``subject``: the outsiders it binds, empty in
    the passive. ``asserts``: it is a sentence or list item, not a definition, question, heading or line of a table. ``waives``: it says that something is not owed. ``unguarded``: what it allows without, if anything."""

    place: int
    text: str
    mentions: dict[str, float]
    stated: dict[str, float]
    subject: frozenset[str]
    waives: bool
    negated: bool
    unguarded: frozenset[str]
    asserts: bool
    figures: frozenset[Figure]


def read_evidence(statements: Sequence[Statement]) -> list[Evidence]:
    """The sentences of a policy in reading order; statements that are parts of one sentence are joined."""
    units = _sentences(statements)
    own = [_mentioned(text) for _, text, _ in units]
    found = []
    intro: int | None = None
    for index, (place, text, quantities) in enumerate(units):
        listed = intro is not None and text[:1].islower()
        if not listed:
            intro = index if text.rstrip().endswith(":") else None
        stated = dict(own[index])
        if listed and intro is not None:
            _add(stated, own[intro], INTRODUCED)
        if index and _CONTINUES.match(text):
            _add(stated, own[index - 1], CONTINUED)
        mentions = dict(stated)
        for neighbour in (index - 1, index + 1):
            if 0 <= neighbour < len(units):
                _add(mentions, own[neighbour], NEAR)
        governed = f"{units[intro][1]} {text}" if listed and intro is not None else text
        found.append(_evidence(place, text, governed, mentions, stated, quantities))
    return found


def _evidence(
    place: int,
    text: str,
    governed: str,
    mentions: dict[str, float],
    stated: dict[str, float],
    quantities: tuple[Quantity, ...],
) -> Evidence:
    main = split_condition(governed).main
    return Evidence(
        place=place,
        text=governed,
        mentions=mentions,
        stated=stated,
        subject=frozenset() if _PASSIVE.search(main) else parties(main),
        waives=bool(_WAIVED.search(text)),
        negated=bool(_NEGATION.search(text)),
        unguarded=frozenset() if _RESTRAINED.search(text) else _allowed_without(text),
        asserts=_asserts(text, governed),
        figures=figures(quantities),
    )


def _asserts(text: str, governed: str) -> bool:
    if is_definition(text) or text.endswith("?"):
        return False
    return governed != text or text[-1:] in _ENDS or bool(_FINITE.search(text))


def _allowed_without(text: str) -> frozenset[str]:
    return frozenset(c for m in _WITHOUT.finditer(text) for group in read_concepts(m[1]) for c in group)


def _add(mentions: dict[str, float], concepts: dict[str, float], credit: float) -> None:
    for concept, share in concepts.items():
        if credit * share > mentions.get(concept, 0.0):
            mentions[concept] = credit * share


def _mentioned(text: str) -> dict[str, float]:
    """The concepts of a sentence, and those near them, with what they count for."""
    mentioned = {concept: OWN for group in read_concepts(text) for concept in group}
    for concept in tuple(mentioned):
        _add(mentioned, related(concept), OWN)
    return mentioned


_LONG = 290
"""The audit divides sentences into clauses; those of more characters than a quote holds no longer show it."""


def _sentences(statements: Sequence[Statement]) -> list[tuple[int, str, tuple[Quantity, ...]]]:
    """(place, text, quantities) of whole sentences."""
    joined = []
    place = 0
    while place < len(statements):
        end = _sentence_end(statements, place)
        parts = statements[place:end]
        text = " and ".join([parts[0].full, *(p.text for p in parts[1:])])
        joined.append((place, text, tuple(q for p in parts for q in p.quantities)))
        place = end
    return joined


def _sentence_end(statements: Sequence[Statement], start: int) -> int:
    """Parts of a sentence share its quote, or run on in lower case to more than a quote holds."""
    end = start + 1
    while end < len(statements) and _same_place(statements, end) and statements[end].quote == statements[start].quote:
        end += 1
    if end > start + 1:
        return end
    while end < len(statements) and _same_place(statements, end) and _runs_on(statements[end - 1], statements[end]):
        end += 1
    return end if sum(len(s.text) for s in statements[start:end]) > _LONG else start + 1


def _same_place(statements: Sequence[Statement], index: int) -> bool:
    last, this = statements[index - 1], statements[index]
    return (last.document, last.passage) == (this.document, this.passage)


def _runs_on(last: Statement, this: Statement) -> bool:
    return last.text[-1:] not in _ENDS and this.text[:1].islower()
