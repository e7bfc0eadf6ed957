"""Answers, questions and reports as text for a person at a terminal."""

from collections.abc import Iterable, Sequence

from policypal.domain.audits import AuditReport, Finding, by_claim
from policypal.domain.citations import Citation
from policypal.domain.confidence import badge_words
from policypal.domain.events import InterruptEvent, ResponseEvent
from policypal.domain.extents import reading_line


def answer_text(event: ResponseEvent) -> str:
    """The answer with its sources, how sure it is, and the thread to go on with. A research report tells its sources itself."""
    parts = [event.response]
    if event.research is None:
        parts = [*(f"Note: {notice}" for notice in event.notices), *parts]
        parts += _sources(event.citations)
    if event.report is not None:
        parts.append(f"Audit report {event.report.id}: `audits show` lists it, `audits export` writes it to a file.")
    confidence = badge_words(event.retrieval_confidence, event.action) if event.citations else "No sources"
    dollars = f"${event.cost_usd:.4f}{'' if event.is_priced else ' (some prices are unknown)'}"
    cost = f", {event.tokens_used} tokens, {dollars}" if event.tokens_used else ""
    parts.append(f"[{confidence}{cost}, thread {event.thread_id}]")
    return "\n\n".join(parts)


def question_text(event: InterruptEvent) -> str:
    """The question, its options with their ids, and the command that answers it."""
    lines = [event.message, *(f"  {o.id}  {o.label}" for o in event.options or [])]
    lines += [
        "",
        f"Answer:  python -m policypal resume {event.thread_id} --type {event.interrupt_type} --value …{_hint(event)}",
        f"Cancel:  python -m policypal resume {event.thread_id} --type cancel",
    ]
    return "\n".join(lines)


def _hint(event: InterruptEvent) -> str:
    """What can be given as a value beside one of the options."""
    if event.interrupt_type == "plan_approval":
        return ' (an option, or the fields to change as JSON: {"queries": ["…"]})'
    own = "an option, or your own words" if event.options and event.expects else ""
    several = "repeat --value for several" if event.allow_multiple else ""
    told = "; ".join(filter(None, (own, several)))
    return f" ({told})" if told else ""


def report_text(report: AuditReport, findings: Iterable[Finding]) -> str:
    """A report as it is read from top to bottom."""
    focus = f"\nLimited to: {report.focus}" if report.focus else ""
    parts = [f"{report.title}{focus}\n{report.verdict}. {report.summary}"]
    parts += filter(None, [reading_line(report.reading)])
    parts += [_finding(f) for f in findings]
    if report.contradicted:
        parts.append("Contradicted by their own quotations, not counted:")
        parts += [_finding(f) for f in report.contradicted]
    parts += _to_review(report)
    if report.not_assessed:
        parts.append("\n".join(["Not assessed", *(f"  - {reason}" for reason in report.not_assessed)]))
    return "\n\n".join(parts)


_MOST_REVIEWED = 10


def _to_review(report: AuditReport) -> list[str]:
    """The statements that say most of the same as a rule, each beside that rule."""
    claims = by_claim(report.review)
    if not claims:
        return []
    told = ["To review: statements that nobody judged, beside the rule nearest to each"]
    for pairs in claims[:_MOST_REVIEWED]:
        rule = f"{pairs[0].target_introduction} {pairs[0].target_quote}".strip()
        where = f"{pairs[0].target_document}, page {pairs[0].target_page}"
        told += [f"  - “{pairs[0].source_quote}”", f"      {where}: “{rule}”"]
    more = len(claims) - _MOST_REVIEWED
    told += [f"  {more} more: `audits export {report.id} --format xlsx` writes them all"] if more > 0 else []
    return ["\n".join(told)]


def _sources(citations: Sequence[Citation]) -> list[str]:
    return ["\n".join(["Sources", *map(_source, citations)])] if citations else []


def _source(citation: Citation) -> str:
    version = f" ({citation.version})" if citation.version else ""
    where = f", {citation.place}" if citation.page else f", {citation.url}" if citation.url else ""
    quote = f"“{citation.quote}”" if citation.verified else f"{citation.quote} [not verified]"
    return f"  {citation.marker} {citation.title}{version}{where}: {quote}"


def _finding(f: Finding) -> str:
    source_page = f", p. {f.source_page}" if f.source_page else ""
    label = f"Nearest passage of the {f.side.lower()}" if f.kind.value == "gap" else f.side
    return "\n".join(
        [
            f"[{f.severity.value}] {f.theme} ({f.kind.value}, confidence {f.confidence:.2f})",
            f"  Target:  {f.target_document}, p. {f.target_page}: “{f.target_quote}”",
            f"  {label}{source_page}: “{f.source_quote}”",
            f"  Consequence: {f.consequence}",
            f"  Suggestion:  {f.suggestion}",
            *([f"  Note:        {f.support}"] if f.support else []),
        ]
    )
