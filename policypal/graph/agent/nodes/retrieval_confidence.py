"""Is the evidence strong enough to answer? (C4, C5)"""

from __future__ import annotations

from typing import Any

from policypal.graph.agent.state import AgentState
from policypal.graph.context import NodeContext
from policypal.graph.interrupts import question


def check_retrieval_confidence(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Weak evidence for a question leads to PalAssist; other actions read documents instead of searching for an answer."""
    weak = state["action"] == "inquire" and state["retrieval_confidence"] == "low"
    if not weak or state["low_accepted"] or not state["evidence"] or state["web_evidence"]:
        return {"question": None}
    options = [
        ("tag_docs", "📄 Tag specific documents"),
        ("web_search", "🌐 Search the web"),
        ("continue", "Continue anyway with disclaimer"),
    ]
    if context.services.web is None or state["web_query"]:  # searched already, in vain
        options = [o for o in options if o[0] != "web_search"]
    asked = question("retrieval_low", "I couldn't find strong matches in the documents.", options=options)
    return {"question": asked}
