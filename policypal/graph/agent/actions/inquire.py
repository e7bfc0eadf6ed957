"""Action: answer a question (A2)."""

from __future__ import annotations

from typing import Any

from policypal.domain.documents import RetrievedPassage
from policypal.graph.agent import feedback
from policypal.graph.agent.actions.reading import cited
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.state import AgentState, history_without_names, subject_of
from policypal.graph.citing import NOTHING_VERIFIED, Citer, citer_for, numbered_evidence
from policypal.graph.context import NodeContext
from policypal.graph.web_evidence import numbered_web_evidence, web_passages_of
from policypal.services.llm.tasks.answer import ANSWER, Answer, AnswerInput


def inquire(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Mode A: from evidence, every sentence cited. B: no documents at all. C: documents, but nothing relevant."""
    hits, pages = load_evidence(state, context), web_passages_of(state)
    mode = _mode(state, bool(hits or pages))
    given = AnswerInput(
        question=subject_of(state),
        evidence=[*numbered_evidence(hits), *numbered_web_evidence(pages, after=len(hits))],
        titles=_titles(state, hits),
        mode=mode,
        history=history_without_names(state),
    )
    answer, totals = context.run_task(state, ANSWER, given)
    citer = citer_for(context, [h.passage for h in hits], pages)
    text = _markdown(answer, citer, must_cite=mode == "evidence" and answer.found)
    update: dict[str, Any] = {**totals, "response": text, **cited(citer)}
    documents = [c for c in citer.citations if c.source_type == "document"]
    if mode != "evidence" or not answer.found or not documents:  # what web pages say is not rated (C4)
        update.update(retrieval_confidence="low", confidence_score=0.0)
    if state["low_accepted"]:
        update["notices"] = [*state["notices"], feedback.DISCLAIMER]
    if len(documents) < len(citer.citations):
        update["notices"] = [*update.get("notices", state["notices"]), feedback.WEB_CAUTION]
    if not state["resolved_doc_titles"] and documents:
        update["resolved_doc_titles"] = _cited_documents(citer, hits)
    return update


def _mode(state: AgentState, has_evidence: bool) -> Any:
    if has_evidence:
        return "evidence"
    return "not_found" if state["resolved_doc_ids"] else "general"


def _titles(state: AgentState, hits: list[RetrievedPassage]) -> list[str]:
    named = list(state["resolved_doc_titles"].values())
    return named or list(dict.fromkeys(h.passage.document_label for h in hits))


def _markdown(answer: Answer, citer: Citer, *, must_cite: bool) -> str:
    """Sentences whose quotes all vanished are shown as unverified; if none is left standing, the answer says so."""
    lines = [citer.render(s, must_cite=must_cite) for s in answer.sentences]
    if citer.lost_everything:
        lines.append(f"{NOTHING_VERIFIED} {feedback.DISCLAIMER}")
    return "\n\n".join(lines)


def _cited_documents(citer: Citer, hits: list[RetrievedPassage]) -> dict[str, str]:
    """A question to the whole library refers, from then on, to the documents that answered it (G11)."""
    cited = {c.document_id for c in citer.citations}
    return {h.passage.document_id: h.passage.document_label for h in hits if h.passage.document_id in cited}
