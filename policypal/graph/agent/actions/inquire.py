"""Action: answer a question (A2)."""

from __future__ import annotations

from typing import Any

from policypal.domain.documents import RetrievedPassage
from policypal.graph.agent import feedback
from policypal.graph.agent.citing import Citer, citer_for, numbered_evidence
from policypal.graph.agent.context import NodeContext
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.state import AgentState, history_without_names, subject_of
from policypal.services.llm.tasks.answer import ANSWER, Answer, AnswerInput


def inquire(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Mode A: from evidence, every sentence cited. B: no documents at all. C: documents, but nothing relevant."""
    hits = load_evidence(state, context)
    mode = _mode(state, hits)
    given = AnswerInput(
        question=subject_of(state),
        evidence=numbered_evidence(hits),
        titles=_titles(state, hits),
        mode=mode,
        history=history_without_names(state),
    )
    answer, totals = context.run_task(state, ANSWER, given)
    citer = citer_for(context, [h.passage for h in hits])
    text = _markdown(answer, citer)
    update: dict[str, Any] = {**totals, "response": text, "citations": [c.model_dump() for c in citer.citations]}
    if mode != "evidence" or not answer.found or not citer.citations:
        update.update(retrieval_confidence="low", confidence_score=0.0)
    if state["low_accepted"]:
        update["notices"] = [*state["notices"], feedback.DISCLAIMER]
    if not state["resolved_doc_titles"] and citer.citations:
        update["resolved_doc_titles"] = _cited_documents(citer, hits)
    return update


def _mode(state: AgentState, hits: list[RetrievedPassage]) -> Any:
    if hits:
        return "evidence"
    return "not_found" if state["resolved_doc_ids"] else "general"


def _titles(state: AgentState, hits: list[RetrievedPassage]) -> list[str]:
    named = list(state["resolved_doc_titles"].values())
    return named or list(dict.fromkeys(h.passage.document_label for h in hits))


def _markdown(answer: Answer, citer: Citer) -> str:
    """Sentences whose quotes all vanished are shown as unverified; if none is left standing, the answer says so."""
    lines = [citer.render(s) for s in answer.sentences]
    quoted = [s for s in answer.sentences if s.quotes]
    if quoted and not citer.citations:
        lines.append("None of these statements could be verified in the documents. " + feedback.DISCLAIMER)
    return "\n\n".join(lines)


def _cited_documents(citer: Citer, hits: list[RetrievedPassage]) -> dict[str, str]:
    """A question to the whole library refers, from then on, to the documents that answered it (G11)."""
    cited = {c.document_id for c in citer.citations}
    return {h.passage.document_id: h.passage.document_label for h in hits if h.passage.document_id in cited}
