"""What a model concludes from two quotations passes the gate (A4, C2b); figures that agree are an objection to a conflict."""

from collections.abc import Sequence

from policypal.audit.figures import beside, figures_of, kept
from policypal.audit.units import claims_of, read_text
from policypal.domain.audits import CoverageRow, Finding, FindingKind
from policypal.gate.evidence import cited_words
from policypal.gate.grammar import negations
from policypal.gate.parties import different_recipients
from policypal.gate.supported import conclusion
from policypal.text.sentences import split_sentences

_NEUTRAL_CONSEQUENCE = {
    FindingKind.CONFLICT: "The source and the requirement, as quoted, do not agree.",
    FindingKind.GAP: "No passage of the source was found that meets the requirement as quoted.",
}
_NEUTRAL_SUGGESTION = {
    FindingKind.CONFLICT: "Bring the source in line with the requirement as quoted.",
    FindingKind.GAP: "Add a clause that meets the requirement as quoted.",
}


def checked_finding(finding: Finding, labels: Sequence[str]) -> Finding:
    """The finding without a delta, consequence or suggestion that the gate does not let pass as a conclusion from both quotations and the
    ``labels`` of their places; ``support`` says what was replaced."""
    quotes = [finding.source_quote, finding.target_quote]
    written = {"consequence": finding.consequence, "suggestion": finding.suggestion, "delta": finding.delta}
    neutral = {
        "consequence": _NEUTRAL_CONSEQUENCE[finding.kind], "suggestion": _NEUTRAL_SUGGESTION[finding.kind], "delta": "",
    }  # fmt: skip
    wrong = [name for name, words in written.items() if not is_concluded(words, quotes, labels)]
    if not wrong:
        return finding
    told = " and the ".join(name for name in wrong if name != "delta")
    told = (
        f"The {told} named figures, parties or names that stand in neither quotation; replaced by a neutral sentence."
        if told
        else ""
    )
    return finding.model_copy(update={**{name: neutral[name] for name in wrong}, "support": told})


def checked_row(row: CoverageRow, labels: Sequence[str]) -> CoverageRow:
    """The row without a reason that the gate does not let pass as a conclusion from its quotations."""
    if is_concluded(row.reason, [row.policy_quote, row.obligation], labels):
        return row
    return row.model_copy(update={"reason": f"Rated “{row.status.value}” by the passage quoted."})


def is_concluded(said: str, quotes: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether the gate lets a conclusion from the quotations of a source and a rule pass, sentence by sentence; what is empty says nothing."""
    cited = cited_words(quotes, " ".join(labels))
    return all(conclusion(sentence.text, cited, of_sides=True).passes for sentence in split_sentences(said))


def agreeing_figures(claim: str, rule: str) -> str:
    """Which figures of two quotations agree, in words, if nothing else of the two speaks for a conflict: a denial on one side only,
    somebody else who is told, a figure without its counterpart."""
    claims, rules = (claims_of("", read_text(quote)) for quote in (claim, rule))
    pairs = [pair for c in claims for r in rules for pair in beside(c, r)]
    alone = {f for unit in (*claims, *rules) for f in figures_of(unit)} - {f for pair in pairs for f in pair}
    if alone or not kept(pairs) or negations(claim)[0] != negations(rule)[0] or different_recipients(claim, rule):
        return ""
    told = dict.fromkeys(f"“{said.text}” keeps “{limit.text}”" for said, limit in pairs)
    return f"the figures quoted do not conflict: {', '.join(told)}"
