"""Web search (G3, R7): the query is written here, by the stage that knows the documents, not where the need was seen."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

from policypal.answer.web_query import WEB_QUERY, WebQuery, WebQueryInput, extractive
from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import DocumentType
from policypal.domain.events import STATUS_MESSAGES, StatusEvent
from policypal.errors import WebSearchError
from policypal.graph.agent import feedback
from policypal.graph.agent.nodes.doc_resolver import known_document
from policypal.graph.agent.state import AgentState, names_of, subject_of, with_notice
from policypal.graph.context import NodeContext
from policypal.graph.public_query import leaving
from policypal.ingest.drafts import split_audit_request
from policypal.llm.task import TaskContext
from policypal.request.subject import without_document_names
from policypal.research.disclosure import request_without_draft, without_private_names
from policypal.web.research import WebFindings
from policypal.web.search import PublicQuery


def web_search(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Leaves passages of web pages as evidence. Whatever goes wrong, the turn goes on without them, and says so."""
    if context.services.web is None:
        return {"notices": with_notice(state, feedback.WEB_NOT_CONFIGURED), "enable_web_search": False}
    written, query, totals = _written(state, context)
    if query is None:
        notice = feedback.WEB_WITHHELD if written.query.strip() else feedback.WEB_WITHOUT_SUBJECT
        return {**totals, "notices": with_notice(state, notice), "enable_web_search": False}
    context.run.check_stop()
    context.run.tell(StatusEvent(node="web_search", message=STATUS_MESSAGES["web_search"], web_query=query.text))
    try:
        found = context.services.web.find(context.run.user_id, query)
    except WebSearchError as error:
        context.run.recorder.trace(TraceEntry("search", "web", 0.0, {"query": query.text, "problem": error.message}))
        return {**totals, "web_query": query.text, "notices": with_notice(state, feedback.web_failed(error.message))}
    for entry in found.log:
        context.run.recorder.trace(entry)
    return {
        **totals, "web_query": query.text, "web_evidence": [p.model_dump() for p in found.passages],
        "notices": _notices(state, query.text, found),
    }  # fmt: skip


def wish_for_web(state: AgentState, context: NodeContext, level: str, found: bool) -> dict[str, Any]:
    """After a question's retrieval: not needed where the documents answer with high confidence, unless tagged; needed
    where nobody named a document and none fits."""
    if state["enable_web_search"] and not state["web_tagged"] and level == "high":
        return {"enable_web_search": False, "notices": with_notice(state, feedback.WEB_NOT_NEEDED)}
    is_open = not found and not state["resolved_doc_ids"] and not state["web_waived"]
    if is_open and not state["enable_web_search"] and context.services.web is not None:
        return {"enable_web_search": True, "notices": with_notice(state, feedback.WEB_INSTEAD)}
    return {}


def _written(state: AgentState, context: NodeContext) -> tuple[WebQuery, PublicQuery | None, dict[str, Any]]:
    """Once per turn: what was written, what of it may leave, and the state's totals. A model that writes what must not leave
    does not keep the web from being searched: the rules write it then."""
    given = WebQueryInput(
        message=_message(state, context),
        action=state["action"],
        regulations=_regulations(state, context),
        history=_said_before(state, context),
        today=datetime.now(UTC).date().isoformat(),
    )
    written, totals = context.run_task(state, WEB_QUERY, given)
    public = _public(written, state, context)
    if public is None and written.query.strip():
        public = _public(extractive(given, TaskContext(context.services.embedder, context.run.profile)), state, context)
    return written, public, totals


def _public(written: WebQuery, state: AgentState, context: NodeContext) -> PublicQuery | None:
    said = [m["content"] for m in state.get("messages", []) if m["role"] == "user"]
    return leaving(context, written.query, state["text"], drafts=(state["draft_text"], state["source_text"]), said=said)


def _said_before(state: AgentState, context: NodeContext) -> list[str]:
    """What the person has asked before, to resolve "that" by. Answers quote the company's papers and stay (X5)."""
    said = [m["content"] for m in state.get("messages", []) if m["role"] == "user" and m["id"] != state["message_id"]]
    library = [known_document(d) for d in context.run.library]
    names = partial(without_private_names, library=library, profile=context.run.profile)
    return [f"user: {names(request_without_draft(text))}" for text in said]


def _message(state: AgentState, context: NodeContext) -> str:
    """What is asked, without documents' names: of a question the rewritten form; of an audit not the text to audit, which
    is nobody else's business."""
    names = names_of(state, context.run.library)
    if state["action"] == "audit":
        asked = split_audit_request(state["clean_query"])[0]
    else:
        asked = (state["search_query"] if state["action"] == "inquire" else "") or subject_of(
            state, context.run.library
        )
    return without_document_names(asked, names.called, names.sets)


def _regulations(state: AgentState, context: NodeContext) -> list[str]:
    """Titles of the regulations in scope. The company's own documents are nobody else's business."""
    wanted = set(state["resolved_doc_ids"])
    return [d.title for d in context.run.library if d.id in wanted and d.type is DocumentType.REGULATORY]


def _notices(state: AgentState, query: str, found: WebFindings) -> list[str]:
    if not found.passages:
        return with_notice(state, feedback.web_found_nothing(query))
    unread = sum(p.is_excerpt for p in {p.url: p for p in found.passages}.values())
    return with_notice(state, feedback.web_excerpts_only(unread)) if unread else state["notices"]
