"""Is the evidence strong enough to answer? (C4, C5)"""

from typing import Any

from policypal.domain.interrupts import question
from policypal.graph.agent.state import AgentState
from policypal.graph.context import NodeContext


def check_retrieval_confidence(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """PalAssist asks only before a model would answer from general knowledge although there are documents, none of which can
    be searched. Where there are passages, the nearest are shown; without a model nothing is asserted (C5)."""
    unread = state["action"] == "inquire" and bool(context.run.library) and not state["evidence"]
    without_model = context.services.by_rules
    if not unread or without_model or state["low_accepted"] or state["web_evidence"]:
        return {"question": None}
    options = [
        ("tag_docs", "📄 Tag specific documents"),
        ("web_search", "🌐 Search the web"),
        ("continue", "Continue anyway with disclaimer"),
    ]
    if context.services.web is None or state["web_query"]:  # searched already, in vain
        options = [o for o in options if o[0] != "web_search"]
    asked = question("retrieval_low", "None of your documents could be searched.", options=options)
    return {"question": asked}
