"""What became of an audit's findings when the same was audited again (A9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from policypal.domain.audits import Finding, FindingKind

_SAME_RULE = 85.0
_SAME_CLAIM = 60.0
"""rapidfuzz ratios, 0-100: a rule's words rarely change between two editions, what a policy says of it is rewritten."""


@dataclass(frozen=True, slots=True)
class FindingChanges:
    """``opened`` are new, ``closed`` are gone; ``changed`` (before, after) differ in severity or in what is quoted."""

    opened: tuple[Finding, ...]
    closed: tuple[Finding, ...]
    changed: tuple[tuple[Finding, Finding], ...]
    unchanged: tuple[Finding, ...]
    pairs: tuple[tuple[Finding, Finding], ...] = ()
    """Changed and unchanged ones, (before, after)."""


def finding_changes(
    before: Sequence[Finding], after: Sequence[Finding], roots: Mapping[str, str] | None = None
) -> FindingChanges:
    """Pair the findings of two audits, the most alike first. ``roots`` names for a document's id the first one of its
    versions, so that a finding against a new edition is that against the old one."""
    places = _pairs(before, after, roots or {})
    pairs = [(before[left], after[right]) for right, left in sorted(places.items())]
    return FindingChanges(
        opened=tuple(f for n, f in enumerate(after) if n not in places),
        closed=tuple(f for n, f in enumerate(before) if n not in places.values()),
        changed=tuple((one, other) for one, other in pairs if not _is_same(one, other)),
        unchanged=tuple(other for one, other in pairs if _is_same(one, other)),
        pairs=tuple(pairs),
    )


def _pairs(before: Sequence[Finding], after: Sequence[Finding], roots: Mapping[str, str]) -> dict[int, int]:
    """Position in ``after`` → position in ``before``."""
    candidates = [
        (score, left, right)
        for left, one in enumerate(before)
        for right, other in enumerate(after)
        if (score := _likeness(one, other, roots)) is not None
    ]
    places: dict[int, int] = {}
    for _, left, right in sorted(candidates, key=lambda c: -c[0]):
        if right not in places and left not in places.values():
            places[right] = left
    return places


def _likeness(one: Finding, other: Finding, roots: Mapping[str, str]) -> float | None:
    """How much two findings are one, 0-200; None if they are not. Of a gap only the rule counts: its source quote is
    whatever passage came nearest."""
    first, second = (roots.get(f.target_document_id, f.target_document_id) for f in (one, other))
    rule = max(fuzz.ratio(_words(a), _words(b)) for a in one.requirements for b in other.requirements)
    if one.kind is not other.kind or first != second or rule < _SAME_RULE:
        return None
    if one.kind is FindingKind.GAP:
        return rule
    claim = fuzz.ratio(_words(one.source_quote), _words(other.source_quote))
    return rule + claim if claim >= _SAME_CLAIM else None


def _is_same(one: Finding, other: Finding) -> bool:
    """Of a gap, another nearest passage is no change."""
    same_claim = one.kind is FindingKind.GAP or _words(one.source_quote) == _words(other.source_quote)
    same_rule = _words(one.target_quote) == _words(other.target_quote)
    return one.severity is other.severity and same_rule and same_claim


def _words(quote: str) -> str:
    return " ".join(quote.casefold().split())
