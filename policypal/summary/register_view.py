"""What the register of a document tells at a glance: its sections, whom it binds to what, its deadlines and limits (A1, D12)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from policypal.domain.provisions import Kind, Limit
from policypal.search.embeddings import Embedder
from policypal.search.terms import terms
from policypal.text.clauses import Clause
from policypal.text.lexicon import is_action, is_thing
from policypal.text.limits import limits_of
from policypal.text.modality import head_noun
from policypal.text.quantities import QuantityKind

PARTIES = 4
PER_PARTY = 3
LIMITS = 12
SECTIONS = 14
_FEWEST_SECTIONS = 3
_STATING = (Kind.RECITAL, Kind.EXAMPLE, Kind.REFERENCE, Kind.TABLE, Kind.DEFINITION)
_ENDS = (".", ";", ":")
_MOST_PARTY_WORDS = 5
_NOBODY = frozenset(
    {"nobody", "no one", "none", "anybody", "anyone", "whoever", "nothing", "verify", "ensure", "check"}
)
_FEWEST_WORDS, _MOST_WORDS = 6, 60
_REPEATS = 0.3
_POINTS_BACK = re.compile(
    r"\W*(?:(?:it|they|he|she)\b|(?:this|these|those|that) (?:must|shall|should|may|will|can|is|are|was|were|do|does|has|have|appl(?:y|ies)|includes?)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the outline with its pages and the number of obligations and prohibitions in it."""

    title: str
    first: int
    last: int
    duties: int


@dataclass(frozen=True, slots=True)
class Bound:
    """A party, as the document first names it, and what binds it; "" is nobody by name."""

    party: str
    duties: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class SetLimit:
    """A limit and the clause that sets it."""

    limit: Limit
    clause: Clause


def sections(clauses: Sequence[Clause]) -> list[Section]:
    """The outline at the first depth at which it has several parts; empty where there are no headings."""
    deepest = max((len(c.headings) for c in clauses), default=0)
    found: list[Section] = []
    for depth in range(1, deepest + 1):
        found = list(_sections(clauses, depth))
        if len(found) >= _FEWEST_SECTIONS:
            break
    return found


def _sections(clauses: Sequence[Clause], depth: int) -> Iterable[Section]:
    prose = {c.headings[:depth] for c in clauses if c.text.endswith(_ENDS)}
    headed = (c for c in clauses if c.headings and c.headings[:depth] in prose)
    for headings, run in groupby(headed, key=lambda c: c.headings[:depth]):
        held = list(run)
        yield Section(headings[-1], held[0].page, held[-1].page, sum(c.counts for c in held))


def bound_parties(clauses: Iterable[Clause]) -> list[Bound]:
    """Whom the register binds, the most burdened first; what names nobody comes last."""
    named: dict[str, str] = {"": ""}
    held: dict[str, list[Clause]] = {}
    for clause in clauses:
        if clause.counts:
            party = clause.party if _is_name(clause.party) else ""
            key = " ".join(terms(party))
            named.setdefault(key, party)
            held.setdefault(key, []).append(clause)
    ranked = sorted(held, key=lambda key: (not key, -len(held[key])))
    return [Bound(named[key], tuple(held[key])) for key in ranked]


def _is_name(party: str) -> bool:
    """Whether it can be a party's name rather than half a sentence or what the sentence is about."""
    if (
        party.casefold() in _NOBODY
        or len(party.split()) > _MOST_PARTY_WORDS
        or any(c.isdigit() or c in ",;:" for c in party)
    ):
        return False
    speaks = any(w.islower() and is_action(w.removesuffix("s")) for w in party.split()[1:])
    return not speaks and not is_thing(head_noun(party))


def set_limits(clauses: Iterable[Clause]) -> list[SetLimit]:
    """The limits that clauses set in reading order, those of definitions, recitals and examples left out; a date binds only where it is a
    bound or its clause binds."""
    told = (SetLimit(limit, c) for c in clauses if _sets(c) for limit in limits_of(c.text))
    found = [f for f in told if f.limit.bound or f.clause.counts or f.limit.kind != QuantityKind.DATE]
    return list({(f.limit.words.casefold(), f.clause.full_text.casefold()): f for f in found}.values())


def _sets(clause: Clause) -> bool:
    """Whether a clause can set a limit: of tables only rows whose columns have heads."""
    return clause.kind not in _STATING or (clause.kind is Kind.TABLE and bool(clause.introduction))


def weightiest(limits: Sequence[SetLimit], most: int = LIMITS) -> list[SetLimit]:
    """At most so many from all sections, what is bounded and binds first, in reading order."""
    ranked = sorted(limits, key=lambda f: -(2 * f.clause.counts + bool(f.limit.bound) + bool(f.limit.measures)))
    before: Counter[tuple[str, ...]] = Counter()
    turns: dict[int, int] = {}
    for found in ranked:
        turns[id(found)] = before[found.clause.headings]
        before[found.clause.headings] += 1
    kept = {id(found) for found in sorted(ranked, key=lambda f: turns[id(f)])[:most]}
    return [found for found in limits if id(found) in kept]


def central(clauses: Sequence[Clause], embedder: Embedder, most: int) -> list[Clause]:
    """The clauses that stand for most of the others, none that repeats another, in reading order; of those that say themselves what
    they are about, if there are any."""
    alone = [c for c in clauses if not points_back(c)] or list(clauses)
    told = [c for c in alone if _FEWEST_WORDS <= len(c.words) <= _MOST_WORDS and not c.introduces] or alone
    if len(told) <= most:
        return told
    vectors = embedder.embed([c.full_text for c in told])
    centre = vectors.mean(axis=0)
    near = vectors @ (centre / (np.linalg.norm(centre) or 1.0))
    repeated = np.zeros(len(told), dtype=np.float32)
    chosen: list[int] = []
    while len(chosen) < most and np.isfinite(near).any():
        best = int(((1 - _REPEATS) * near - _REPEATS * repeated).argmax())
        chosen.append(best)
        for other, clause in enumerate(told):  # one item speaks for its list
            if other == best or (clause.introduction and clause.introduction == told[best].introduction):
                near[other] = -np.inf
        repeated = np.maximum(repeated, vectors @ vectors[best])
    return [told[i] for i in sorted(chosen)]


def points_back(clause: Clause) -> bool:
    """Whether its subject is a pronoun, so that alone it does not say of whom or what it speaks."""
    return not clause.introduction and _POINTS_BACK.match(clause.text) is not None


def kinds(duties: Iterable[Clause]) -> tuple[int, int]:
    """How many obligations and how many prohibitions."""
    counted = Counter(c.kind for c in duties)
    return counted[Kind.OBLIGATION], counted[Kind.PROHIBITION]
