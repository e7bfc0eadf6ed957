"""Sure findings: claims that break a rule by a figure, by negation or by an impossible promise; everything else is for a reader (A4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

from policypal.audit import figures, negation, promises
from policypal.audit.pairs import Pairs
from policypal.audit.units import Unit
from policypal.domain.audits import CoverageStatus, Finding, FindingKind, Severity
from policypal.gate.recipients import different_recipients
from policypal.gate.verify import clip_quote

_ALIKE, _NEARLY_THE_SAME = 0.4, 0.5
"""How much claim and rule must say the same before a figure, or a "not", settles that they conflict."""
_PROMISE_RULES = 10
_AUTHORITY = re.compile(
    r"\b(?:authorit(?:y|ies)|regulators?|supervisors?|agency|central bank|financial intelligence unit|fiu|ombudsman)\b",
    re.I,
)
_TITLE_CHARACTERS = 110
_RISKS = {
    Severity.CRITICAL: "acting on it would breach the rule outright and may have to be disclosed or sanctioned",
    Severity.HIGH: "acting on it would breach a binding requirement",
    Severity.MEDIUM: "compliance could not be evidenced",
}


@dataclass(frozen=True, slots=True)
class Conflict:
    """A claim (row) that breaks a rule (column): the decisive words of both, how grave it is, how sure in [0, 1]."""

    row: int
    column: int
    said: str
    ruled: str
    severity: Severity
    strength: float


def find_conflicts(pairs: Pairs) -> list[Conflict]:
    """Every sure conflict of the claims with the rules of one target, at most one per rule, the surest first."""
    found = [c for row in range(len(pairs.claims)) for c in _of_claim(pairs, row)]
    kept: dict[int, Conflict] = {}
    for conflict in sorted(found, key=lambda c: -c.strength):
        kept.setdefault(conflict.column, conflict)
    return list(kept.values())


def _of_claim(pairs: Pairs, row: int) -> Iterator[Conflict]:
    claim = pairs.claims[row]
    nearest = pairs.nearest(row, _PROMISE_RULES)
    if nearest:
        column, likeness = nearest[0], pairs.likeness(row, nearest[0])
        conflict = _by_figure(claim, pairs.rules[column], likeness) or _by_negation(
            claim, pairs.rules[column], likeness
        )
        if conflict is not None:
            yield Conflict(row, column, *conflict, round(min(0.95, 0.5 + likeness / 2), 2))
    for column in nearest if promises.absolute_promise(claim.text) else ():
        if broken := promises.forbidden_promise(claim, pairs.rules[column]):
            yield Conflict(row, column, *broken, Severity.CRITICAL, 0.9)
            return


def _by_figure(claim: Unit, rule: Unit, likeness: float) -> tuple[str, str, Severity] | None:
    broken = figures.broken(figures.beside(claim, rule)) if likeness >= _ALIKE else None
    if broken is None:
        return None
    said, limit = broken
    if limit.role == "deadline" and different_recipients(claim.text, rule.text):
        return None
    if limit.role == "deadline" and _AUTHORITY.search(rule.text):
        return said.text, limit.text, Severity.CRITICAL
    return said.text, limit.text, Severity.MEDIUM if limit.role == "frequency" else Severity.HIGH


def _by_negation(claim: Unit, rule: Unit, likeness: float) -> tuple[str, str, Severity] | None:
    words = negation.contradiction(claim, rule) if likeness >= _NEARLY_THE_SAME else None
    return (*words, Severity.CRITICAL if rule.kind.value == "prohibition" else Severity.HIGH) if words else None


def keeps_limits(pairs: Pairs) -> set[int]:
    """The columns of the rules whose figure a claim on just this rule states and keeps, so that they were really judged."""
    kept = set()
    for row, claim in enumerate(pairs.claims):
        for column in pairs.nearest(row, 1):
            if pairs.likeness(row, column) >= _ALIKE and figures.kept(figures.beside(claim, pairs.rules[column])):
                kept.add(column)
    return kept


def conflict_finding(pairs: Pairs, conflict: Conflict, title: str, theme: str) -> Finding:
    """The finding of a conflict, worded from both sides' own words. ``title`` is the target's."""
    claim, rule = pairs.claims[conflict.row], pairs.rules[conflict.column]
    said, ruled = short(conflict.said), short(conflict.ruled)
    return _finding(
        FindingKind.CONFLICT, claim, rule, title, theme, conflict.severity, conflict.strength,
        delta=f"Source: {said} → {rule.label or 'Rule'}: {ruled}",
        consequence=f"The text says “{said}” where {title} says “{ruled}”; {_RISKS[conflict.severity]}.",
        suggestion=f"Bring “{said}” in line with: “{short(rule.full, 220)}”",
    )  # fmt: skip


def gap_finding(claim: Unit | None, rule: Unit, title: str, theme: str, absence: float, more: int) -> Finding:
    """The finding of a duty that nothing in the source meets; ``more`` others stand under the same heading."""
    others = f" (and {more} further under “{rule.heading}”)" if more else ""
    return _finding(
        FindingKind.GAP, claim, rule, title, theme, Severity.MEDIUM, round(0.5 + absence / 2, 2),
        delta=f"Nothing found → {rule.label or 'Rule'}: {short(rule.text)}",
        consequence=f"Nothing in the text was found that meets this requirement of {title}{others}; it would not be met, or could not be evidenced.",
        suggestion=f"Add a clause that implements: “{short(rule.full, 220)}”",
    )  # fmt: skip


def _finding(
    kind: FindingKind, claim: Unit | None, rule: Unit, title: str, theme: str, severity: Severity, confidence: float, *,
    delta: str, consequence: str, suggestion: str,
) -> Finding:  # fmt: skip
    ruled, said = clip_quote(rule.text), clip_quote(claim.text) if claim else ""
    placed = (
        {"source_page": claim.page, "source_document_id": claim.document, "source_start": claim.start, "source_end": claim.start + len(said)}
        if claim and claim.document else {}
    )  # fmt: skip
    return Finding(
        id=str(uuid4()), kind=kind, target_document=title, target_document_id=rule.document, theme=theme, severity=severity,
        consequence=consequence, source_quote=said, target_quote=ruled, target_page=rule.page, target_start=rule.start,
        target_end=rule.start + len(ruled), suggestion=suggestion, confidence=confidence, delta=delta,
        source_label=claim.label if claim else "", target_label=rule.label, **placed,
    )  # fmt: skip


def theme_of(rule: Unit, themes: list[str]) -> str:
    """The first of the given themes that the rule or its heading names, else the heading, else the rule's first words."""
    context = rule.in_context.casefold()
    named = next((t for t in themes if t.casefold() in context), "")
    return named or short(re.sub(r"^\W*(?:[A-Za-z]+\.? )?[\dIVXLC]+[\w.()-]*\W+", "", rule.heading) or rule.text, 80)


def short(text: str, limit: int = _TITLE_CHARACTERS) -> str:
    """``text`` in one line, cut between words."""
    flat = " ".join(text.split()).strip(" .;")
    return flat if len(flat) <= limit else flat[:limit].rsplit(" ", 1)[0] + " …"


def reason_of(conflict: Conflict) -> tuple[CoverageStatus, str]:
    """The status and reason of a conflict's row in the coverage."""
    return CoverageStatus.CONFLICT, f"Conflict: “{short(conflict.said)}” against “{short(conflict.ruled)}”."
