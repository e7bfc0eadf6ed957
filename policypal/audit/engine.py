"""The audit itself: claims against rules, then rules against the policy (A4, A6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from policypal.audit import wording
from policypal.audit.comparison import comparable, limit_conflict
from policypal.audit.conflicts import Found, find_conflicts, kept_limits
from policypal.audit.coverage import assess
from policypal.audit.desk import Desk, prepare
from policypal.audit.pairs import Conflict, Nature
from policypal.audit.reading import AuditPassage, Statement, read_statements
from policypal.audit.verdict import Tally
from policypal.domain.audits import CoverageStatus, Severity
from policypal.gate.claims import negates
from policypal.request.focus import concerns
from policypal.search.embeddings import Embedder, OnceEmbedder
from policypal.text.obligations import is_definition


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """A conflict or gap between a source statement and a rule, worded."""

    conflict: Conflict
    source: Statement
    rule: Statement
    severity: Severity
    theme: str
    consequence: str
    suggestion: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """One rule and how the source meets it; ``source`` is the matching or nearest statement."""

    rule: Statement
    status: CoverageStatus
    source: Statement
    reason: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What the rules found. ``tally`` says of how many obligations they could tell whether they are met."""

    findings: list[AuditFinding]
    coverage: list[Coverage]
    not_assessed: list[str]
    tally: Tally
    statements: int


def audit(
    mode: Literal["text", "policy"],
    source: Sequence[AuditPassage],
    targets: Sequence[AuditPassage],
    titles: dict[str, str],
    themes: list[str],
    embedder: Embedder,
    focus: str = "",
) -> Audit:
    """Audit ``source`` against those obligations of ``targets`` that concern ``focus`` (all, where it is empty). In "policy" mode every obligation also gets a coverage row and, where
    nothing in the source meets it, a gap. Deterministic; findings are ordered by target, then severity."""
    statements = [
        s for s in read_statements(source, split=True) if not is_definition(s.text) and not s.text.endswith("?")
    ]
    clauses = read_statements(targets)
    rules = _in_focus(_rules(clauses), focus)
    not_assessed = _without_rules(rules, titles, focus)
    if not statements or not rules:
        return Audit([], [], not_assessed, Tally(len(rules), seeks_gaps=mode == "policy"), len(statements))
    embedder = OnceEmbedder(embedder)
    desk = prepare(statements, clauses, rules, titles, embedder)
    found = find_conflicts(desk, mode)
    coverage, gaps = _coverage(desk, found, embedder) if mode == "policy" else ([], [])
    if mode == "text":
        not_assessed += _unrelated(desk)
        tally = _tally_of_text(desk, found, embedder)
    else:
        tally = _tally_of_policy(coverage)
    findings = [_worded(desk, themes, row, column, conflict) for row, column, conflict in [*found, *gaps]]
    order = list(titles)
    findings.sort(key=lambda f: (order.index(f.rule.document), f.severity.rank, -f.confidence))
    return Audit(findings, coverage, not_assessed, tally, len(statements))


def obligations_of(targets: Sequence[AuditPassage], focus: str = "") -> list[Statement]:
    """The obligations that the rules read in the passages of targets, as far as they concern ``focus``: what an audit is
    measured by (A4, A6)."""
    return _in_focus(_rules(read_statements(targets)), focus)


def _in_focus(rules: list[Statement], focus: str) -> list[Statement]:
    """The rules that speak of what the audit is limited to, or stand under a heading that does (G0)."""
    return [r for r in rules if concerns(focus, r.text, r.heading or "")]


_QUALIFIED = (
    r"^(?:(?:the|each|every|any|all|a|an|that|lead|national|competent|relevant|european|federal|other|such|concerned|those|these)\s+)*"
    r"(?:supervisory |competent |judicial |regulatory |data protection )*"
)
_REGULATOR = re.compile(
    rf"{_QUALIFIED}(?:authorit(?:y|ies)|regulators?|(?:european )?commission$|member states?|courts?|minist(?:er|ry)|parliament|"
    r"governments?|central bank|central government|secretar(?:y|ies) (?:of state|general)|secretary-general|edpb|european data protection)\b",
    re.I,
)
_PUBLIC_OFFICE = re.compile(rf"{_QUALIFIED}(?:commissioner|agency|ombudsman|council|secretariat)\b", re.I)
"""Companies have such offices, too; they are public where the document also binds an authority."""


def _rules(clauses: Sequence[Statement]) -> list[Statement]:
    """The obligations of the clauses but those of authorities and legislators, which no policy can meet."""
    binding = [c for c in clauses if c.obligation is not None and c.obligation.binding]
    public = {c.document for c in binding if _is_party(c, _REGULATOR)}
    return [
        c
        for c in binding
        if not _is_party(c, _REGULATOR) and not (c.document in public and _is_party(c, _PUBLIC_OFFICE))
    ]


def _is_party(rule: Statement, named: re.Pattern[str]) -> bool:
    return rule.obligation is not None and named.match(rule.obligation.party) is not None


_MANY_GAPS = 40
"""From so many gaps on, they are reported once per heading; coverage still shows each."""


def _coverage(desk: Desk, found: list[Found], embedder: Embedder) -> tuple[list[Coverage], list[Found]]:
    """A coverage row for every rule; rules with a conflict show it, and gaps become findings."""
    conflicts = {column: (row, conflict) for row, column, conflict in found}
    rows: list[Coverage] = []
    gaps: list[Found] = []
    for column, verdict in enumerate(assess(desk.source, desk.rules, embedder)):
        rule = desk.rules[column]
        if column in conflicts:
            row, conflict = conflicts[column]
            rows.append(Coverage(rule, CoverageStatus.CONFLICT, desk.source[row], _reason(conflict)))
            continue
        close = _close_claim(desk, column) if verdict.status is CoverageStatus.GAP else None
        if close is not None:
            rows.append(Coverage(rule, CoverageStatus.PARTIAL, desk.source[close], _CLOSE_CLAUSE))
            continue
        rows.append(Coverage(rule, verdict.status, desk.source[verdict.nearest], verdict.reason))
        if verdict.status is CoverageStatus.GAP:
            strength = 0.5 + verdict.absence / 2
            gaps.append((verdict.nearest, column, Conflict(Nature.MISSING, "", rule.text, strength)))
    return rows, gaps if len(gaps) <= _MANY_GAPS else _by_heading(desk, gaps)


def _tally_of_policy(coverage: list[Coverage]) -> Tally:
    """What the whole policy was searched for. "Partial" needs a reader and is not judged; neither is a passage that seems to
    meet a duty and differs from it in a negation."""
    covered = [c for c in coverage if c.status is CoverageStatus.COVERED and _same_polarity(c.source, c.rule)]
    decided = sum(c.status in (CoverageStatus.CONFLICT, CoverageStatus.GAP) for c in coverage)
    related = sum(c.status is not CoverageStatus.GAP for c in coverage)
    return Tally(len(coverage), len(covered) + decided, len(covered), related, len(coverage), seeks_gaps=True)


def _tally_of_text(desk: Desk, found: list[Found], embedder: Embedder) -> Tally:
    """Of a text only what it says is judged: a rule it breaks, one whose figure it states and keeps, and one that a
    sentence on just this rule meets. That a sentence resembles a rule is no judgement."""
    broken = {column for _, column, _ in found}
    met = {
        column
        for column, verdict in enumerate(assess(desk.source, desk.rules, embedder))
        if verdict.status is CoverageStatus.COVERED
        and desk.pair(verdict.nearest, column).mutual
        and _same_polarity(desk.source[verdict.nearest], desk.rules[column])
    } - broken
    judged = broken | met | kept_limits(desk)
    related = int((desk.best_claim >= _UNRELATED).sum())
    return Tally(len(desk.rules), len(judged), len(met), max(related, len(judged)), len(judged))


def _same_polarity(claim: Statement, rule: Statement) -> bool:
    return negates(claim.text) == negates(rule.text)


_CLOSE_CLAUSE = "A closely related clause exists, but not all that is required was recognised in it."


def _close_claim(desk: Desk, column: int) -> int | None:
    """A claim on just this rule, or one that states its figure and keeps it: a reader decides, it is no gap."""
    row = int(desk.matches.relation[:, column].argmax())
    pair = desk.pair(row, column)
    if pair.mutual and pair.relation >= _CLOSE_CLAIM:
        return row
    keeps = pair.relation >= _CLOSE_FIGURE and bool(comparable(pair.claim, pair.rule)) and limit_conflict(pair) is None
    return row if keeps else None


_CLOSE_CLAIM = 0.5
_CLOSE_FIGURE = 0.4


def _by_heading(desk: Desk, gaps: list[Found]) -> list[Found]:
    """The clearest gap under each heading, saying how many more there are."""
    groups: dict[tuple[str, str], list[Found]] = {}
    for gap in gaps:
        rule = desk.rules[gap[1]]
        groups.setdefault((rule.document, rule.heading or f"passage {rule.passage}"), []).append(gap)
    merged = []
    for (_, heading), members in groups.items():
        row, column, conflict = max(members, key=lambda g: g[2].strength)
        more = f" (and {len(members) - 1} further under “{heading}”)" if len(members) > 1 else ""
        merged.append((row, column, replace(conflict, said=more)))
    return merged


def _reason(conflict: Conflict) -> str:
    said, ruled = " ".join(conflict.said.split())[:120], " ".join(conflict.ruled.split())[:120]
    return f"Conflict ({conflict.nature.value}): “{said}” against “{ruled}”."


def _worded(desk: Desk, themes: list[str], row: int, column: int, conflict: Conflict) -> AuditFinding:
    rule, source = desk.rules[column], desk.source[row]
    level = wording.severity(conflict.nature, rule)
    return AuditFinding(
        conflict,
        source,
        rule,
        level,
        wording.theme(rule, themes),
        wording.consequence(conflict, level, desk.title(rule)),
        wording.suggestion(conflict, rule),
        round(min(0.95, max(0.3, conflict.strength)), 2),
    )


def _without_rules(rules: list[Statement], titles: dict[str, str], focus: str) -> list[str]:
    bound = {r.document for r in rules}
    what = f" that speaks of “{focus}”" if focus else ""
    return [f"{t}: no obligation{what} was found in the passages read." for d, t in titles.items() if d not in bound]


_UNRELATED = 0.25
_FORMALITY = re.compile(
    r"\s*(?:(?:from|to|cc|bcc|date|sent|subject|re)\s*:|dear\b|hello\b|hi\b|(?:kind|best|warm)\s+regards|yours\s|sincerely|unsubscribe\b)",
    re.I,
)
"""Headers, greetings and closings of letters claim nothing."""
_MOST_LISTED = 10


def _unrelated(desk: Desk) -> list[str]:
    """Claims for which no rule on their subject was found."""
    best = desk.matches.relation.max(axis=1)
    quotes = [
        s.quote
        for s, score in zip(desk.source, best, strict=True)
        if score < _UNRELATED and not _FORMALITY.match(s.quote)
    ]
    listed = [f"No related rule was found for: “{' '.join(q.split())[:160]}”" for q in quotes[:_MOST_LISTED]]
    more = len(quotes) - len(listed)
    return [*listed, f"{more} further statements have no related rule."] if more > 0 else listed
