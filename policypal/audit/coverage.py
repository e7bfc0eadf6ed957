"""Whether a policy meets each obligation of a regulation, and what shows it (A6). Described in docs/coverage.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policypal.audit.duties import figures, read_duty
from policypal.audit.evidence import Evidence, read_evidence
from policypal.audit.fit import Comparison, Matrix, compare
from policypal.audit.reading import Statement
from policypal.audit.thesaurus import is_light, read_words
from policypal.domain.audits import CoverageStatus
from policypal.search.embeddings import Embedder, cosine

LITERALNESS_QUANTILE = 0.7
ENOUGH = 0.7
THRESHOLDS = (0.4, 0.7)
"""A passage is enough at ENOUGH times the fit that the policy reaches for the better part of the list: a policy that
follows the regulation's words is held to them, one in its own words is not. benchmarks/fit_coverage.py compares these with others."""
_TOUCHED, _UNTOUCHED = 0.4, 0.2
_LEAST_OF_STRANGERS = 0.55
"""Between these fits of the better part of the list, the lower threshold grows to the last one: of a rulebook on another
subject, single words in common show nothing."""
_RELATED, _CLEARLY_RELATED = 0.6, 0.8
_SHARED, _SIMILAR = 0.4, 0.5
"""Shares of the threshold: below the first, the nearest passage shows nothing; up to the second, it is related only if it
shares that much of the duty's concepts, or is that similar."""
_LEAST_SHARED = 0.25
"""A passage that mentions less than this of the duty's concepts never covers it, however alike it sounds."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the policy meets one obligation. ``nearest`` indexes the statements searched; ``absence`` in [0, 1] is how
    far they are from meeting it; ``reason`` is for the reader: what was searched and what the passage lacks."""

    status: CoverageStatus
    nearest: int
    reason: str
    absence: float


def assess(source: Sequence[Statement], rules: Sequence[Statement], embedder: Embedder) -> list[Verdict]:
    """A verdict for every rule, in their order; never a conflict. The rules of one document compete for the passages."""
    evidence = read_evidence(source)
    if not evidence:
        return [Verdict(CoverageStatus.GAP, 0, "The policy has no sentence to search.", 1.0) for _ in rules]
    similarity = cosine(embedder.embed([e.text for e in evidence]), embedder.embed([r.full for r in rules]))
    verdicts: dict[int, Verdict] = {}
    for document in dict.fromkeys(rule.document for rule in rules):
        columns = [c for c, rule in enumerate(rules) if rule.document == document]
        listed = _assess_list(evidence, [rules[c] for c in columns], similarity[:, columns])
        verdicts |= dict(zip(columns, listed, strict=True))
    return [verdicts[column] for column in range(len(rules))]


def enough(best: Matrix, share: float = ENOUGH, quantile: float = LITERALNESS_QUANTILE) -> float:
    """The score from which on a passage meets an obligation, from the best scores of all obligations of a list. Where a
    policy reaches hardly any of the list it may be about something else, and the least that is enough grows."""
    reached = float(np.quantile(best, quantile))
    least, most = THRESHOLDS
    strange = float(np.clip((_TOUCHED - reached) / (_TOUCHED - _UNTOUCHED), 0, 1))
    return float(np.clip(share * reached, least + strange * (_LEAST_OF_STRANGERS - least), most))


def compare_list(evidence: Sequence[Evidence], rules: Sequence[Statement], similarity: Matrix) -> Comparison:
    """The obligations of one document against the policy."""
    return compare(evidence, [read_duty(rule.full, rule.quantities) for rule in rules], similarity)


def _assess_list(evidence: Sequence[Evidence], rules: Sequence[Statement], similarity: Matrix) -> list[Verdict]:
    comparison = compare_list(evidence, rules, similarity)
    scores = comparison.scores()
    rows = scores.argmax(axis=0)
    best = scores[rows, np.arange(len(rules))]
    threshold = enough(best)
    found = []
    for column, (row, rule) in enumerate(zip(rows, rules, strict=True)):
        match = _Match(rule, evidence[row], comparison.weights[column], float(similarity[row, column]))
        limit = _unstated_limit(rule, evidence[max(0, row - 1) : row + 2])
        found.append(_verdict(match, float(best[column]) / threshold, limit, len(evidence)))
    return found


@dataclass(frozen=True, slots=True)
class _Match:
    """An obligation and the passage that fits it best."""

    rule: Statement
    passage: Evidence
    weights: dict[str, float]
    similarity: float

    @property
    def shared(self) -> float:
        return sum(weight for concept, weight in self.weights.items() if _mentions(self.passage, concept))


def _verdict(match: _Match, strength: float, limit: str, searched: int) -> Verdict:
    """``strength`` is 1 where the passage is just enough. ``limit``: a deadline of the rule not stated there."""
    place, absence = match.passage.place, float(np.clip(1 - strength, 0, 1))
    found, lacking = _found_and_lacking(match)
    lacks = f"does not mention {lacking}" if lacking else "is about another duty"
    unlike = match.shared < _SHARED and match.similarity < _SIMILAR
    if strength < _RELATED or (strength < _CLEARLY_RELATED and unlike):
        reason = f"None of the {searched} sentences searched meets it; the nearest one {lacks}."
        return Verdict(CoverageStatus.GAP, place, reason, absence)
    if strength < 1 or match.shared < _LEAST_SHARED:
        return Verdict(CoverageStatus.PARTIAL, place, f"The related passage {lacks}.", absence)
    if limit:
        reason = f"The passage states the duty without its limit: “{limit}”."
        return Verdict(CoverageStatus.PARTIAL, place, reason, 0.0)
    return Verdict(CoverageStatus.COVERED, place, f"The passage mentions {found or 'what is required'}.", 0.0)


_MOST_NAMED = 4
_WORTH_NAMING = 0.05


def _found_and_lacking(match: _Match) -> tuple[str, str]:
    """The obligation's own words for what the passage mentions and lacks, the most telling first."""
    words: dict[str, str] = {}
    for word, concepts in read_words(match.rule.full):
        words.setdefault(concepts[0], word.strip())
    weights = match.weights
    telling = [c for c in weights if weights[c] >= _WORTH_NAMING and not is_light(c) and c in words]
    telling.sort(key=lambda c: -weights[c])
    found = [words[c] for c in telling if _mentions(match.passage, c)]
    lacking = [words[c] for c in telling if not _mentions(match.passage, c)]
    return _listed(found), _listed(lacking)


def _mentions(passage: Evidence, concept: str) -> bool:
    return passage.stated.get(concept, 0.0) >= 0.5


def _listed(words: list[str]) -> str:
    return ", ".join(f"“{word}”" for word in words[:_MOST_NAMED])


def _unstated_limit(rule: Statement, passages: Sequence[Evidence]) -> str:
    """The rule's deadline or threshold where the passages state none of its kind, else ""."""
    limit = rule.obligation.limit if rule.obligation else None
    if limit is None or any("soon" in p.stated for p in passages):
        return ""
    ((kind, _),) = figures([limit])
    return "" if any(stated == kind for p in passages for stated, _ in p.figures) else limit.text
