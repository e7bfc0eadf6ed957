"""Stage 3: does the action have what it needs? No model is asked (G6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policypal.domain.documents import Document, DocumentStatus, DocumentType
from policypal.graph.agent import feedback
from policypal.graph.agent.nodes.doc_resolver import document_question
from policypal.graph.agent.state import AgentState, with_notice
from policypal.graph.context import NodeContext
from policypal.graph.interrupts import question
from policypal.services.drafts import split_audit_request


def validate_inputs(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Leaves the first thing that is missing as a question, or none."""
    update = _web(state, context)
    if "question" in update:
        return update
    checks = {"compare": _compare, "audit": _audit, "summarize": _summarize}
    check = checks.get(state["action"])
    return {"question": None, **update, **(check(state, context) if check else {})}


def _web(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Compare drops the web visibly; an explicit wish that cannot be met is asked about, an inferred one is remarked on."""
    if not state["enable_web_search"]:
        return {}
    if state["action"] == "compare":
        return {"enable_web_search": False, "notices": with_notice(state, feedback.COMPARE_WITHOUT_WEB)}
    if context.services.web is not None:
        return {}
    if state["web_tagged"] and not state["web_waived"]:
        return {
            "question": question(
                "action_choice",
                "Web search is not configured. I can proceed with your documents only, or show how to set it up.",
                options=[("without_web", "Continue without web search"), ("setup", "Show how to set it up")],
            )
        }
    return {"enable_web_search": False, "notices": with_notice(state, feedback.WEB_NOT_CONFIGURED)}


def _compare(state: AgentState, context: NodeContext) -> dict[str, Any]:
    if len(state["resolved_doc_ids"]) >= 2:
        return {}
    text = "Compare requires at least 2 documents. Please tag the additional document."
    return {"question": question("text_input", text, expects="document")}


def _summarize(state: AgentState, context: NodeContext) -> dict[str, Any]:
    if state["resolved_doc_ids"]:
        return {}
    text = "Please tag the document you would like to summarize."
    return {"question": question("text_input", text, expects="document")}


def _audit(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """A target and a source: a text of the message, an attached draft, or a company policy."""
    library = context.run.library
    resolved = [d for i in state["resolved_doc_ids"] for d in library if d.id == i]
    text = state["source_text"] or state["draft_text"] or split_audit_request(state["text"])[1]
    source = None if text else _source_document(resolved)
    targets = [d for d in resolved if source is None or d.id != source.id]
    update = {
        "source_text": text,
        "source_doc_id": source.id if source else "",
        "target_doc_ids": [d.id for d in targets],
    }
    if not targets:
        return {**update, "question": _ask_target(library, source)}
    if not text and source is None:
        ask = "Please enter the text you would like to audit (for example an e-mail or a policy excerpt), or tag a company policy."
        return {**update, "question": question("text_input", ask, expects="text")}
    return update


def _source_document(resolved: Sequence[Document]) -> Document | None:
    """The first company policy named; regulations are what it is held against."""
    return next((d for d in resolved if d.type is DocumentType.COMPANY), None)


def _ask_target(library: Sequence[Document], source: Document | None) -> dict[str, Any]:
    regulations = [
        d for d in library
        if d.type is DocumentType.REGULATORY and d.status is DocumentStatus.READY and d is not source
    ]  # fmt: skip
    if regulations:
        return document_question("Please specify which document you would like to audit against.", regulations)
    text = "I need a regulation document to run Audit. Please tag one."
    return question("text_input", text, expects="document")
