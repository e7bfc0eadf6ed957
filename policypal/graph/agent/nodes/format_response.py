"""The last stage: history once, the registry grown, notices in place (G10, G11)."""

from collections.abc import Sequence
from typing import Any

from policypal.db import provisions as provisions_db
from policypal.domain.support import Degree
from policypal.domain.text import storable
from policypal.graph.agent import feedback
from policypal.graph.agent.state import AgentState, with_notice
from policypal.graph.agent.support import gate, rating
from policypal.graph.agent.title import title_of
from policypal.graph.context import NodeContext, unaided_notice


def format_response(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Append the answer to the history and, after a turn that was carried out, its documents to the registry."""
    gated = gate(state, context, state["response"])
    response = storable(gated.response)
    said = {"id": f"answer:{state['message_id']}", "role": "assistant", "content": response}
    update: dict[str, Any] = {
        "messages": [said],
        "response": response,
        "title": title_of(state, context),
        "citations": with_provisions(context, state.get("citations", [])),
        **gated.totals,
    }
    if gated.judged:
        update["judged"] = [s.model_dump(mode="json", exclude={"cited", "passages"}) for s in gated.judged]
        update["degrees"] = gated.counts
    if gated.totals and (best_confidence := state["best_confidence"]):
        update |= rating(state["quote_checks"], gated.counts[Degree.NOT_SUPPORTED], best_confidence)
    if any(citation.get("is_ocr") for citation in state.get("citations", [])):
        update["notices"] = with_notice(state, feedback.RECOGNISED_TEXT)
    if told := unaided_notice(update.get("unaided", state["unaided"])):
        update["notices"] = [*update.get("notices", state["notices"]), *told]
    if state["cancelled"] or not state["resolved_doc_titles"]:
        return update
    # what the summary of a long conversation tells about the answer (M3)
    said.update(action=state["action"], documents="\n".join(state["resolved_doc_titles"].values()))
    registry = dict(state.get("conversation_docs", {}))
    turns = dict(state.get("document_turns", {}))
    for document_id, title in state["resolved_doc_titles"].items():
        registry[title] = document_id
        turns[document_id] = state.get("turn", 0)
    return {**update, "conversation_docs": registry, "document_turns": turns}


def with_provisions(context: NodeContext, citations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Citations with the labels of the provisions they begin in (D11)."""
    places = {(c["document_id"], c["page"]) for c in citations if c.get("document_id") and c.get("page")}
    starts = provisions_db.label_places(context.services.db, context.run.user_id, places) if places else {}
    return [
        c | {"provision": _label(starts.get((c.get("document_id") or "", c.get("page") or 0), []), c)}
        for c in citations
    ]


def _label(starts: Sequence[tuple[int, str]], citation: dict[str, Any]) -> str:
    return next((label for start, label in reversed(starts) if start <= (citation.get("start") or 0)), "")
