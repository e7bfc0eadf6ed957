"""Answers, questions and reports as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from policypal.domain.audits import AuditReport, Finding
from policypal.domain.citations import Citation
from policypal.graph.events import InterruptEvent, ResponseEvent


def answer_text(event: ResponseEvent) -> str:
    """The answer with its sources, how sure it is, and the thread to go on with."""
    parts = [*(f"Note: {notice}" for notice in event.notices), event.response]
    if event.citations:
        parts.append("\n".join(["Sources", *(_source(c) for c in event.citations)]))
    if event.report is not None:
        parts.append(f"Audit report {event.report.id}: `audits show` lists it, `audits export` writes it to a file.")
    confidence = f"Retrieval confidence {event.retrieval_confidence}" if event.citations else "No sources"
    cost = f", {event.tokens_used} tokens, ${event.cost_usd:.4f}" if event.tokens_used else ""
    parts.append(f"[{confidence}{cost}, thread {event.thread_id}]")
    return "\n\n".join(parts)


def question_text(event: InterruptEvent) -> str:
    """The question, its options with their ids, and the command that answers it."""
    lines = [event.message, *(f"  {o.id}  {o.label}" for o in event.options or [])]
    several = " (repeat --value for several)" if event.allow_multiple else ""
    lines += [
        "",
        f"Answer:  python -m policypal resume {event.thread_id} --type {event.interrupt_type} --value …{several}",
        f"Cancel:  python -m policypal resume {event.thread_id} --type cancel",
    ]
    return "\n".join(lines)


def report_text(report: AuditReport, findings: Iterable[Finding]) -> str:
    """A report as it is read from top to bottom."""
    parts = [f"{report.title}\n{report.overall_status.value}. {report.summary}"]
    parts += [_finding(f) for f in findings]
    if report.not_assessed:
        parts.append("\n".join(["Not assessed", *(f"  - {reason}" for reason in report.not_assessed)]))
    return "\n\n".join(parts)


def _source(citation: Citation) -> str:
    version = f" ({citation.version})" if citation.version else ""
    where = f", p. {citation.page}" if citation.page else f", {citation.url}" if citation.url else ""
    quote = f"“{citation.quote}”" if citation.verified else f"{citation.quote} [not verified]"
    return f"  {citation.marker} {citation.title}{version}{where}: {quote}"


def _finding(f: Finding) -> str:
    source_page = f", p. {f.source_page}" if f.source_page else ""
    label = "Nearest source passage" if f.kind.value == "gap" else "Source"
    return "\n".join(
        [
            f"[{f.severity.value}] {f.theme} ({f.kind.value}, confidence {f.confidence:.2f})",
            f"  Target:  {f.target_document}, p. {f.target_page}: “{f.target_quote}”",
            f"  {label}{source_page}: “{f.source_quote}”",
            f"  Consequence: {f.consequence}",
            f"  Suggestion:  {f.suggestion}",
        ]
    )
