"""The audit itself: claims against rules, then rules against the policy (A4, A6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from policypal.domain.audits import CoverageStatus, Severity
from policypal.services.audit import wording
from policypal.services.audit.limits import batch_conflict, comparable, limit_conflict, unbounded_conflict
from policypal.services.audit.matching import Matches, Matrix, Weights, match, share_of_rules, subject_concepts
from policypal.services.audit.pairs import Conflict, Nature, Pair
from policypal.services.audit.polarity import contrast_conflict, order_conflict, polarity_conflict
from policypal.services.audit.promotions import promise_conflict, undisclosed
from policypal.services.audit.reading import AuditPassage, Statement, read_statements
from policypal.services.audit.vocabulary import GENERIC
from policypal.services.audit.weakening import scope_conflict, vague_conflict, weakened_conflict
from policypal.services.embeddings import Embedder
from policypal.services.obligations import is_definition


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
    """What the rules found. ``rules`` is the number of obligations compared, the denominator of coverage."""

    findings: list[AuditFinding]
    coverage: list[Coverage]
    not_assessed: list[str]
    rules: int
    statements: int


@dataclass(slots=True)
class _Desk:
    """Everything one audit looks at, prepared once."""

    source: list[Statement]
    rules: list[Statement]
    source_concepts: list[frozenset[str]]
    rule_concepts: list[frozenset[str]]
    weights: Weights
    matches: Matches
    titles: dict[str, str]
    themes: list[str] = field(default_factory=list)

    def pair(self, row: int, column: int) -> Pair:
        return Pair(
            self.source[row],
            self.rules[column],
            self.source_concepts[row],
            self.rule_concepts[column],
            float(self.matches.relation[row, column]),
            float(self.matches.of_source[row, column]),
            float(self.matches.of_rule[row, column]),
            self.weights,
        )

    def title(self, rule: Statement) -> str:
        return self.titles.get(rule.document, "the target")


def audit(
    mode: Literal["text", "policy"],
    source: Sequence[AuditPassage],
    targets: Sequence[AuditPassage],
    titles: dict[str, str],
    themes: list[str],
    embedder: Embedder,
) -> Audit:
    """Audit ``source`` against ``targets``. In "policy" mode every obligation also gets a coverage row and, where
    nothing in the source meets it, a gap. Deterministic; findings are ordered by target, then severity."""
    statements = [
        s for s in read_statements(source, split=True) if not is_definition(s.text) and not s.text.endswith("?")
    ]
    clauses = read_statements(targets)
    rules = [c for c in clauses if c.obligation is not None and c.obligation.binding and not _binds_regulator(c)]
    not_assessed = _without_rules(rules, titles)
    if not statements or not rules:
        return Audit([], [], not_assessed, len(rules), len(statements))
    desk = _prepare(statements, clauses, rules, titles, themes, embedder)
    found = _conflicts(desk, mode)
    coverage, gaps = _coverage(desk, found) if mode == "policy" else ([], [])
    if mode == "text":
        not_assessed += _unrelated(desk)
    findings = [_worded(desk, row, column, conflict) for row, column, conflict in [*found, *gaps]]
    order = list(titles)
    findings.sort(key=lambda f: (order.index(f.rule.document), f.severity.rank, -f.confidence))
    return Audit(findings, coverage, not_assessed, len(rules), len(statements))


_REGULATOR = re.compile(
    r"^(?:(?:the|each|every|any|all|a|an|that|lead|national|competent|relevant|european|other|other|such|concerned|those|these)\s+)*"
    r"(?:supervisory |competent |judicial |regulatory |data protection )*"
    r"(?:authorit(?:y|ies)|regulators?|(?:european )?commission$|commissioner|member states?|agency|ombudsman|courts?|minist(?:er|ry)|parliament|governments?|"
    r"council|central bank|central government|secretar(?:y|iat)|edpb|european data protection)\b",
    re.I,
)


def _binds_regulator(rule: Statement) -> bool:
    return rule.obligation is not None and bool(_REGULATOR.match(rule.obligation.party))


def _prepare(
    statements: list[Statement],
    clauses: list[Statement],
    rules: list[Statement],
    titles: dict[str, str],
    themes: list[str],
    embedder: Embedder,
) -> _Desk:
    source_concepts = [subject_concepts(s) for s in statements]
    rule_concepts = [subject_concepts(r) for r in rules]
    weights = Weights([subject_concepts(c) for c in clauses])
    matches = match(statements, source_concepts, rules, rule_concepts, weights, embedder)
    return _Desk(statements, rules, source_concepts, rule_concepts, weights, matches, titles, themes)


_CANDIDATES = 15
_MIN_NUMERIC_RELATION = 0.27
_CLOSE_RELATION = 0.34
_Found = tuple[int, int, Conflict]


def _conflicts(desk: _Desk, mode: Literal["text", "policy"]) -> list[_Found]:
    found: list[_Found] = []
    for row in range(len(desk.source)):
        for document in desk.titles:
            found += _claim_conflicts(desk, row, _candidates(desk, row, document))
    if mode == "text":
        found += _undisclosed(desk)
    return _distinct(found, desk)


def _candidates(desk: _Desk, row: int, document: str) -> list[Pair]:
    columns = [c for c in np.argsort(-desk.matches.relation[row], kind="stable") if desk.rules[c].document == document]
    special = [c for c in columns[_CANDIDATES:] if desk.matches.relation[row, c] > 0.12]
    return [desk.pair(row, int(c)) for c in [*columns[:_CANDIDATES], *special[:60]]]


def _claim_conflicts(desk: _Desk, row: int, pairs: list[Pair]) -> list[_Found]:
    """At most one conflict in numbers and one in wording per claim and target."""
    chosen = [_unbounded(pairs) or _numeric(pairs), _worded_conflict(pairs[:_CANDIDATES]) or _promise(pairs)]
    columns = {id(r): c for c, r in enumerate(desk.rules)}
    return [(row, columns[id(pair.rule)], conflict) for choice in chosen if choice for pair, conflict in [choice]]


_Choice = tuple[Pair, Conflict]


def _unbounded(pairs: list[Pair]) -> _Choice | None:
    if not any(q.unbounded for q in pairs[0].claim.quantities) if pairs else True:
        return None
    choices = [(p, c) for p in pairs if p.shared and (c := unbounded_conflict(p))]
    return max(choices, key=lambda x: x[1].strength + x[0].relation, default=None)


def _numeric(pairs: list[Pair]) -> _Choice | None:
    """The rule closest in subject that limits the same thing decides, whether it is broken or met."""
    able = [p for p in pairs if p.claim.quantities and _on_topic(p) and comparable(p.claim, p.rule)]
    if not able:
        return None
    best = max(able, key=lambda p: p.relation)
    conflict = limit_conflict(best)
    return (best, conflict) if conflict else None


def _on_topic(pair: Pair) -> bool:
    telling = pair.weights.total(pair.shared)
    whole = pair.weights.total(pair.claim_concepts - GENERIC)
    close = telling >= 0.34 * whole or pair.relation >= _CLOSE_RELATION
    return pair.relation >= _MIN_NUMERIC_RELATION and bool(pair.shared) and close


def _worded_conflict(pairs: list[Pair]) -> _Choice | None:
    detectors = (
        polarity_conflict,
        batch_conflict,
        order_conflict,
        contrast_conflict,
        scope_conflict,
        vague_conflict,
        weakened_conflict,
    )
    best: tuple[float, _Choice] | None = None
    for pair in pairs:
        for rank, detect in enumerate(detectors):
            conflict = detect(pair)
            if conflict and (best is None or pair.relation - rank * 0.01 > best[0]):
                best = (pair.relation - rank * 0.01, (pair, conflict))
    if best is None:
        return None
    # A far closer rule that the claim does not contradict speaks for the claim.
    closest = max(p.relation for p in pairs)
    return best[1] if best[1][0].relation >= 0.75 * closest else None


def _promise(pairs: list[Pair]) -> _Choice | None:
    choices = [(p, c) for p in pairs if (c := promise_conflict(p))]
    return max(choices, key=lambda x: (x[1].strength, x[0].relation), default=None)


def _undisclosed(desk: _Desk) -> list[_Found]:
    found = []
    for column, rule in enumerate(desk.rules):
        missing = undisclosed(desk.source, rule, desk.weights)
        if missing:
            found.append((missing[0], column, missing[1]))
    return found


def _distinct(found: list[_Found], desk: _Desk) -> list[_Found]:
    """One finding per rule, the strongest; and one per claim, target and kind of conflict."""
    kept: list[_Found] = []
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


_COVERED = 0.45
_PARTIAL = 0.35
_MANY_GAPS = 40
"""From so many gaps on, they are reported once per heading; coverage still shows each."""


def _coverage(desk: _Desk, found: list[_Found]) -> tuple[list[Coverage], list[_Found]]:
    conflicts = {column: (row, conflict) for row, column, conflict in found}
    adequacy = _adequacy(desk)
    rows: list[Coverage] = []
    gaps: list[_Found] = []
    for column, rule in enumerate(desk.rules):
        nearest = int(adequacy[:, column].argmax())
        score = float(adequacy[nearest, column])
        if column in conflicts:
            row, conflict = conflicts[column]
            rows.append(Coverage(rule, CoverageStatus.CONFLICT, desk.source[row], _reason(conflict)))
        elif score >= _COVERED:
            rows.append(Coverage(rule, CoverageStatus.COVERED, desk.source[nearest], f"Matching clause ({score:.0%})."))
        elif score >= _PARTIAL:
            rows.append(Coverage(rule, CoverageStatus.PARTIAL, desk.source[nearest], _partly(desk, nearest, column)))
        else:
            reason = f"No clause meets it; the nearest is shown ({score:.0%})."
            rows.append(Coverage(rule, CoverageStatus.GAP, desk.source[nearest], reason))
            gaps.append((nearest, column, Conflict(Nature.MISSING, "", rule.text, 0.5 + (_PARTIAL - score))))
    return rows, gaps if len(gaps) <= _MANY_GAPS else _by_heading(desk, gaps)


def _by_heading(desk: _Desk, gaps: list[_Found]) -> list[_Found]:
    """The clearest gap under each heading, saying how many more there are."""
    groups: dict[tuple[str, str], list[_Found]] = {}
    for gap in gaps:
        rule = desk.rules[gap[1]]
        groups.setdefault((rule.document, rule.heading or f"passage {rule.passage}"), []).append(gap)
    merged = []
    for (_, heading), members in groups.items():
        row, column, conflict = max(members, key=lambda g: g[2].strength)
        more = f" (and {len(members) - 1} further under “{heading}”)" if len(members) > 1 else ""
        merged.append((row, column, replace(conflict, said=more)))
    return merged


def _adequacy(desk: _Desk) -> Matrix:
    """How well each statement meets each rule: the rule's own concepts found in it or in it and its neighbours
    (a policy spreads a duty over sentences), cosine, and equal figures."""
    m = desk.matches
    lexical = 0.2 * m.of_rule + 0.1 * m.of_source + 0.2 * _with_neighbours(desk)
    return np.asarray(lexical + 0.5 * m.cosine + _EQUAL_FIGURE * _equal_figures(desk), dtype=np.float32)


_EQUAL_FIGURE = 0.1


def _with_neighbours(desk: _Desk) -> Matrix:
    """The share of each rule's concepts found in a statement or the ones directly before and after it."""
    own = desk.source_concepts
    windows = [own[max(0, i - 1)] | own[i] | own[min(len(own) - 1, i + 1)] for i in range(len(own))]
    return share_of_rules(windows, desk.rule_concepts, desk.weights)


def _equal_figures(desk: _Desk) -> Matrix:
    """1 where statement and rule state the same figure, else 0."""
    equal = np.zeros_like(desk.matches.relation)
    figures = [{(q.kind, round(q.value, 1)) for q in s.quantities} for s in desk.source]
    for column, rule in enumerate(desk.rules):
        wanted = {(q.kind, round(q.value, 1)) for q in rule.quantities}
        if wanted:
            equal[[i for i, f in enumerate(figures) if f & wanted], column] = 1
    return equal


def _reason(conflict: Conflict) -> str:
    said, ruled = " ".join(conflict.said.split())[:120], " ".join(conflict.ruled.split())[:120]
    return f"Conflict ({conflict.nature.value}): “{said}” against “{ruled}”."


def _partly(desk: _Desk, row: int, column: int) -> str:
    missing = sorted(desk.rule_concepts[column] - desk.source_concepts[row] - GENERIC, key=desk.weights.of)[-3:]
    return f"A related clause exists; not found in it: {', '.join(missing)}." if missing else "A related clause exists."


def _worded(desk: _Desk, row: int, column: int, conflict: Conflict) -> AuditFinding:
    rule, source = desk.rules[column], desk.source[row]
    level = wording.severity(conflict.nature, rule)
    return AuditFinding(
        conflict,
        source,
        rule,
        level,
        wording.theme(rule, desk.themes),
        wording.consequence(conflict, level, desk.title(rule)),
        wording.suggestion(conflict, rule),
        round(min(0.95, max(0.3, conflict.strength)), 2),
    )


def _without_rules(rules: list[Statement], titles: dict[str, str]) -> list[str]:
    bound = {r.document for r in rules}
    return [f"{title}: no obligation was found in the passages read." for d, title in titles.items() if d not in bound]


_UNRELATED = 0.25
_FORMALITY = re.compile(
    r"\s*(?:(?:from|to|cc|bcc|date|sent|subject|re)\s*:|dear\b|hello\b|hi\b|(?:kind|best|warm)\s+regards|yours\s|sincerely|unsubscribe\b)",
    re.I,
)
"""Headers, greetings and closings of letters claim nothing."""
_MOST_LISTED = 10


def _unrelated(desk: _Desk) -> list[str]:
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
