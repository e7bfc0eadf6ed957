"""Web search (R7). No provider is wired yet, so this node says so instead of pretending to have searched."""

from __future__ import annotations

from typing import Any

from policypal.graph.agent import feedback
from policypal.graph.agent.context import NodeContext
from policypal.graph.agent.state import AgentState, with_notice


def web_search(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Adds the notice that the answer rests on the documents only."""
    return {"notices": with_notice(state, feedback.WEB_NOT_CONFIGURED), "enable_web_search": False}
