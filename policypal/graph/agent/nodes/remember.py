"""Before stage 1 of a long conversation: the older messages become a summary (M3)."""

from typing import Any

from policypal.graph.agent.state import AgentState, forgotten, outgrown_messages
from policypal.graph.context import NodeContext
from policypal.request.summarize_history import MAX_CHARACTERS, SUMMARIZE_HISTORY, HistoryInput, PastMessage


def remember(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Extend the summary by the messages that have become too many, and forget those; the interface keeps all of them.

    Entered only when there are such messages.
    """
    older = outgrown_messages(state)
    given = HistoryInput(previous=state.get("conversation_summary", ""), messages=[_past(m) for m in older])
    found, totals = context.run_task(state, SUMMARIZE_HISTORY, given)
    return {
        **totals,
        "conversation_summary": found.summary[:MAX_CHARACTERS],
        "summarized_messages": state.get("summarized_messages", 0) + len(older),
        "messages": [forgotten(m) for m in older],
    }


def _past(message: dict[str, str]) -> PastMessage:
    return PastMessage(
        role=message["role"],
        text=message["content"],
        action=message.get("action", ""),
        documents=message.get("documents", "").splitlines(),
    )
