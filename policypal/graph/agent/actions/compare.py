"""Action: compare documents (A3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policypal.domain.citations import unmarked
from policypal.domain.documents import Document, Passage
from policypal.graph.agent import versions
from policypal.graph.agent.actions.reading import cell, cited, reading_confidence
from policypal.graph.agent.actions.summarize import bullets
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.state import AgentState
from policypal.graph.agent.versions import Versions
from policypal.graph.citing import NOTHING_VERIFIED, Citer, citer_for, numbered_evidence
from policypal.graph.context import NodeContext
from policypal.services.llm.tasks.compare import COMPARE, CompareInput, Comparison, ComparisonRow
from policypal.services.redline.report import markdown

ROWS_BESIDE_CHANGES = 10
"""Rows of key differences where a complete change list follows."""


def compare(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Holistic: overview, key differences, similarities, unique aspects, implications. Focused on a topic: a table with one
    row per aspect and one cited column per document. Two versions of one document: their change list, too."""
    hits = load_evidence(state, context)
    titles, topic = list(state["resolved_doc_titles"].values()), state["topic"]
    given = CompareInput(titles=titles, evidence=numbered_evidence(hits), topic=topic or None)
    comparison, totals = context.run_task(state, COMPARE, given)
    found = versions.versions_among(_documents(state, context), context)
    citer = _citer(context, [h.passage for h in hits], found)
    rows = ROWS_BESIDE_CHANGES if found else len(comparison.rows)
    parts = [_focused(comparison, titles, topic, citer) if topic else _holistic(comparison, titles, rows, citer)]
    update: dict[str, Any] = {}
    if found is not None:
        listed = versions.cited_changes(found.about(topic) if topic else found, citer)
        parts.append(markdown(listed, citer.citations, topic))
        update["changes"] = listed.model_dump(mode="json")
    if citer.lost_everything:
        parts.append(NOTHING_VERIFIED)
    return {**totals, **update, "response": "\n\n".join(parts), **cited(citer), **reading_confidence(citer)}


def _documents(state: AgentState, context: NodeContext) -> list[Document]:
    return [d for i in state["resolved_doc_ids"] for d in context.run.library if d.id == i]


def _citer(context: NodeContext, passages: Sequence[Passage], found: Versions | None) -> Citer:
    citer = citer_for(context, passages)
    for document_id, pages in (found.pages if found else {}).items():
        citer.pages.update({(document_id, page.number): page.text for page in pages})
    return citer


def _focused(comparison: Comparison, titles: Sequence[str], topic: str, citer: Citer) -> str:
    parts = [f"### Comparison: {unmarked(topic)}", *_paragraphs(comparison, citer)]
    for heading, differs in (("Differences", True), ("Similarities", False)):
        if rows := [r for r in comparison.rows if r.differs is differs]:
            parts.append(f"**{heading}**\n\n{_table(rows, titles, citer)}")
    return "\n\n".join(parts)


def _holistic(comparison: Comparison, titles: Sequence[str], most: int, citer: Citer) -> str:
    """The five sections; one that has nothing to say says so."""
    parts = ["### Comparison", *_paragraphs(comparison, citer)]
    if comparison.unrelated:
        return "\n\n".join(parts)
    differing = [r for r in comparison.rows if r.differs][:most]
    alike = [r for r in comparison.rows if not r.differs]
    parts += [
        _section("Key differences", _table(differing, titles, citer)),
        _section("Similarities", _table(alike, titles, citer)),
        _section("Unique aspects", bullets(comparison.unique, citer)),
        _section("Implications", "\n".join(f"- {citer.render(s)}" for s in comparison.implications)),
    ]
    return "\n\n".join(parts)


def _paragraphs(comparison: Comparison, citer: Citer) -> list[str]:
    said = "\n\n".join(citer.render(s) for s in comparison.overview)
    return [f"**Overview**\n\n{said}"] if said else []


def _section(heading: str, body: str) -> str:
    return f"**{heading}**\n\n{body or 'None were found in the passages compared.'}"


def _table(rows: Sequence[ComparisonRow], titles: Sequence[str], citer: Citer) -> str:
    if not rows:
        return ""
    lines = ["| Aspect | " + " | ".join(cell(unmarked(t)) for t in titles) + " |", "|---" * (len(titles) + 1) + "|"]
    for row in rows:
        cells = [cell(citer.render(c)) for c in row.cells]
        lines.append("| " + " | ".join([cell(unmarked(row.aspect)), *cells]) + " |")
    return "\n".join(lines)
