"""The keyless audit: the claims of a source beside the register of each target (A4, A6)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from policypal.audit.coverage import Met, assess
from policypal.audit.findings import (
    Conflict,
    conflict_finding,
    find_conflicts,
    gap_finding,
    keeps_limits,
    reason_of,
    review_pair,
    theme_of,
)
from policypal.audit.narrowing import most_related
from policypal.audit.pairs import Pairs
from policypal.audit.units import Unit, in_scope
from policypal.audit.verdict import MOST_UNSURE, Tally
from policypal.domain.audits import CoverageRow, CoverageStatus, Finding, ReviewPair
from policypal.gate.grammar import negates
from policypal.gate.quotable import clip_quote
from policypal.search.embeddings import Embedder, OnceEmbedder
from policypal.text.obligation_parts import obligation_parts

VERSION = "2026-3"
"""Recorded with every report, and raised when the rules change."""
NEAREST = 5
"""Rules beside which a claim is shown."""
_CONCERNS = 0.2
"""From this likeness on, a claim speaks of what a rule is about."""
_MOST_PAIRS = 4_000
_MANY_GAPS = 40
"""From so many gaps on, they are reported once per heading; coverage still shows each."""
_FORMALITY = re.compile(
    r"\s*(?:(?:from|to|cc|bcc|date|sent|subject|re)\s*:|dear\b|hello\b|hi\b|(?:kind|best|warm)\s+regards|yours\s|sincerely)",
    re.I,
)


@dataclass(slots=True)
class Audit:
    """What the rules can say: ``findings`` that are sure, by target and then by severity; ``review``, the other claims beside the rules
    nearest to them; ``coverage`` of every obligation in a policy; how many obligations of each target were judged."""

    findings: list[Finding] = field(default_factory=list)
    review: list[ReviewPair] = field(default_factory=list)
    coverage: list[CoverageRow] = field(default_factory=list)
    not_assessed: list[str] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)


def audit(
    mode: Literal["text", "policy"],
    claims: Sequence[Unit],
    rules: Sequence[Unit],
    titles: dict[str, str],
    embedder: Embedder,
    focus: str = "",
) -> Audit:
    """Audit ``claims`` against those ``rules`` that concern ``focus`` (all, where it is empty). ``titles`` are the targets by id, in order.
    In "policy" mode every obligation also gets a coverage row and, where nothing in the source meets it, a gap. Deterministic."""
    result = Audit()
    said = [c for c in claims if not _FORMALITY.match(c.text)]
    once = OnceEmbedder(embedder)
    for target, title in titles.items():
        asked = in_scope([r for r in rules if r.document == target], focus)
        if not any(r.kind.binds for r in asked):
            what = f" that speaks of “{focus}”" if focus else ""
            result.not_assessed.append(f"{title}: no obligation{what} was found in it.")
        elif said:
            _audit_target(result, mode, said, asked, title, once)
        else:
            result.tallies[target] = Tally(sum(r.kind.binds for r in asked), seeks_gaps=mode == "policy")
    if len(result.review) > _MOST_PAIRS:
        result.review = sorted(result.review, key=lambda pair: -pair.relation)[:_MOST_PAIRS]
        result.not_assessed.append(f"To review lists the {_MOST_PAIRS} nearest pairs of claims and rules only.")
    return result


def _audit_target(
    result: Audit, mode: str, claims: Sequence[Unit], rules: Sequence[Unit], title: str, embedder: Embedder
) -> None:
    near = most_related(claims, rules, embedder)
    if left := len(claims) - len(near):
        told = f"{left:,} of {len(claims):,} sentences of the source are near none of its rules and were not compared"
        result.not_assessed.append(f"{title}: {told}.")
        claims = near
    pairs = Pairs(claims, rules, embedder)
    binding = [column for column, rule in enumerate(rules) if rule.kind.binds]
    met = dict(zip(binding, assess(claims, [rules[c] for c in binding], embedder), strict=True))
    conflicts = find_conflicts(pairs, met)
    findings = [conflict_finding(pairs, c, title, theme_of(rules[c.column])) for c in conflicts]
    if mode == "policy":
        met = {column: _with_figures(pairs, column, found) for column, found in met.items()}
        related = _related(pairs, met, conflicts)
        tally = _tally_of_policy(claims, rules, met, conflicts, related)
        if tally.is_of_another_subject:
            met = {c: found if c in related else _strange(found) for c, found in met.items()}
        result.coverage += _rows(claims, rules, met, conflicts, title)
        findings += _gaps(claims, rules, met, conflicts, title)
    else:
        tally = _tally_of_text(pairs, met, conflicts)
    findings.sort(key=lambda f: (f.severity.rank, -f.confidence))
    result.tallies[rules[0].document] = tally
    result.findings += findings
    least = _CONCERNS if tally.is_of_another_subject else 0
    result.review += [p for p in _review(pairs, conflicts, title, mode == "policy") if p.relation >= least]


def _with_figures(pairs: Pairs, column: int, found: Met) -> Met:
    """A duty whose figure a claim on just this rule keeps is no gap: a reader decides."""
    row = int(pairs.relation[:, column].argmax())
    close = pairs.nearest(row, 1) == [column] and pairs.likeness(row, column) >= 2 * _CONCERNS
    if found.status is not CoverageStatus.GAP or not close or not pairs.claims[row].asserts:
        return found
    reason = "A closely related clause exists, but not all that is required was recognised in it."
    return Met(CoverageStatus.PARTIAL, row, found.strength, reason)


def _related(pairs: Pairs, met: dict[int, Met], conflicts: Sequence[Conflict]) -> set[int]:
    """The obligations with a related passage: one that shares concepts with them and also says something of the same. A concept or two in
    common have any two documents that oblige somebody."""
    near = {
        c
        for c, found in met.items()
        if found.status is not CoverageStatus.GAP and pairs.likeness(found.nearest, c) >= _CONCERNS
    }
    return near | {c.column for c in conflicts if c.column in met}


def _strange(found: Met) -> Met:
    reason = "The policy seems to be about another subject than this regulation, so that nothing is called missing."
    return replace(found, status=CoverageStatus.NOT_JUDGED, reason=reason)


def _rows(
    claims: Sequence[Unit], rules: Sequence[Unit], met: dict[int, Met], conflicts: Sequence[Conflict], title: str
) -> list[CoverageRow]:
    broken = {c.column: c for c in conflicts}
    rows = []
    for column, found in met.items():
        rule, conflict = rules[column], broken.get(column)
        status, reason = reason_of(conflict) if conflict else (found.status, found.reason)
        nearest = conflict.row if conflict else found.nearest
        claim = claims[nearest] if nearest >= 0 else None
        quote, parts = clip_quote(rule.text), obligation_parts(rule.full)
        rows.append(
            CoverageRow(
                obligation=quote, target_document_id=rule.document, target_document=title, heading=rule.heading, page=rule.page,
                start=rule.start, end=rule.start + len(quote), bound_party=rule.party, modality=rule.kind.value,
                condition=parts.condition, deadline=parts.deadline, threshold=parts.threshold, exception=parts.exception,
                status=status, policy_quote=clip_quote(claim.text) if claim else "", policy_page=claim.page if claim else None,
                reason=reason,
            )
        )  # fmt: skip
    return rows


def _gaps(
    claims: Sequence[Unit], rules: Sequence[Unit], met: dict[int, Met], conflicts: Sequence[Conflict], title: str
) -> list[Finding]:
    """A finding per gap; where there are many, the clearest under each heading, saying how many more there are."""
    broken = {c.column for c in conflicts}
    gaps = [c for c, found in met.items() if found.status is CoverageStatus.GAP and c not in broken]
    if len(gaps) <= _MANY_GAPS:
        groups = [[gap] for gap in gaps]
    else:
        groups = [list(group) for _, group in groupby(gaps, key=lambda c: rules[c].heading)]
    found = []
    for group in groups:
        column = min(group, key=lambda c: met[c].strength)
        nearest, absence = met[column].nearest, min(1.0, max(0.0, 1 - met[column].strength))
        claim = claims[nearest] if nearest >= 0 else None
        sure = min(MOST_UNSURE, round(0.5 + absence / 2, 2))
        found.append(gap_finding(claim, rules[column], title, theme_of(rules[column]), sure, len(group) - 1))
    return found


def _tally_of_policy(
    claims: Sequence[Unit], rules: Sequence[Unit], met: dict[int, Met], conflicts: Sequence[Conflict], related: set[int]
) -> Tally:
    """What the whole policy was searched for. "Partial" needs a reader and is not judged; neither is a passage that seems to meet a duty
    and differs from it in a negation."""
    broken = {c.column for c in conflicts if c.column in met}
    left = {column: found for column, found in met.items() if column not in broken}
    covered = [c for c, found in left.items() if _is_covered(claims, rules[c], found)]
    gaps = sum(found.status is CoverageStatus.GAP for found in left.values())
    judged = len(covered) + len(broken) + gaps
    tally = Tally(len(met), judged, len(covered), len(related), len(met), seeks_gaps=True)
    if tally.is_of_another_subject:
        covered = [c for c in covered if c in related]
        tally = replace(tally, judged=len(covered) + len(broken), covered=len(covered))
    return tally


def _tally_of_text(pairs: Pairs, met: dict[int, Met], conflicts: Sequence[Conflict]) -> Tally:
    """Of a text only what it says is judged: a rule it breaks, one whose figure it states and keeps, and one that a sentence on just this
    rule meets. That a sentence resembles a rule is no judgement."""
    broken = {c.column for c in conflicts if c.column in met}
    shown = {
        column
        for column, found in met.items()
        if pairs.nearest(found.nearest, 1) == [column]
        and pairs.likeness(found.nearest, column) >= 2 * _CONCERNS
        and _is_covered(pairs.claims, pairs.rules[column], found)
    } - broken
    judged = broken | shown | (keeps_limits(pairs) & met.keys())
    concerned = {pairs.nearest(row, 1)[0] for row in range(len(pairs.claims)) if _is_related(pairs, row)}
    return Tally(len(met), len(judged), len(shown), len(judged | (concerned & met.keys())), len(judged))


def _is_related(pairs: Pairs, row: int) -> bool:
    return pairs.likeness(row, pairs.nearest(row, 1)[0]) >= _CONCERNS


def _is_covered(claims: Sequence[Unit], rule: Unit, found: Met) -> bool:
    return found.status is CoverageStatus.COVERED and negates(claims[found.nearest].text) == negates(rule.text)


def _review(pairs: Pairs, conflicts: Sequence[Conflict], title: str, is_policy: bool) -> list[ReviewPair]:
    """Every claim beside the rules nearest to it, in reading order, but for what is a finding already. In a policy captions are no claims;
    a chat or a note has no other form."""
    told = {(c.row, c.column) for c in conflicts}
    return [
        review_pair(pairs.claims[row], pairs.rules[column], title, pairs.likeness(row, column))
        for row, claim in enumerate(pairs.claims)
        if claim.asserts or not is_policy
        for column in pairs.nearest(row, NEAREST)
        if (row, column) not in told
    ]
