"""An audit report as the answer in the chat (A4)."""

from collections.abc import Sequence

from policypal.domain.audits import AuditReport, Finding, FindingKind
from policypal.domain.citations import literal
from policypal.domain.documents import Passage
from policypal.domain.verdicts import STATUS_SIGNS
from policypal.graph.citing import Citer

_MAX_SHOWN = 30


def answer_markdown(report: AuditReport, passages: Sequence[Passage], citer: Citer) -> str:
    """The report as a message: what was audited against what, verdict, findings by target, those that were set aside, what was
    not assessed."""
    because = f": {_line(report.verdict_reason)}" if report.verdict_reason else ""
    verdict = f"{STATUS_SIGNS[report.overall_status]} **{report.headline}**{because}."
    parts = [_head(report), f"{verdict}\n\n{report.summary}"]
    target = None
    numbers = {(p.document_id, p.page, p.start): n for n, p in enumerate(passages, 1)}
    for finding in report.findings[:_MAX_SHOWN]:
        if finding.target_document != target:
            target = finding.target_document
            parts.append(f"### {_line(target)}")
        parts.append(_finding(finding, numbers, passages, citer))
    if len(report.findings) > _MAX_SHOWN:
        parts.append(f"{len(report.findings) - _MAX_SHOWN} further findings are in the audit report.")
    if report.contradicted:
        parts.append("### Contradicted by their own quotations, not counted")
        parts += [_finding(f, numbers, passages, citer) for f in report.contradicted[:_MAX_SHOWN]]
    if report.not_assessed:
        parts.append("**Not assessed**\n\n" + "\n".join(f"- {_line(n)}" for n in report.not_assessed[:10]))
    return "\n\n".join(parts)


def _head(report: AuditReport) -> str:
    """What was audited against what (G0)."""
    focus = f", limited to **{_line(report.focus)}**" if report.focus else ""
    return f"Audited: **{_line(report.source_title)}** against **{_line(', '.join(report.targets_checked))}**{focus}."


def _finding(
    finding: Finding, numbers: dict[tuple[str, int, int], int], passages: Sequence[Passage], citer: Citer
) -> str:
    marker = ""
    for (document_id, page, start), number in numbers.items():
        passage = passages[number - 1]
        if (document_id, page) == (finding.target_document_id, finding.target_page) and (
            start <= (finding.target_start or 0) < passage.end
        ):
            citation = citer.cite_words(passage, finding.requirements[0])
            marker = f" {citation.marker}" if citation else ""
            break
    quote = _line(finding.source_quote)
    source = f"“{quote}”" if finding.source_verified else f"{quote} (not verified)"
    where = f" (page {finding.source_page})" if finding.source_page else ""
    lines = [f"**{finding.severity}: {_line(finding.title)}**", ""]
    if finding.kind is FindingKind.GAP:
        nearest = f" Nearest passage{where}: {source}" if finding.source_quote else ""
        lines.append(f"- Missing in the {finding.side.lower()}.{nearest}")
    else:
        lines.append(f"- {finding.side}{where}: {source}")
    lines.append(f"- Requirement (page {finding.target_page}): “{_line(finding.target_quote)}”{marker}")
    lines += [f"- Consequence: {_line(finding.consequence)}", f"- Suggestion: {_line(finding.suggestion)}"]
    if finding.support:
        lines.append(f"- Note: {_line(finding.support)}")
    return "\n".join(lines)


def _line(text: str) -> str:
    """What documents and engines wrote, letter by letter in one line of the answer that holds no marker but ours (C2, X2)."""
    return literal(" ".join(text.split()))
