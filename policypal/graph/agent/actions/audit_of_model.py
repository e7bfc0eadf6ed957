"""Action: every obligation of the targets judged by a model against the whole source (A0, A4)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import uuid4

from policypal.audit.judged import Concluded, Conclusion
from policypal.audit.judging import JUDGE
from policypal.audit.lines import Scope
from policypal.audit.verdict import Circumstances, Verdict, reach_verdict, settled, without_foreign_gaps
from policypal.domain.audits import AuditedDocument, AuditReport, ReadingExtent
from policypal.domain.documents import Document
from policypal.domain.extents import Extent
from policypal.graph.agent.actions.audit_answer import answer_markdown
from policypal.graph.agent.actions.reading import cited, with_extent
from policypal.graph.agent.audit_plans import Material, Sides, read
from policypal.graph.agent.judging import Judged, judge, thread_of
from policypal.graph.agent.state import AgentState, with_notice
from policypal.graph.citing import Citer, load_pages
from policypal.graph.context import NodeContext


def sides_of_turn(state: AgentState, context: NodeContext) -> Sides:
    """What the turn audits against what, within what limits."""
    documents = {d.id: d for d in context.run.library}
    source = documents.get(state["source_doc_id"])
    limits = state["audit_limits"]
    return Sides(
        source=source,
        text="" if source else state["source_text"],
        source_title=source.display_title if source else state["draft_name"] or "Text in the message",
        targets=tuple(documents[i] for i in state["target_doc_ids"] if i in documents),
        scope=Scope(state["focus"], limits.get("party", ""), limits.get("kind", "")),
        request=state["text"] if source else "",
    )


def audit_with_model(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Judge, look again at what is grave, and shape the report. What ended early keeps what is judged.

    Raises:
        RunStopped, ModelError, BudgetExceeded: before anything was judged.
    """
    started = time.perf_counter()
    material = read(sides_of_turn(state, context), context.services, context.run.user_id)
    judged = judge(material.plan, context, seeks_gaps=material.seeks_gaps)
    report, verdict = _reported(material, judged, context, time.perf_counter() - started)
    passages = list(material.passages)
    citer = Citer(passages, load_pages(context, passages), ocr=context.run.ocr_pages)
    response = with_extent(answer_markdown(report, passages, citer), report.reading)
    complete = not judged.ended and not judged.reasons
    thread = thread_of(context.run.thread_id, material.plan, context.services.engine.name)
    return {
        **_with_earlier(state, judged.totals),
        "response": response,
        **cited(citer),
        "report": report.model_dump(mode="json"),
        "retrieval_confidence": verdict.level,
        "confidence_score": verdict.confidence,
        "judged_in": thread if complete else "",
        "ends_early": judged.ended,
        "notices": with_notice(state, _goes_on(judged)) if judged.ended else state["notices"],
    }


def _goes_on(judged: Judged) -> str:
    return f"{judged.ended} What was judged until then is kept: send the same request again to have the rest judged."


def _with_earlier(state: AgentState, totals: dict[str, Any]) -> dict[str, Any]:
    """The turn's totals with those of the audit."""
    return {
        "tokens_used": state["tokens_used"] + totals["tokens_used"],
        "cost_usd": str(Decimal(state["cost_usd"]) + Decimal(totals["cost_usd"])),
        "is_priced": state["is_priced"] and totals["is_priced"],
        "models": sorted({*state["models"], *totals["models"]}),
        "unaided": [*state["unaided"], *totals["unaided"][:1]],
    }


def _reported(material: Material, judged: Judged, context: NodeContext, seconds: float) -> tuple[AuditReport, Verdict]:
    sides, plan = material.sides, material.plan
    titles = {d.id: d.display_title for d in sides.targets}
    source_id = sides.source.id if sides.source else None
    conclusion = Conclusion(plan, material.seeks_gaps, sides.source_title, source_id, titles, material.opinions)
    found = conclusion.reach(judged.judgements, judged.looks, judged.reasons)
    unread = list(_unread(material))
    met = Circumstances(unread=unread, by_model=True)
    kept = without_foreign_gaps(found.findings, found.tally, met)
    order = {i: n for n, i in enumerate(titles)}
    kept.sort(key=lambda f: (order[f.target_document_id], f.severity.rank))
    tally = settled(found.tally)
    verdict = reach_verdict(kept, found.tally, met)
    documents = [*sides.targets, *([sides.source] if sides.source else [])]
    report = AuditReport(
        id=str(uuid4()),
        title=f"{sides.source_title} against {', '.join(titles.values())}"[:300],
        thread_id=context.run.thread_id,
        overall_status=verdict.status,
        verdict_reason=verdict.reason,
        judged=tally.judged,
        obligations=tally.obligations,
        covered=tally.covered if material.seeks_gaps else None,
        read_whole=verdict.read_whole,
        findings=tuple(kept),
        contradicted=tuple(found.contradicted),
        review=found.review,
        summary=_summary(kept, found, list(titles.values())),
        targets_checked=tuple(titles.values()),
        themes_analyzed=tuple(dict.fromkeys(f.theme for f in kept)),
        not_assessed=(*unread, *_unjudged(found), *_withheld(len(found.findings) - len(kept))),
        coverage=found.coverage if material.seeks_gaps else None,
        extents=tuple(_extent(d, material) for d in sides.targets),
        source_extent=_source_extent(sides.source, plan.unread) if sides.source else None,
        source_title=sides.source_title,
        focus=sides.scope.focus,
        source_text=sides.text or None,
        source_document_id=source_id,
        documents=tuple(AuditedDocument(id=d.id, title=d.display_title, sha256=d.sha256) for d in documents),
        engine=context.services.engine.name,
        models=tuple(judged.totals["models"]),
        prompt_version=JUDGE.version,
        cost_usd=judged.totals["cost_usd"],
        seconds=round(seconds, 3),
    )
    return report, verdict


def _unread(material: Material) -> Iterator[str]:
    """What of the documents was not read, a sentence each."""
    sides = material.sides
    for d in [*sides.targets, *([sides.source] if sides.source else [])]:
        if d.pages_without_text:
            yield f"{d.display_title}: {d.pages_without_text} of {d.pages} pages hold no text and were not read."
    if material.plan.unread:
        total = len(material.plan.source)
        yield f"{sides.source_title}: {material.plan.unread:,} of {total:,} sentences are near none of the rules and were not read."


def _unjudged(found: Concluded) -> Iterator[str]:
    for reason, number in found.unjudged.items():
        yield f"{number} {'obligation' if number == 1 else 'obligations'}: {reason}"


def _withheld(number: int) -> Iterator[str]:
    if number:
        yield f"Requirements without a passage that are not called missing, as that tells nothing here: {number}."


def _summary(kept: list[Any], found: Concluded, titles: list[str]) -> str:
    """Counted, never claimed."""
    told = f"{len(titles)} {'document' if len(titles) == 1 else 'documents'} checked: {', '.join(titles)}."
    left = found.tally.obligations - found.tally.judged
    if left:
        told = f"{left} of {found.tally.obligations} obligations were not judged. {told}"
    if aside := len(found.contradicted):
        told += f" {aside} {'finding is' if aside == 1 else 'findings are'} disputed and not counted."
    if found.review:
        told += f" {len(found.review)} {'pair needs' if len(found.review) == 1 else 'pairs need'} a reader."
    counts = {s: sum(f.severity is s for f in kept) for s in dict.fromkeys(f.severity for f in kept)}
    listed = ", ".join(f"{number} {severity}" for severity, number in sorted(counts.items(), key=lambda c: c[0].rank))
    return f"{len(kept)} {'finding' if len(kept) == 1 else 'findings'} ({listed}). {told}" if kept else told


def _extent(document: Document, material: Material) -> ReadingExtent:
    """A target is read whole: every sentence that can oblige stands in a request."""
    own = [line for line in material.plan.asked if line.document_id == document.id]
    return ReadingExtent(**_whole(document).model_dump(), obligations=len(own))


def _source_extent(document: Document, unread: int) -> Extent:
    whole = _whole(document)
    return whole.model_copy(update={"passages_read": whole.passages - 1}) if unread else whole


def _whole(document: Document) -> Extent:
    return Extent(
        document_id=document.id, title=document.display_title, pages_read=document.pages - document.pages_without_text,
        pages=document.pages, passages_read=document.chunks, passages=document.chunks,
    )  # fmt: skip
