"""What a turn's conversation may be called: after what was resolved (U2b)."""

from collections.abc import Iterable

from policypal.domain.conversations import Action
from policypal.graph.agent.state import AgentState, request_of, subject_of
from policypal.graph.context import NodeContext
from policypal.request.conversation_titles import NamedDocument, title_of_request

_PASTED = NamedDocument("Text")


def title_of(state: AgentState, context: NodeContext) -> str:
    """Empty for a turn that asked for nothing: small talk, help, a cancelled question."""
    if state["cancelled"] or not state["action"]:
        return ""
    action = Action(state["action"])
    source = _source(state, context) if action is Action.AUDIT else None
    ids = request_of(state).targets if action is Action.AUDIT else state["resolved_doc_ids"]
    subject = (state["route"] or {}).get("title", "") or subject_of(state, context.run.library)
    focus = request_of(state).focus
    return title_of_request(action, subject, documents=_named(ids, context), source=source, focus=focus)


def _source(state: AgentState, context: NodeContext) -> NamedDocument:
    if named := _named(request_of(state).sources, context):
        return named[0]
    return NamedDocument(state["draft_name"]) if state["draft_name"] else _PASTED


def _named(ids: Iterable[str], context: NodeContext) -> list[NamedDocument]:
    documents = {d.id: d for d in context.run.library}
    titles = tuple(dict.fromkeys(d.title for d in context.run.library))
    return [NamedDocument(documents[i].title, documents[i].version or "", titles) for i in ids if i in documents]
