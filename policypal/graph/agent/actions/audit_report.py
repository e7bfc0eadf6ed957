"""What an engine found, as the report of an audit with its verdict (A4–A6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from policypal.audit.judged import Concluded
from policypal.audit.verdict import Circumstances, Verdict, reach_verdict, settled, without_foreign_gaps
from policypal.domain.audits import AuditedDocument, AuditReport, Finding, FindingKind, ReadingExtent, Severity
from policypal.domain.extents import Extent
from policypal.graph.agent.actions.audit_answer import answer_markdown
from policypal.graph.agent.actions.reading import cited, with_extent
from policypal.graph.agent.audit_material import Material, whole
from policypal.graph.citing import Citer, load_pages
from policypal.graph.context import NodeContext


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
    return {
        **making.totals,
        "response": response,
        **cited(citer),
        "report": report.model_dump(mode="json"),
        "retrieval_confidence": verdict.level,
        "confidence_score": verdict.confidence,
    }


def _report(
    material: Material, found: Concluded, met: Circumstances, making: Making, context: NodeContext
) -> tuple[AuditReport, Verdict]:
    sides = material.sides
    order = {i: n for n, i in enumerate(sides.titles)}
    kept = without_foreign_gaps(found.findings, found.tally, met)
    kept.sort(key=lambda f: (order[f.target_document_id], f.severity.rank))
    verdict, tally = reach_verdict(kept, found.tally, met), settled(found.tally)
    titles = tuple(sides.titles.values())
    report = AuditReport(
        id=str(uuid4()),
        title=f"{sides.source_title} against {', '.join(titles)}"[:300],
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
        summary=_summary(kept, found, titles),
        targets_checked=titles,
        themes_analyzed=tuple(dict.fromkeys(f.theme for f in kept)),
        not_assessed=(*found.not_assessed, *_withheld(len(found.findings) - len(kept)), *met.unread),
        coverage=found.coverage if material.seeks_gaps else None,
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


def _summary(kept: Sequence[Finding], found: Concluded, titles: Sequence[str]) -> str:
    """Counted from what stands, never from what an engine claims."""
    told = [f"{len(titles)} {'document' if len(titles) == 1 else 'documents'} checked: {', '.join(titles)}."]
    left = found.tally.obligations - found.tally.judged
    if aside := len(found.contradicted):
        told.append(f"{aside} {'finding is' if aside == 1 else 'findings are'} disputed and not counted.")
    if not kept:
        unjudged = f"{left} obligations were not judged; finding nothing says nothing about them."
        return " ".join([unjudged, *told] if left else told)
    counts = ", ".join(f"{n} {severity}" for severity in Severity if (n := sum(f.severity is severity for f in kept)))
    gaps = sum(f.kind is FindingKind.GAP for f in kept)
    first = [f"{len(kept)} {'finding' if len(kept) == 1 else 'findings'} ({counts})."]
    if gaps:
        first.append(f"{gaps} of them {'is a missing requirement' if gaps == 1 else 'are missing requirements'}.")
    return " ".join([*first, *told])
