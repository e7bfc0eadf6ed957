"""Action: summarize documents (A1)."""

from __future__ import annotations

from typing import Any

from policypal.graph.agent.actions.reading import reading_confidence
from policypal.graph.agent.citing import Citer, citer_for, numbered_evidence
from policypal.graph.agent.context import NodeContext
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.state import AgentState
from policypal.services.llm.tasks.evidence import CitedSentence
from policypal.services.llm.tasks.summarize import SUMMARIZE, DocumentSummary, SummarizeInput

_SECTIONS = (
    ("Key points", "key_points"),
    ("Key obligations", "obligations"),
    ("Deadlines and thresholds", "deadlines_and_thresholds"),
)


def summarize(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """One section per document, each statement cited."""
    hits = load_evidence(state, context)
    titles = list(state["resolved_doc_titles"].values())
    given = SummarizeInput(request=state["text"], titles=titles, evidence=numbered_evidence(hits))
    summary, totals = context.run_task(state, SUMMARIZE, given)
    citer = citer_for(context, [h.passage for h in hits])
    parts = [_section(d, citer) for d in summary.documents]
    if summary.relevance:
        parts.append("### What this means for you\n\n" + bullets(summary.relevance, citer))
    return {
        **totals,
        "response": "\n\n".join(p for p in parts if p),
        "citations": [c.model_dump() for c in citer.citations],
        **reading_confidence(citer),
    }


def _section(document: DocumentSummary, citer: Citer) -> str:
    parts = [f"### {document.document}"]
    for title, name in _SECTIONS:
        sentences: list[CitedSentence] = getattr(document, name)
        if sentences:
            parts.append(f"**{title}**\n\n{bullets(sentences, citer)}")
    return "\n\n".join(parts)


def bullets(sentences: list[CitedSentence], citer: Citer) -> str:
    return "\n".join(f"- {citer.render(s)}" for s in sentences)
