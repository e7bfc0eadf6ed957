"""What a model writes about two quotations, held against them (A4, C2): until every sentence passes one gate, it may add
no figure, and figures that agree make no conflict."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policypal.audit.figures import Figure, beside, figures_of, kept
from policypal.audit.units import Unit, claims_of, read_text
from policypal.domain.audits import CoverageRow, CoverageStatus, Finding, FindingKind
from policypal.gate.claims import missing_figures, negations
from policypal.gate.recipients import different_recipients
from policypal.search.terms import terms
from policypal.text.quantities import find_quantities, without_quantities

_NEUTRAL_CONSEQUENCE = {
    FindingKind.CONFLICT: "The source and the requirement, as quoted, do not agree.",
    FindingKind.GAP: "No passage of the source was found that meets the requirement as quoted.",
}
_NEUTRAL_SUGGESTION = {
    FindingKind.CONFLICT: "Bring the source in line with the requirement as quoted.",
    FindingKind.GAP: "Add a clause that meets the requirement as quoted.",
}
_NEUTRAL_REASON = {
    CoverageStatus.COVERED: "Rated as covered by the passage quoted.",
    CoverageStatus.PARTIAL: "Rated as covered in part by the passage quoted.",
    CoverageStatus.CONFLICT: "Rated as in conflict with the passage quoted.",
    CoverageStatus.GAP: "Rated as not covered.",
    CoverageStatus.NOT_APPLICABLE: "Rated as binding somebody else, or as outside the focus.",
}


def checked_finding(finding: Finding, labels: Sequence[str]) -> Finding:
    """The finding without a consequence or suggestion that names a figure which stands in neither quotation nor in the
    ``labels`` of their places; ``support`` says what was replaced."""
    sources = [finding.source_quote, finding.target_quote, *labels]
    written = {"consequence": finding.consequence, "suggestion": finding.suggestion}
    neutral = {
        "consequence": _NEUTRAL_CONSEQUENCE[finding.kind], "suggestion": _NEUTRAL_SUGGESTION[finding.kind],
    }  # fmt: skip
    wrong = [name for name, words in written.items() if missing_figures(words, sources)]
    if not wrong:
        return finding
    told = (
        f"The {' and the '.join(wrong)} named figures that stand in neither quotation; replaced by a neutral sentence."
    )
    return finding.model_copy(update={**{name: neutral[name] for name in wrong}, "support": told})


def checked_row(row: CoverageRow, labels: Sequence[str]) -> CoverageRow:
    """The row without a reason that names a figure of neither quotation, and without a conflict that the figures of both
    speak against."""
    if missing_figures(row.reason, [row.obligation, row.policy_quote, *labels]):
        row = row.model_copy(update={"reason": _NEUTRAL_REASON[row.status]})
    if row.status is CoverageStatus.CONFLICT and (
        told := agreeing_figures(row.policy_quote, row.obligation, row.reason)
    ):
        return row.model_copy(update={"status": CoverageStatus.PARTIAL, "reason": f"Rated as a conflict, but {told}."})
    return row


def contradiction(finding: Finding) -> str:
    """Why the quotations of a conflict speak against it, "" where they do not. Only what stands on both pages can."""
    if finding.kind is not FindingKind.CONFLICT or not (finding.source_verified and finding.target_verified):
        return ""
    return agreeing_figures(finding.source_quote, finding.target_quote, finding.consequence)


def agreeing_figures(claim: str, rule: str, said: str) -> str:
    """Which figures of two quotations agree, in words, if ``said`` is about them and nothing else of the two speaks for a
    conflict: a denial on one side only, somebody else who is told, a figure without its counterpart."""
    claims, rules = (claims_of("", read_text(quote)) for quote in (claim, rule))
    pairs = [pair for c in claims for r in rules for pair in beside(c, r)]
    alone = {f for unit in (*claims, *rules) for f in figures_of(unit)} - {f for pair in pairs for f in pair}
    if alone or not kept(pairs) or negations(claim)[0] != negations(rule)[0] or different_recipients(claim, rule):
        return ""
    return _in_words(pairs) if _is_about_figures(said, claims, rules) else ""


def _is_about_figures(said: str, claims: Sequence[Unit], rules: Sequence[Unit]) -> bool:
    """Whether a conclusion is about the figures: it names some, or nothing of the rule that the claim lacks."""
    lacking = _subject(rules) - _subject(claims)
    if find_quantities(said):
        return not any(lacking.intersection(terms(words)) for words in _DENIED.findall(said))
    return not lacking.intersection(terms(said))


def _subject(units: Sequence[Unit]) -> set[str]:
    return {term for unit in units for term in terms(without_quantities(unit.text, find_quantities(unit.text)))}


_DENIED = re.compile(r"\b(?:not|never|no|without|lacks?|lacking|omits?|missing|fails? to)\b((?:\W+\w+){1,6})", re.I)


def _in_words(pairs: Sequence[tuple[Figure, Figure]]) -> str:
    told = dict.fromkeys(f"“{said.text}” keeps “{limit.text}”" for said, limit in pairs)
    return f"the figures quoted do not conflict: {', '.join(told)}"
