"""Action: summarize documents (A1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from policypal.answer.evidence import CitedSentence
from policypal.domain.citations import unmarked
from policypal.graph.agent.actions.reading import cell, cited, reading_confidence, with_extent
from policypal.graph.agent.nodes.retrieve import load_evidence, resolved
from policypal.graph.agent.reading import extents_of
from policypal.graph.agent.state import AgentState
from policypal.graph.citing import NOTHING_VERIFIED, Citer, citer_for, numbered_evidence
from policypal.graph.context import NodeContext
from policypal.summary.task import SUMMARIZE, DocumentSummary, Duty, Limit, SummarizeInput


def summarize(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """One section per document: what it says, whom it binds, to what, until when and how much; each statement cited."""
    hits = load_evidence(state, context)
    titles = list(state["resolved_doc_titles"].values())
    extents = extents_of(resolved(state, context), [h.passage for h in hits])
    given = SummarizeInput(
        request=state["text"], titles=titles, evidence=numbered_evidence(hits),
        sampled=[e.title for e in extents if not e.is_whole],
    )  # fmt: skip
    summary, totals = context.run_task(state, SUMMARIZE, given)
    citer = citer_for(context, [h.passage for h in hits])
    parts = [_section(d, citer) for d in summary.documents]
    if summary.relevance:
        parts.append("### What this means for you\n\n" + bullets(summary.relevance, citer))
    if citer.lost_everything:
        parts.append(NOTHING_VERIFIED)
    response = with_extent("\n\n".join(parts), extents)
    return {**totals, "response": response, **cited(citer), **reading_confidence(citer, extents)}


def _section(document: DocumentSummary, citer: Citer) -> str:
    parts = [f"### {unmarked(document.document)}"]
    for title, body in (
        ("Key points", bullets(document.key_points, citer)),
        ("Who is bound", bullets(document.who_is_bound, citer)),
        ("Key obligations", "\n".join(_duties(document.obligations, citer))),
        ("Deadlines and thresholds", _limits(document.deadlines_and_thresholds, citer)),
    ):
        if body:
            parts.append(f"**{title}**\n\n{body}")
    return "\n\n".join(parts) if len(parts) > 1 else f"{parts[0]}\n\nNo statements could be read in this document."


def _duties(duties: Sequence[Duty], citer: Citer) -> Iterator[str]:
    """Duties under the party they bind, in the order in which the parties come up."""
    for party in dict.fromkeys(d.party.strip().lower() for d in duties):
        ours = [d for d in duties if d.party.strip().lower() == party]
        yield f"- *{_named(party) or 'Everyone concerned'}*"
        yield from (f"  - {citer.render(d, must_cite=True)}" for d in ours)


def _limits(limits: Sequence[Limit], citer: Citer) -> str:
    if not limits:
        return ""
    rows = [(unmarked(limit.value), _named(limit.party), citer.render(limit, must_cite=True)) for limit in limits]
    lines = ["| Limit | Who | Provision |", "|---|---|---|", *("| " + " | ".join(map(cell, r)) + " |" for r in rows)]
    return "\n".join(lines)


def _named(party: str) -> str:
    return unmarked(party[:1].upper() + party[1:])


def bullets(sentences: Sequence[CitedSentence], citer: Citer) -> str:
    return "\n".join(f"- {citer.render(s, must_cite=True)}" for s in sentences)
