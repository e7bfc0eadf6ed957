"""Which claims of the source conflict with which rules, by every detector (A4)."""

from __future__ import annotations

from itertools import product
from typing import Literal

import numpy as np

from policypal.audit.comparison import batch_conflict, comparable, limit_conflict, unbounded_conflict
from policypal.audit.contrasts import contrast_conflict, dropped_condition, exclusive_conflict
from policypal.audit.desk import Desk
from policypal.audit.limits import claim_values
from policypal.audit.omission import partial_list
from policypal.audit.order import order_conflict
from policypal.audit.pairs import Conflict, Nature, Pair
from policypal.audit.polarity import polarity_conflict
from policypal.audit.promotions import absolute_promise, promise_conflict, undisclosed
from policypal.audit.reading import Statement
from policypal.audit.scope import scope_conflict
from policypal.audit.weakening import vague_conflict, weakened_conflict
from policypal.gate.recipients import different_recipients
from policypal.gate.vocabulary import GENERIC

_CANDIDATES = 15
_FAR_CANDIDATES = 75
_LEAST_RELATION = 0.12
_LEAST_WORDED = 0.2
"""No detector believes in a conflict of words between clauses that have less in common."""
_MIN_NUMERIC_RELATION = 0.27
_CLOSE_RELATION = 0.34
_MUTUAL_RELATION = 0.22
Found = tuple[int, int, Conflict]
_Choice = tuple[Pair, Conflict]


def find_conflicts(desk: Desk, mode: Literal["text", "policy"]) -> list[Found]:
    """(row of the claim, column of the rule, conflict), at most one per rule, the strongest. In "text" mode warnings that
    a communication must carry and does not are conflicts too."""
    found: list[Found] = []
    for row in range(len(desk.source)):
        for document in desk.columns:
            found += _claim_conflicts(desk, row, _candidates(desk, row, document, _looks_far(desk.source[row])))
    if mode == "text":
        found += _undisclosed(desk)
    return _distinct(found, desk)


def _looks_far(claim: Statement) -> bool:
    """Whether a claim may conflict with rules in quite other words: by a number, an end left open, a promise."""
    unbounded = any(q.unbounded for q in claim.quantities)
    return unbounded or bool(claim_values(claim)) or absolute_promise(claim.text) is not None


def _candidates(desk: Desk, row: int, document: str, far: bool) -> dict[int, Pair]:
    """The rules of a target that a claim may conflict with, by column, the closest first."""
    relation = desk.matches.relation[row, desk.columns[document]]
    if not far and desk.best_rule[document][row] < _LEAST_WORDED:
        return {}
    order = np.argsort(-relation, kind="stable")
    near, distant = order[:_CANDIDATES], order[_CANDIDATES:_FAR_CANDIDATES]
    near = (
        np.concatenate([near, distant[relation[distant] > _LEAST_RELATION]])
        if far
        else near[relation[near] >= _LEAST_WORDED]
    )
    columns = desk.columns[document][near]
    return {int(c): desk.pair(row, int(c)) for c in columns}


def _claim_conflicts(desk: Desk, row: int, candidates: dict[int, Pair]) -> list[Found]:
    """At most one conflict in numbers and one in wording per claim and target."""
    pairs = list(candidates.values())
    chosen = [
        _unbounded(pairs) or _numeric(pairs),
        _worded_conflict(pairs[:_CANDIDATES], desk.everywhere) or _promise(pairs),
    ]
    columns = {id(pair): column for column, pair in candidates.items()}
    return [(row, columns[id(pair)], conflict) for choice in chosen if choice for pair, conflict in [choice]]


def _unbounded(pairs: list[Pair]) -> _Choice | None:
    if not any(q.unbounded for q in pairs[0].claim.quantities) if pairs else True:
        return None
    choices = [(p, c) for p in pairs if p.shared and (c := unbounded_conflict(p))]
    return max(choices, key=lambda x: x[1].strength + x[0].relation, default=None)


def _numeric(pairs: list[Pair]) -> _Choice | None:
    """The rule closest in subject that limits the same thing decides, whether it is broken or met."""
    best = _limiting(pairs)
    conflict = limit_conflict(best) if best else None
    return (best, conflict) if best and conflict else None


def _limiting(pairs: list[Pair]) -> Pair | None:
    """The claim beside the rule closest in subject that limits the same thing; None where no rule does."""
    if not pairs or not claim_values(pairs[0].claim):
        return None
    able = [p for p in pairs if _on_topic(p) and comparable(p.claim, p.rule)]
    return max(able, key=lambda p: p.relation, default=None)


def kept_limits(desk: Desk) -> set[int]:
    """The columns of the rules whose figure a claim states and keeps, so that they were really judged (A4)."""
    kept = set()
    for row, document in product(range(len(desk.source)), desk.columns):
        candidates = _candidates(desk, row, document, _looks_far(desk.source[row]))
        pairs = list(candidates.values())
        best = _limiting(pairs)
        if best and not limit_conflict(best) and not different_recipients(best.claim.text, best.rule.text):
            kept.add(next(column for column, pair in candidates.items() if pair is best))
    return kept


def _on_topic(pair: Pair) -> bool:
    telling = pair.weights.total(pair.shared)
    whole = pair.weights.total(pair.claim_concepts - GENERIC)
    if pair.mutual and pair.shared and pair.relation >= _MUTUAL_RELATION:
        return True
    close = telling >= 0.34 * whole or pair.relation >= _CLOSE_RELATION
    return pair.relation >= _MIN_NUMERIC_RELATION and bool(pair.shared) and close


_DETECTORS = (
    polarity_conflict,
    batch_conflict,
    order_conflict,
    dropped_condition,
    contrast_conflict,
    exclusive_conflict,
    scope_conflict,
    vague_conflict,
    weakened_conflict,
)
"""In the order in which they are believed."""


def _worded_conflict(pairs: list[Pair], everywhere: frozenset[str]) -> _Choice | None:
    """The conflict with the rule closest in subject. A far closer rule that the claim does not contradict speaks for
    the claim."""
    choices = [(p, c) for p in pairs if (c := _first_conflict(p, everywhere)) is not None]
    if not choices:
        return None
    chosen = max(choices, key=lambda choice: choice[0].relation)
    return chosen if chosen[0].relation >= _SPEAKS_FOR_THE_CLAIM * max(p.relation for p in pairs) else None


_SPEAKS_FOR_THE_CLAIM = 0.75


def _first_conflict(pair: Pair, everywhere: frozenset[str]) -> Conflict | None:
    if pair.relation < _LEAST_WORDED:
        return None
    for detect in _DETECTORS:
        conflict = detect(pair)
        if conflict and not (conflict.nature is Nature.PROHIBITED and _keeps_limits(pair)):
            return conflict
    return partial_list(pair, everywhere)


def _keeps_limits(pair: Pair) -> bool:
    """Whether the claim states the age on which the prohibition depends, and keeps it."""
    ages = any(limit.role == "age" for _, limit in comparable(pair.claim, pair.rule))
    return ages and limit_conflict(pair) is None


def _promise(pairs: list[Pair]) -> _Choice | None:
    if not pairs or absolute_promise(pairs[0].claim.text) is None:
        return None
    choices = [(p, c) for p in pairs if (c := promise_conflict(p))]
    return max(choices, key=lambda x: (x[1].strength, x[0].relation), default=None)


def _undisclosed(desk: Desk) -> list[Found]:
    found = []
    for column, rule in enumerate(desk.rules):
        missing = undisclosed(desk.source, rule, desk.weights)
        if missing:
            found.append((missing[0], column, missing[1]))
    return found


def _distinct(found: list[Found], desk: Desk) -> list[Found]:
    """One finding per rule, the strongest; and one per claim, target and kind of conflict."""
    kept: list[Found] = []
    rules: set[int] = set()
    claims: set[tuple[int, str, Nature]] = set()
    for row, column, conflict in sorted(found, key=lambda f: -f[2].strength):
        key = (row, desk.rules[column].document, conflict.nature)
        if column in rules or key in claims:
            continue
        rules.add(column)
        claims.add(key)
        kept.append((row, column, conflict))
    return kept
