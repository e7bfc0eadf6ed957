"""Sure findings: claims that break a rule by a figure, by negation or by an impossible promise; everything else is for a reader (A4)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import uuid4

from policypal.audit import figures, negation, promises
from policypal.audit.coverage import Met
from policypal.audit.pairs import Pairs
from policypal.audit.units import Unit
from policypal.domain.audits import CoverageStatus, Finding, FindingKind, ReviewPair, Severity
from policypal.domain.provisions import Kind
from policypal.gate.parties import different_recipients
from policypal.gate.quotable import clip_quote

_RELATED, _MUTUAL, _ALIKE = 0.25, 0.3, 0.4
"""How much claim and rule must say the same before a figure settles that they conflict: where the claim meets the duty otherwise, where each is
the other's nearest, and where nothing else is known; before a "not" does, always the last."""
_Broken = tuple[str, str, Severity]
"""The decisive words of claim and rule, and how grave it is."""
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


def find_conflicts(pairs: Pairs, met: Mapping[int, Met] | None = None) -> list[Conflict]:
    """Every sure conflict of the claims with the rules of one target, at most one per rule, the surest first. ``met`` says which claim comes
    nearest to meeting which rule, by column, as far as that was looked at."""
    found = [c for row in range(len(pairs.claims)) for c in _of_claim(pairs, row)]
    found += [c for column, shown in (met or {}).items() for c in _of_duty(pairs, column, shown)]
    kept: dict[int, Conflict] = {}
    for conflict in sorted(found, key=lambda c: -c.strength):
        kept.setdefault(conflict.column, conflict)
    return list(kept.values())


def _of_claim(pairs: Pairs, row: int) -> Iterator[Conflict]:
    """What a claim breaks of the rule nearest to it, or promises against a rule that is near."""
    claim = pairs.claims[row]
    nearest = pairs.nearest(row, _PROMISE_RULES)
    for column in nearest[:1]:
        rule, likeness = pairs.rules[column], pairs.likeness(row, column)
        if likeness >= _ALIKE and (broken := _by_figure(claim, rule) or _by_negation(claim, rule)):
            yield _conflict(row, column, broken, likeness)
    for column in nearest if promises.absolute_promise(claim.text) else ():
        if words := promises.forbidden_promise(claim, pairs.rules[column]):
            yield Conflict(row, column, *words, Severity.CRITICAL, 0.9)
            return


def _of_duty(pairs: Pairs, column: int, shown: Met) -> Iterator[Conflict]:
    """The figure by which a claim breaks the duty it meets otherwise, or is nearest to as the duty is to it."""
    row, likeness = shown.nearest, pairs.likeness(shown.nearest, column)
    is_mutual = pairs.nearest(row, 1) == [column] and likeness >= _MUTUAL
    is_near = is_mutual or (shown.strength >= 1 and likeness >= _RELATED)
    if is_near and (broken := _by_figure(pairs.claims[row], pairs.rules[column])):
        yield _conflict(row, column, broken, likeness)


def _conflict(row: int, column: int, broken: _Broken, likeness: float) -> Conflict:
    return Conflict(row, column, *broken, round(min(0.95, 0.5 + likeness / 2), 2))


def _by_figure(claim: Unit, rule: Unit) -> _Broken | None:
    broken = figures.broken(figures.beside(claim, rule))
    if broken is None:
        return None
    said, limit = broken
    if limit.role == "deadline" and different_recipients(claim.text, rule.text):
        return None
    if limit.role == "deadline" and _AUTHORITY.search(rule.text):
        return said.text, limit.text, Severity.CRITICAL
    return said.text, limit.text, Severity.MEDIUM if limit.role == "frequency" else Severity.HIGH


def _by_negation(claim: Unit, rule: Unit) -> _Broken | None:
    words = negation.contradiction(claim, rule)
    return (*words, Severity.CRITICAL if rule.kind is Kind.PROHIBITION else Severity.HIGH) if words else None


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


def gap_finding(claim: Unit | None, rule: Unit, title: str, theme: str, sure: float, more: int) -> Finding:
    """The finding of a duty for which no passage was found, which is not to say that there is none; ``more`` others stand under the same heading."""
    others = f" (and {more} further under “{rule.heading}”)" if more else ""
    return _finding(
        FindingKind.GAP, claim, rule, title, theme, Severity.MEDIUM, sure,
        delta=f"No passage found → {rule.label or 'Rule'}: {short(rule.text)}",
        consequence=f"No passage was found that meets this requirement of {title}{others}; if there is none, it is not met or cannot be evidenced.",
        suggestion=f"Add a clause that implements: “{short(rule.full, 220)}”",
    )  # fmt: skip


def _finding(
    kind: FindingKind, claim: Unit | None, rule: Unit, title: str, theme: str, severity: Severity, confidence: float, *,
    delta: str, consequence: str, suggestion: str,
) -> Finding:  # fmt: skip
    ruled, said = clip_quote(rule.text), clip_quote(claim.text) if claim else ""
    placed = claim if claim and claim.document else None
    return Finding(
        id=str(uuid4()), kind=kind, target_document=title, target_document_id=rule.document, theme=theme, severity=severity,
        consequence=consequence, source_quote=said, source_page=placed.page if placed else None, source_document_id=placed.document if placed else None,
        source_start=placed.start if placed else None, source_end=placed.start + len(said) if placed else None, target_quote=ruled,
        target_page=rule.page, target_start=rule.start, target_end=rule.start + len(ruled), suggestion=suggestion,
        confidence=confidence, delta=delta, source_label=claim.label if claim else "", target_label=rule.label,
    )  # fmt: skip


def review_pair(claim: Unit, rule: Unit, title: str, relation: float = 1.0, reason: str = "") -> ReviewPair:
    """A claim beside a rule, both sentences whole: a reader judges them. ``title`` is the target's."""
    placed = claim if claim.document else None
    return ReviewPair(
        source_quote=claim.text, source_page=placed.page if placed else None, source_document_id=placed.document if placed else None,
        source_start=placed.start if placed else None, source_end=placed.end if placed else None, source_label=claim.label, target_document=title,
        target_document_id=rule.document, target_quote=rule.text, target_introduction=rule.introduction, target_page=max(rule.page, 1),
        target_start=rule.start, target_end=rule.end, target_label=rule.label, relation=round(min(1.0, relation), 3), reason=reason,
    )  # fmt: skip


def theme_of(rule: Unit) -> str:
    """What a rule is about: its heading without the number, else its first words."""
    return short(re.sub(r"^\W*(?:[A-Za-z]+\.? )?[\dIVXLC]+[\w.()-]*\W+", "", rule.heading) or rule.text, 80)


def short(text: str, limit: int = _TITLE_CHARACTERS) -> str:
    """``text`` in one line, cut between words."""
    flat = " ".join(text.split()).strip(" .;")
    return flat if len(flat) <= limit else flat[:limit].rsplit(" ", 1)[0] + " …"


def reason_of(conflict: Conflict) -> tuple[CoverageStatus, str]:
    """The status and reason of a conflict's row in the coverage."""
    return CoverageStatus.CONFLICT, f"Conflict: “{short(conflict.said)}” against “{short(conflict.ruled)}”."
