"""Action: audit a text or a policy against target documents (A4, A5)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import uuid4

from policypal.audit.task import AUDIT, AuditOutput, CoverageDraft, FindingDraft, RuleAudit
from policypal.audit.verdict import Circumstances, Tally, Verdict, reach_verdict, settled, without_foreign_gaps
from policypal.domain.audits import (
    AuditedDocument,
    AuditReport,
    CoverageRow,
    Finding,
    FindingKind,
    OverallStatus,
    ReadingExtent,
    Severity,
)
from policypal.domain.documents import Passage
from policypal.domain.extents import Extent
from policypal.gate.verify import QuoteCheck, verify_quote
from policypal.graph.agent.actions.audit_answer import answer_markdown
from policypal.graph.agent.actions.audit_material import Material, gather, numbered_by_side, task_input
from policypal.graph.agent.actions.audit_of_model import audit_with_model
from policypal.graph.agent.actions.reading import cited, with_extent
from policypal.graph.agent.state import AgentState
from policypal.graph.citing import Citer, find_quote, load_pages
from policypal.graph.context import NodeContext
from policypal.graph.patience import unless_stopped
from policypal.text.language import is_foreign
from policypal.text.obligation_parts import obligation_parts


@dataclass(frozen=True, slots=True)
class _Checked:
    """What of an engine's answer stands in the documents. ``contradicted`` findings are spoken against by their own
    quotations; ``withheld`` counts the gaps that mean nothing, see :func:`without_foreign_gaps`."""

    findings: list[Finding]
    contradicted: list[Finding]
    withheld: int
    coverage: tuple[CoverageRow, ...]
    tally: Tally
    met: Circumstances
    verdict: Verdict


def audit(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Judged by a model, obligation by obligation; or what rules can tell, where there is none or the person prefers it."""
    if not (context.services.by_rules or state["audit_by_rules"]):
        return audit_with_model(state, context)
    local = replace(context, services=context.services.without_model())
    return unless_stopped(lambda: _audit_by_rules(state, local), context.run.check_stop)


def _audit_by_rules(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Run the audit, check every quote against the stored text, and shape the report."""
    started = time.perf_counter()
    material = gather(state, context)
    output, totals = context.run_task(state, AUDIT, task_input(material, state["themes"], state["text"]))
    output = numbered_by_side(output, material)
    pages = load_pages(context, [*material.passages, *(material.source or [])])
    checked = _check(output, material, pages)
    report = _report(state, context, material, output, checked, totals, time.perf_counter() - started)
    citer = Citer(material.passages, pages, ocr=context.run.ocr_pages)
    response = with_extent(answer_markdown(report, material.passages, citer), report.reading)
    return {
        **totals,
        "response": response,
        **cited(citer),
        "report": report.model_dump(mode="json"),
        "retrieval_confidence": checked.verdict.level,
        "confidence_score": checked.verdict.confidence,
    }


_Pages = dict[tuple[str, int], str]


def _check(output: AuditOutput, material: Material, pages: _Pages) -> _Checked:
    """Findings and coverage as far as they stand in the documents, and the verdict they allow."""
    drafts = [(d, _finding(d, material, pages)) for d in output.findings]
    found = [f for _, f in drafts if f is not None]
    rows = tuple(r for r in (_coverage_row(d, material, pages) for d in output.coverage) if r is not None)
    standing, contradicted, tally = found, list[Finding](), output.tally if isinstance(output, RuleAudit) else Tally()
    foreign = _foreign(material)
    met = Circumstances(
        foreign,
        _compares_nothing(foreign, material),
        _unread(material),
        misquoted=len(drafts) - len(found),
    )
    kept = without_foreign_gaps(standing, tally, met)
    order = {d.id: n for n, d in enumerate(material.targets)}
    kept.sort(key=lambda f: (order.get(f.target_document_id, 0), f.severity.rank))
    withheld = len(standing) - len(kept)
    return _Checked(kept, contradicted, withheld, rows, settled(tally), met, reach_verdict(kept, tally, met))


def _numbered(passages: Sequence[Passage] | None, number: int | None) -> Passage | None:
    """The passage an engine names by its number, counted from 1; None where there is no such."""
    return passages[number - 1] if passages and number and 1 <= number <= len(passages) else None


def _quoted(
    text: str, number: int | None, passages: Sequence[Passage] | None, pages: _Pages
) -> tuple[Passage, QuoteCheck] | None:
    """That passage, or the one of its document that has these words, and where they stand; None where they do not."""
    passage = _numbered(passages, number)
    return find_quote(text, passage, passages or (), pages) if passage and text else None


def _finding(draft: FindingDraft, material: Material, pages: _Pages) -> Finding | None:
    quoted = _quoted(draft.target_quote, draft.passage, material.passages, pages)
    if quoted is None:
        return None
    target, rule = quoted
    return Finding(
        id=str(uuid4()),
        kind=draft.kind,
        target_document=target.document_label,
        target_document_id=target.document_id,
        theme=draft.theme,
        severity=draft.severity,
        consequence=draft.consequence,
        target_quote=rule.text,
        target_page=target.page,
        target_start=rule.start,
        target_end=rule.end,
        suggestion=draft.suggestion,
        confidence=min(1.0, max(0.0, draft.confidence)),
        **_source_side(draft, material, pages),
    )


def _source_side(draft: FindingDraft, material: Material, pages: _Pages) -> dict[str, Any]:
    """The source's quote, checked; an absent one is kept as text and marked unverified."""
    if not draft.source_quote:
        return {"source_quote": "", "source_verified": draft.kind is FindingKind.GAP}
    if material.source is None:
        check = verify_quote(draft.source_quote, material.text)
        return {
            "source_quote": check.text, "source_verified": check.status.verified,
            "source_start": check.start, "source_end": check.end,
        }  # fmt: skip
    quoted = _quoted(draft.source_quote, draft.source, material.source, pages)
    passage = quoted[0] if quoted else _numbered(material.source, draft.source)
    if passage is None:
        return {"source_quote": draft.source_quote[:300], "source_verified": False}
    return {
        "source_quote": quoted[1].text if quoted else draft.source_quote[:300],
        "source_verified": quoted is not None,
        "source_page": passage.page,
        "source_document_id": passage.document_id,
        "source_start": quoted[1].start if quoted else None,
        "source_end": quoted[1].end if quoted else None,
    }


def _report(
    state: AgentState,
    context: NodeContext,
    material: Material,
    output: AuditOutput,
    checked: _Checked,
    totals: dict[str, Any],
    seconds: float,
) -> AuditReport:
    documents = [*material.targets, *([material.source_document] if material.source_document else [])]
    titles = [d.display_title for d in material.targets]
    findings, verdict, tally = checked.findings, checked.verdict, checked.tally
    coverage = checked.coverage if material.mode == "policy" else None
    return AuditReport(
        id=str(uuid4()),
        title=f"{material.source_title} against {', '.join(titles)}"[:300],
        thread_id=context.run.thread_id,
        overall_status=verdict.status,
        verdict_reason=verdict.reason,
        judged=tally.judged,
        obligations=tally.obligations,
        covered=tally.covered if material.mode == "policy" else None,
        read_whole=verdict.read_whole,
        findings=tuple(findings),
        contradicted=tuple(checked.contradicted),
        summary=_summary(checked, titles),
        targets_checked=tuple(titles),
        themes_analyzed=tuple(state["themes"]) or tuple(dict.fromkeys(f.theme for f in findings)),
        not_assessed=tuple(_not_assessed(output, material, checked)),
        coverage=coverage,
        extents=tuple(_extent(e, coverage) for e in material.extents),
        source_extent=material.source_extent,
        source_title=material.source_title,
        focus=material.focus,
        source_text=material.text or None,
        source_document_id=material.source_document.id if material.source_document else None,
        documents=tuple(AuditedDocument(id=d.id, title=d.display_title, sha256=d.sha256) for d in documents),
        engine=context.services.engine.name,
        models=tuple(totals["models"]),
        prompt_version=AUDIT.version,
        cost_usd=totals["cost_usd"],
        seconds=round(seconds, 3),
    )


def _not_assessed(output: AuditOutput, material: Material, checked: _Checked) -> list[str]:
    told = [*output.not_assessed, *filter(None, [output.nothing_concerns])]
    told += [
        f"{title}: not in English, the only language the extractive engine reads." for title in checked.met.foreign
    ]
    if checked.met.misquoted:
        told.append(f"Findings left out, as the rules they name do not stand in the targets: {checked.met.misquoted}.")
    if checked.withheld:
        told.append(
            f"Requirements without a passage that are not called missing, as that tells nothing here: {checked.withheld}."
        )
    return told + _unread(material)


def _unread(material: Material) -> list[str]:
    """What of the documents was not read, a sentence each."""
    told = []
    for d in [*material.targets, *([material.source_document] if material.source_document else [])]:
        if d.pages_without_text:
            told.append(f"{d.display_title}: {d.pages_without_text} of {d.pages} pages hold no text and were not read.")
        if d.display_title in material.sampled:
            told.append(f"{d.display_title}: a sample of passages was read, not every page.")
    return told


def _foreign(material: Material) -> list[str]:
    """The titles of what the rules of the keyless engine cannot read; a model reads any language."""
    texts = {
        d.display_title: " ".join(p.text for p in material.passages if p.document_id == d.id) for d in material.targets
    }
    source = material.text if material.source is None else " ".join(p.text for p in material.source)
    return [title for title, text in {material.source_title: source, **texts}.items() if is_foreign(text)]


def _compares_nothing(foreign: Sequence[str], material: Material) -> bool:
    """Whether the source, or every target, is in a language that the engine does not read."""
    return material.source_title in foreign or set(foreign) >= {d.display_title for d in material.targets}


def _extent(read: Extent, coverage: Sequence[CoverageRow] | None) -> ReadingExtent:
    obligations = sum(r.target_document_id == read.document_id for r in coverage or ())
    return ReadingExtent(**read.model_dump(), obligations=obligations)


def _coverage_row(draft: CoverageDraft, material: Material, pages: _Pages) -> CoverageRow | None:
    quoted = _quoted(draft.obligation, draft.passage, material.passages, pages)
    if quoted is None:
        return None
    target, rule = quoted
    shown = _quoted(draft.source_quote, draft.source, material.source, pages)
    return CoverageRow(
        obligation=rule.text,
        target_document_id=target.document_id,
        target_document=target.document_label,
        heading=target.heading or "",
        page=target.page,
        start=rule.start,
        end=rule.end,
        status=draft.status,
        policy_quote=shown[1].text if shown else "",
        policy_page=shown[0].page if shown else None,
        reason=draft.reason,
        **asdict(obligation_parts(rule.text)),
    )


def _summary(checked: _Checked, titles: Sequence[str]) -> str:
    """Counted from the findings that survived the check of their quotes, never from what an engine claims."""
    findings = checked.findings
    told = f"{len(titles)} {'document' if len(titles) == 1 else 'documents'} checked: {', '.join(titles)}."
    if aside := len(checked.contradicted):
        told += f" {aside} {'finding is' if aside == 1 else 'findings are'} contradicted by the quotations given and not counted."
    if not findings:
        left = checked.tally.obligations - checked.tally.judged
        unjudged = checked.verdict.status is OverallStatus.NO_CONFLICT_FOUND and left
        return (
            f"{left} obligations were not judged; finding nothing says nothing about them. {told}" if unjudged else told
        )
    counts = ", ".join(
        f"{n} {severity}" for severity in Severity if (n := sum(f.severity is severity for f in findings))
    )
    gaps = sum(f.kind is FindingKind.GAP for f in findings)
    missing = (
        f" {gaps} of them {'is a missing requirement' if gaps == 1 else 'are missing requirements'}." if gaps else ""
    )
    noun = "finding" if len(findings) == 1 else "findings"
    return f"{len(findings)} {noun} ({counts}).{missing} {told}"
