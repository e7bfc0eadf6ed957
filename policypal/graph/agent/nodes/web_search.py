"""Web search (G3, R7): the query is written here, by the stage that knows the documents, not where the need was seen."""

from typing import Any

from policypal.answer.queries import web_query
from policypal.domain.conversations import TraceEntry
from policypal.domain.documents import DocumentType
from policypal.domain.events import STATUS_MESSAGES, StatusEvent
from policypal.errors import WebSearchError
from policypal.graph.agent import feedback
from policypal.graph.agent.state import AgentState, history_lines, names_of, subject_of, with_notice
from policypal.graph.agent.topic import asked_in_own_words
from policypal.graph.context import NodeContext
from policypal.graph.public_query import leaving
from policypal.ingest.drafts import split_audit_request
from policypal.request.subject import without_document_names
from policypal.web.research import WebFindings
from policypal.web.search import PublicQuery


def web_search(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Leaves passages of web pages as evidence. Whatever goes wrong, the turn goes on without them, and says so."""
    if context.services.web is None:
        return {"notices": with_notice(state, feedback.WEB_NOT_CONFIGURED), "enable_web_search": False}
    written, query = _written(state, context)
    if query is None:
        notice = feedback.WEB_WITHHELD if written.strip() else feedback.WEB_WITHOUT_SUBJECT
        return {"notices": with_notice(state, notice), "enable_web_search": False}
    context.run.check_stop()
    context.run.tell(StatusEvent(node="web_search", message=STATUS_MESSAGES["web_search"], web_query=query.text))
    try:
        found = context.services.web.find(context.run.user_id, query)
    except WebSearchError as error:
        context.run.recorder.trace(TraceEntry("search", "web", 0.0, {"query": query.text, "problem": error.message}))
        return {"web_query": query.text, "notices": with_notice(state, feedback.web_failed(error.message))}
    for entry in found.log:
        context.run.recorder.trace(entry)
    return {
        "web_query": query.text, "web_evidence": [p.model_dump(mode="json") for p in found.passages],
        "notices": _notices(state, query.text, found),
    }  # fmt: skip


def is_in_doubt(state: AgentState) -> bool:
    """Whether the web is to be searched unless the documents answer: nobody asked for it in so many words."""
    return bool(state["enable_web_search"]) and not state["web_tagged"]


def wish_for_web(state: AgentState, context: NodeContext, *, found: bool, is_answered: bool) -> dict[str, Any]:
    """After a question's retrieval: not needed where it is in doubt and the documents answer with high confidence; needed
    where nobody named a document and none fits."""
    if is_answered:
        return {"enable_web_search": False, "notices": with_notice(state, feedback.WEB_NOT_NEEDED)}
    is_open = not found and not state["resolved_doc_ids"] and not state["web_waived"]
    if is_open and not state["enable_web_search"] and context.services.web is not None:
        return {"enable_web_search": True, "notices": with_notice(state, feedback.WEB_INSTEAD)}
    return {}


def _written(state: AgentState, context: NodeContext) -> tuple[str, PublicQuery | None]:
    """What was written, and what of it may leave. A model's query leaves only where the model had read nothing but this message: what
    it takes from an earlier answer, which quotes documents, can be put into any words, and no filter recognises them. A model that wrote
    what must not leave, or nothing, does not keep the web from being searched: the rules write it then, from what the person has typed."""
    is_first = not history_lines(state, last=1)
    read = " ".join((state["route"] or {}).get("web_query", "").split()) if is_first else ""
    if read and (public := _public(read, state, context)) is not None:
        return read, public
    written = web_query(_message(state, context), state["action"], _regulations(state, context), context.run.profile)
    return written or read, _public(written, state, context)


def _public(written: str, state: AgentState, context: NodeContext) -> PublicQuery | None:
    said = [m["content"] for m in state.get("messages", []) if m["role"] == "user"]
    return leaving(context, written, state["text"], drafts=(state["draft_text"], state["source_text"]), said=said)


def _message(state: AgentState, context: NodeContext) -> str:
    """What is asked, in the person's words without documents' names: of a follow-up with what was asked before; of an audit not the
    text to audit, which is nobody else's business."""
    names = names_of(state, context.run.library)
    if state["action"] == "inquire":
        asked = asked_in_own_words(state, context.run.library)
    else:
        asked = (
            split_audit_request(state["clean_query"])[0]
            if state["action"] == "audit"
            else subject_of(state, context.run.library)
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
