"""What an engine found, as the report of an audit with its verdict (A4–A6), and as the answer in the chat."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from policypal.audit.judged import Concluded
from policypal.audit.verdict import (
    Circumstances,
    Tally,
    Verdict,
    of_another_subject,
    reach_verdict,
    taken_together,
    without_foreign_gaps,
)
from policypal.domain.audits import (
    AuditedDocument,
    AuditReport,
    CoverageRow,
    CoverageStatus,
    Finding,
    FindingKind,
    ReadingExtent,
    Severity,
)
from policypal.domain.citations import literal
from policypal.domain.documents import Passage
from policypal.domain.extents import Extent
from policypal.domain.verdicts import STATUS_SIGNS
from policypal.graph.agent.actions.reading import cited, with_extent
from policypal.graph.agent.audit_material import Material, whole
from policypal.graph.citing import Citer, load_pages
from policypal.graph.context import NodeContext
from policypal.ingest.titles import shortened

_MOST_NAMED = 3
"""Regulations in a report's title; all of them stand in the report."""


@dataclass(frozen=True, slots=True)
class Making:
    """How a report was made: the totals of its calls, the version of the rules or prompts, and how many sentences of the source were not
    read."""

    totals: dict[str, Any]
    version: str
    seconds: float
    unread: int = 0


def answered(
    material: Material, found: Concluded, met: Circumstances, making: Making, context: NodeContext
) -> dict[str, Any]:
    """The state's update: the report, and the answer that tells it."""
    report, verdict = _report(material, found, met, making, context)
    passages = list(material.passages)
    citer = Citer(passages, load_pages(context, passages), ocr=context.run.ocr_pages)
    response = with_extent(answer_markdown(report, passages, citer), report.reading)
    # with findings the badge tells of their quotations (C4); how sure each finding is stands with it
    is_quoted = bool(report.findings) and verdict.read_whole and citer.verified_share == 1.0
    return {
        **making.totals,
        "response": response,
        **cited(citer),
        "report": report.model_dump(mode="json"),
        "retrieval_confidence": "high" if is_quoted else verdict.level,
        "confidence_score": verdict.confidence,
    }


def _report(
    material: Material, found: Concluded, met: Circumstances, making: Making, context: NodeContext
) -> tuple[AuditReport, Verdict]:
    sides = material.sides
    order = {i: n for n, i in enumerate(sides.titles)}
    strange = of_another_subject(found.tallies)
    kept = without_foreign_gaps(found.findings, strange, met)
    kept.sort(key=lambda f: (order[f.target_document_id], f.severity.rank))
    tally = taken_together(found.tallies)
    told = [_strange(title, found.tallies[i]) for i, title in sides.titles.items() if i in strange]
    met = replace(met, unread=[*met.unread, *told])
    verdict = reach_verdict(kept, tally, met)
    titles = tuple(sides.titles.values())
    report = AuditReport(
        id=str(uuid4()),
        title=shortened(f"{sides.source_title} against {_named(titles)}"),
        thread_id=context.run.thread_id,
        overall_status=verdict.status,
        verdict_reason=verdict.reason,
        judged=tally.judged,
        obligations=tally.obligations,
        covered=tally.covered if material.seeks_gaps else None,
        read_whole=verdict.read_whole,
        findings=tuple(kept),
        contradicted=tuple(found.contradicted),
        review=found.review if not met.nothing_read else (),
        summary=_summary(kept, found, tally, titles),
        targets_checked=titles,
        themes_analyzed=tuple(dict.fromkeys(f.theme for f in kept)),
        not_assessed=(*found.not_assessed, *_withheld(len(found.findings) - len(kept)), *met.unread),
        coverage=_coverage(found.coverage, strange) if material.seeks_gaps else None,
        extents=tuple(_extents(material, found)),
        source_extent=_source_extent(material, making.unread),
        source_title=sides.source_title,
        focus=sides.scope.focus,
        source_text=sides.text or None,
        source_document_id=sides.source.id if sides.source else None,
        documents=tuple(AuditedDocument(id=d.id, title=d.display_title, sha256=d.sha256) for d in sides.documents),
        engine=context.services.engine.name,
        models=tuple(making.totals["models"]),
        prompt_version=making.version,
        cost_usd=making.totals["cost_usd"],
        seconds=round(making.seconds, 3),
    )
    return report, verdict


def _strange(title: str, tally: Tally) -> str:
    """That a policy is about something else than a target."""
    shown = f"{tally.related} of {tally.rated} obligations have a related passage in the policy"
    return f"{title}: {shown}, which seems to be about another subject; the others are not called missing."


def _coverage(rows: Sequence[CoverageRow], strange: Set[str]) -> tuple[CoverageRow, ...]:
    """The rows, with nothing called missing of targets on another subject."""
    unknown = {"status": CoverageStatus.NOT_JUDGED}
    return tuple(
        row.model_copy(update=unknown)
        if row.status is CoverageStatus.GAP and row.target_document_id in strange
        else row
        for row in rows
    )


def _withheld(number: int) -> list[str]:
    if not number:
        return []
    return [f"Requirements without a passage that are not called missing, as that tells nothing here: {number}."]


def _extents(material: Material, found: Concluded) -> list[ReadingExtent]:
    counts = [row.target_document_id for row in found.coverage]
    return [ReadingExtent(**whole(d).model_dump(), obligations=counts.count(d.id)) for d in material.sides.targets]


def _source_extent(material: Material, unread: int) -> Extent | None:
    if material.sides.source is None:
        return None
    extent = whole(material.sides.source)
    return extent.model_copy(update={"passages_read": max(extent.passages - 1, 0)}) if unread else extent


def _named(titles: Sequence[str]) -> str:
    """Up to three by name, of more two and how many."""
    return ", ".join(
        titles if len(titles) <= _MOST_NAMED else [*titles[: _MOST_NAMED - 1], f"{len(titles) - _MOST_NAMED + 1} more"]
    )


def _summary(kept: Sequence[Finding], found: Concluded, tally: Tally, titles: Sequence[str]) -> str:
    """Counted from what stands, never from what an engine claims."""
    told = [f"{len(titles)} {'document' if len(titles) == 1 else 'documents'} checked: {', '.join(titles)}."]
    left = tally.obligations - tally.judged
    if aside := len(found.contradicted):
        told.append(f"{aside} {'finding is' if aside == 1 else 'findings are'} disputed and not counted.")
    if not kept:
        unjudged = f"{left} obligations were not judged; finding nothing says nothing about them."
        return " ".join([unjudged, *told] if left else told)
    counts = ", ".join(f"{n} {severity}" for severity in Severity if (n := sum(f.severity is severity for f in kept)))
    gaps = sum(f.kind is FindingKind.GAP for f in kept)
    first = [f"{len(kept)} {'finding' if len(kept) == 1 else 'findings'} ({counts})."]
    if gaps:
        first.append(
            f"{gaps} of them {'is a requirement' if gaps == 1 else 'are requirements'} for which no passage was found."
        )
    return " ".join([*first, *told])


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
        lines.append(f"- No passage found in the {finding.side.lower()}.{nearest}")
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
