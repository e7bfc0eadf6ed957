"""The last stage: history once, the registry grown, notices in place (G10, G11)."""

from __future__ import annotations

from typing import Any

from policypal.domain.text import storable
from policypal.graph.agent import feedback
from policypal.graph.agent.state import AgentState, with_notice
from policypal.graph.agent.support import gate
from policypal.graph.agent.title import title_of
from policypal.graph.context import NodeContext


def format_response(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Append the answer to the history and, after a turn that was carried out, its documents to the registry."""
    gated = gate(state, context, state["response"])
    response = storable(gated.response)
    said = {"id": f"answer:{state['message_id']}", "role": "assistant", "content": response}
    update: dict[str, Any] = {
        "messages": [said],
        "response": response,
        "title": title_of(state, context),
        **gated.totals,
    }
    if gated.judged:
        update["judged"] = [s.model_dump(mode="json", exclude={"cited", "passages"}) for s in gated.judged]
        update["degrees"] = gated.counts
    if any(citation.get("is_ocr") for citation in state.get("citations", [])):
        update["notices"] = with_notice(state, feedback.RECOGNISED_TEXT)
    if unaided := update.get("unaided", state["unaided"]):
        update["notices"] = [*update.get("notices", state["notices"]), feedback.unaided(unaided)]
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
