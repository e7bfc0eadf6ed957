"""Action: compare documents (A3)."""

from __future__ import annotations

from typing import Any

from policypal.graph.agent.actions.reading import reading_confidence
from policypal.graph.agent.actions.summarize import bullets
from policypal.graph.agent.citing import Citer, citer_for, numbered_evidence
from policypal.graph.agent.context import NodeContext
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.state import AgentState
from policypal.services.llm.tasks.compare import COMPARE, CompareInput, Comparison, ComparisonRow


def compare(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Holistic, or focused on a topic: a table with one row per aspect and one cited column per document."""
    hits = load_evidence(state, context)
    titles = list(state["resolved_doc_titles"].values())
    given = CompareInput(titles=titles, evidence=numbered_evidence(hits), topic=state["topic"] or None)
    comparison, totals = context.run_task(state, COMPARE, given)
    citer = citer_for(context, [h.passage for h in hits])
    return {
        **totals,
        "response": _markdown(comparison, titles, state["topic"], citer),
        "citations": [c.model_dump() for c in citer.citations],
        **reading_confidence(citer),
    }


def _markdown(comparison: Comparison, titles: list[str], topic: str, citer: Citer) -> str:
    parts = [f"### {'Comparison: ' + topic if topic else 'Comparison'}"]
    if comparison.overview:
        parts.append("\n\n".join(citer.render(s) for s in comparison.overview))
    differences = [r for r in comparison.rows if r.differs]
    similarities = [r for r in comparison.rows if not r.differs]
    for heading, rows in (("Key differences", differences), ("Similarities", similarities)):
        if rows:
            parts.append(f"**{heading}**\n\n{_table(rows, titles, citer)}")
    if not comparison.rows:
        parts.append("No corresponding passages were found in these documents.")
    for heading, sentences in (("Unique aspects", comparison.unique), ("Implications", comparison.implications)):
        if sentences:
            parts.append(f"**{heading}**\n\n{bullets(sentences, citer)}")
    return "\n\n".join(parts)


def _table(rows: list[ComparisonRow], titles: list[str], citer: Citer) -> str:
    lines = ["| Aspect | " + " | ".join(map(_cell, titles)) + " |", "|---" * (len(titles) + 1) + "|"]
    for row in rows:
        cells = [_cell(citer.render(c)) for c in row.cells]
        lines.append("| " + " | ".join([_cell(row.aspect), *cells]) + " |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Text that cannot break out of its table cell."""
    return text.replace("|", "\\|").replace("\n", " ")
