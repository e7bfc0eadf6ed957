"""What the state's message is read with: the library and the conversation's registry (G4, G11)."""

from collections.abc import Sequence

from policypal.domain.conversations import Action
from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.requests import ActionName
from policypal.graph.agent.state import AgentState, history_lines
from policypal.graph.context import NodeContext
from policypal.request.library import KnownDocument
from policypal.request.said import Said


def said_in(state: AgentState, documents: Sequence[KnownDocument]) -> Said:
    """The state's message as it is read."""
    return Said(
        message=state["text"],
        documents=list(documents),
        history=history_lines(state),
        tagged_ids=state["tagged_ids"],
        attached=state["draft_text"],
        action=action_of(state) if state["action"] else None,
        is_first=not state.get("turn"),
    )


def action_of(state: AgentState) -> ActionName:
    """The turn's action, once it is settled."""
    return Action(state["action"]).value


def known_documents(context: NodeContext, state: AgentState) -> list[KnownDocument]:
    """The documents that can be read, and those of the conversation that are not in the library any more. These stay among what
    "it" may refer to, so that no other document is taken for them."""
    known = [known_document(d, state) for d in context.run.library if d.status is DocumentStatus.READY]
    ids, titles = {d.id for d in known}, {d.display_title for d in known}
    turns = state.get("document_turns", {})
    gone = [
        KnownDocument(id=i, title=title, in_conversation=True, turn=turns.get(i))
        for title, i in state.get("conversation_docs", {}).items()
        if i not in ids and title not in titles
    ]
    return [*known, *gone]


def known_document(d: Document, state: AgentState | None = None) -> KnownDocument:
    """A document as the resolver sees it, with its place in the conversation's registry (G11)."""
    registry = (state or {}).get("conversation_docs", {})
    turns = (state or {}).get("document_turns", {})
    return KnownDocument(
        id=d.id,
        title=d.title,
        version=d.version,
        type=d.type.value,
        set_name=d.set_name,
        aliases=list(d.aliases),
        in_conversation=d.id in registry.values(),
        turn=turns.get(d.id),
        place=list(registry.values()).index(d.id) if d.id in registry.values() else None,
        previous_version_id=d.previous_version_id,
        filename=d.filename,
    )
