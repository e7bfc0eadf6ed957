"""Action: audit a text or a policy against target documents (A4, A5)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import uuid4

from policypal.db import index
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
from policypal.domain.documents import Document, Passage
from policypal.domain.extents import Extent
from policypal.graph.agent.actions.audit_answer import answer_markdown
from policypal.graph.agent.actions.reading import cited, with_extent
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.reading import extents_of
from policypal.graph.agent.state import AgentState
from policypal.graph.citing import Citer, find_quote, load_pages
from policypal.graph.context import NodeContext
from policypal.services.audit.checked import checked_finding, checked_row, contradiction
from policypal.services.audit.engine import obligations_of
from policypal.services.audit.reading import AuditPassage
from policypal.services.audit.verdict import (
    Circumstances,
    Tally,
    Verdict,
    reach_verdict,
    settled,
    tally_of_rows,
    without_foreign_gaps,
)
from policypal.services.language import is_foreign
from policypal.services.llm.tasks.audit import (
    AUDIT,
    AuditInput,
    AuditOutput,
    CoverageDraft,
    FindingDraft,
    RuleAudit,
    SourcePassage,
    TargetPassage,
)
from policypal.services.obligation_parts import obligation_parts
from policypal.services.verify import QuoteCheck, verify_quote

TEXT_MODE_WORDS = 1000
"""A source below this many words is audited as a text: no gaps are sought (A4)."""


@dataclass(frozen=True, slots=True)
class _Material:
    """What one audit reads. Passages are numbered from 1 in these orders."""

    source_title: str
    source_document: Document | None
    source: list[Passage] | None
    text: str
    targets: list[Document]
    passages: list[Passage]
    mode: Literal["text", "policy"]
    focus: str

    @property
    def source_extent(self) -> Extent | None:
        """How much of the source was read; None for a text, which is read whole."""
        return extents_of([self.source_document], self.source or [])[0] if self.source_document else None

    @property
    def extents(self) -> list[Extent]:
        """How much of each target was read."""
        return extents_of(self.targets, self.passages)

    @property
    def sampled(self) -> list[str]:
        """The titles of the documents that were read in part only."""
        return [e.title for e in (self.source_extent, *self.extents) if e is not None and not e.is_whole]

    @property
    def complete(self) -> bool:
        """Whether the documents were read as wholes: without that, the source cannot be judged as a whole (A0)."""
        return not self.sampled


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
    """Run the audit, check every quote against the stored text, and shape the report."""
    started = time.perf_counter()
    material = _gather(state, context)
    output, totals = context.run_task(state, AUDIT, _task_input(material, state["themes"], state["text"]))
    output = _numbered_by_side(output, material)
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


def _gather(state: AgentState, context: NodeContext) -> _Material:
    wanted = [*state["target_doc_ids"], *([state["source_doc_id"]] if state["source_doc_id"] else [])]
    documents = {d.id: d for d in context.run.library if d.id in wanted}
    targets = [documents[i] for i in state["target_doc_ids"] if i in documents]
    source_document = documents.get(state["source_doc_id"])
    read = [h.passage for h in load_evidence(state, context)]
    source = [p for p in read if p.document_id == source_document.id] if source_document else None
    return _Material(
        source_title=_source_title(state, source_document),
        source_document=source_document,
        source=source,
        text=state["source_text"],
        targets=targets,
        passages=[p for p in read if p.document_id in state["target_doc_ids"]],
        mode="text" if _words(state, context, source_document) < TEXT_MODE_WORDS else "policy",
        focus=state["focus"],
    )


def _source_title(state: AgentState, document: Document | None) -> str:
    if document is not None:
        return document.display_title
    return state["draft_name"] or "Text in the message"


def _words(state: AgentState, context: NodeContext, source: Document | None) -> int:
    """Of the whole source, whatever of it is read."""
    if source is None:
        return len(state["source_text"].split())
    passages = index.load_passages(context.services.db, context.run.user_id, source.id)
    return sum(len(p.text.split()) for p in passages)


def _task_input(material: _Material, themes: list[str], request: str) -> AuditInput:
    """A target's numbers go on from the source's, so that none can be taken for the other's."""
    if material.source is not None:
        source = [
            SourcePassage(number=n, page=p.page, text=p.text, heading=p.heading)
            for n, p in enumerate(material.source, 1)
        ]
    else:
        source = [SourcePassage(number=1, page=None, text=material.text)]
    return AuditInput(
        mode=material.mode,
        source_title=material.source_title,
        source=source,
        targets=[d.id for d in material.targets],
        titles=[d.display_title for d in material.targets],
        passages=[
            TargetPassage(number=n, target=p.document_id, page=p.page, text=p.text, heading=p.heading)
            for n, p in enumerate(material.passages, len(source) + 1)
        ],
        themes=themes,
        request=request,
        sampled=material.sampled,
        focus=material.focus,
    )


def _numbered_by_side(output: AuditOutput, material: _Material) -> AuditOutput:
    """The output with the targets' passages numbered from 1, as the source's are."""
    before = 1 if material.source is None else len(material.source)
    return output.model_copy(
        update={
            "findings": [f.model_copy(update={"passage": f.passage - before}) for f in output.findings],
            "coverage": [c.model_copy(update={"passage": c.passage - before}) for c in output.coverage],
        }
    )


_Pages = dict[tuple[str, int], str]


def _check(output: AuditOutput, material: _Material, pages: _Pages) -> _Checked:
    """Findings and coverage as far as they stand in the documents, and the verdict they allow."""
    drafts = [(d, _finding(d, material, pages)) for d in output.findings]
    found = [f for _, f in drafts if f is not None]
    rows = tuple(r for r in (_coverage_row(d, material, pages) for d in output.coverage) if r is not None)
    if isinstance(output, RuleAudit):
        standing, contradicted, tally = found, list[Finding](), output.tally
    else:
        standing, contradicted, rows, tally = _held_against_quotations(found, rows, material, pages)
    foreign = _foreign(material) if isinstance(output, RuleAudit) else []
    met = Circumstances(
        foreign,
        _compares_nothing(foreign, material),
        _unread(material),
        misquoted=len(drafts) - len(found),
        by_model=not isinstance(output, RuleAudit),
    )
    kept = without_foreign_gaps(standing, tally, met)
    order = {d.id: n for n, d in enumerate(material.targets)}
    kept.sort(key=lambda f: (order.get(f.target_document_id, 0), f.severity.rank))
    withheld = len(standing) - len(kept)
    return _Checked(kept, contradicted, withheld, rows, settled(tally), met, reach_verdict(kept, tally, met))


_Held = tuple[list[Finding], list[Finding], tuple[CoverageRow, ...], Tally]


def _held_against_quotations(
    found: list[Finding], rated: tuple[CoverageRow, ...], material: _Material, pages: _Pages
) -> _Held:
    """A model's findings that stand, those that their quotations contradict, its rows, and what it judged by them."""
    written = [_without_invention(f, material, pages) for f in found]
    standing, contradicted = _second_opinion(written, found)
    rows = tuple(_without_false_figures(r, pages) for r in rated)
    turned = [now for was, now in zip(rated, rows, strict=True) if was.status is not now.status]
    unsettled = [(f.target_document_id, f.target_quote) for f in contradicted]
    unsettled += [(r.target_document_id, r.obligation) for r in turned]
    tally = tally_of_rows(rows, _register(material), standing, unsettled, material.mode == "policy")
    return standing, contradicted, rows, tally


def _without_false_figures(row: CoverageRow, pages: _Pages) -> CoverageRow:
    labels = _labels(row.target_document, row.target_document_id, row.page, row.start, pages)
    return checked_row(row, [row.heading, *labels])


def _second_opinion(written: Sequence[Finding], drafted: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings that stand, and those whose quoted figures do not conflict, each with the reason."""
    standing, contradicted = list[Finding](), list[Finding]()
    for finding, draft in zip(written, drafted, strict=True):
        if told := contradiction(draft):
            contradicted.append(finding.model_copy(update={"support": f"Contradicted by its quotations: {told}."}))
        else:
            standing.append(finding)
    return standing, contradicted


def _without_invention(finding: Finding, material: _Material, pages: _Pages) -> Finding:
    labels = _labels(
        finding.target_document, finding.target_document_id, finding.target_page, finding.target_start, pages
    )
    headings = [
        p.heading or ""
        for p in material.passages
        if (p.document_id, p.page) == (finding.target_document_id, finding.target_page)
    ]
    return checked_finding(finding, [*labels, *headings, material.source_title])


_LABEL_CHARACTERS = 40


def _labels(document: str, document_id: str, page: int, start: int | None, pages: _Pages) -> list[str]:
    """What names the place of a quotation: its document, its page, and what stands before it in its line."""
    text = pages.get((document_id, page), "")
    line = text[: start or 0].rpartition("\n")[2][-_LABEL_CHARACTERS:]
    return [document, f"page {page}", line]


def _register(material: _Material) -> list[tuple[str, str]]:
    """The obligations that the rules read in the targets, whatever the engine: (document id, words)."""
    passages = [
        AuditPassage(n, p.document_id, p.page, p.text, p.heading) for n, p in enumerate(material.passages, 1)
    ]  # fmt: skip
    return [(o.document, o.quote) for o in obligations_of(passages, material.focus)]


def _numbered(passages: Sequence[Passage] | None, number: int | None) -> Passage | None:
    """The passage an engine names by its number, counted from 1; None where there is no such."""
    return passages[number - 1] if passages and number and 1 <= number <= len(passages) else None


def _quoted(
    text: str, number: int | None, passages: Sequence[Passage] | None, pages: _Pages
) -> tuple[Passage, QuoteCheck] | None:
    """That passage, or the one of its document that has these words, and where they stand; None where they do not."""
    passage = _numbered(passages, number)
    return find_quote(text, passage, passages or (), pages) if passage and text else None


def _finding(draft: FindingDraft, material: _Material, pages: _Pages) -> Finding | None:
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


def _source_side(draft: FindingDraft, material: _Material, pages: _Pages) -> dict[str, Any]:
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
    material: _Material,
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


def _not_assessed(output: AuditOutput, material: _Material, checked: _Checked) -> list[str]:
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


def _unread(material: _Material) -> list[str]:
    """What of the documents was not read, a sentence each."""
    told = []
    for d in [*material.targets, *([material.source_document] if material.source_document else [])]:
        if d.pages_without_text:
            told.append(f"{d.display_title}: {d.pages_without_text} of {d.pages} pages hold no text and were not read.")
        if d.display_title in material.sampled:
            told.append(f"{d.display_title}: a sample of passages was read, not every page.")
    return told


def _foreign(material: _Material) -> list[str]:
    """The titles of what the rules of the keyless engine cannot read; a model reads any language."""
    texts = {
        d.display_title: " ".join(p.text for p in material.passages if p.document_id == d.id) for d in material.targets
    }
    source = material.text if material.source is None else " ".join(p.text for p in material.source)
    return [title for title, text in {material.source_title: source, **texts}.items() if is_foreign(text)]


def _compares_nothing(foreign: Sequence[str], material: _Material) -> bool:
    """Whether the source, or every target, is in a language that the engine does not read."""
    return material.source_title in foreign or set(foreign) >= {d.display_title for d in material.targets}


def _extent(read: Extent, coverage: Sequence[CoverageRow] | None) -> ReadingExtent:
    obligations = sum(r.target_document_id == read.document_id for r in coverage or ())
    return ReadingExtent(**read.model_dump(), obligations=obligations)


def _coverage_row(draft: CoverageDraft, material: _Material, pages: _Pages) -> CoverageRow | None:
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
