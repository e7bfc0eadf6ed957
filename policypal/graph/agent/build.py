"""The picture: nodes and edges of the agent graph, and nothing else.

START → remember? → intent_resolver → confirm_intent → doc_resolver → confirm_documents → validate_inputs → confirm_inputs
      → retrieve → web_search? → check_retrieval_confidence → confirm_retrieval
      → summarize | inquire | compare | plan_audit → confirm_audit → audit
      → web_supplement? → format_response → END

A confirm node asks one question and does nothing else (G1); it is entered only when the stage before it left one in
``state["question"]``. Its answer leads back to the stage that asked, or, cancelled, to ``format_response`` (G8).
``remember`` is entered only when a long conversation's older messages are due to be summarised (M3).
"""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from policypal.graph.agent.actions.audit import audit
from policypal.graph.agent.actions.compare import compare
from policypal.graph.agent.actions.inquire import inquire
from policypal.graph.agent.actions.summarize import summarize
from policypal.graph.agent.nodes.confirm import (
    confirm_audit,
    confirm_documents,
    confirm_inputs,
    confirm_intent,
    confirm_retrieval,
)
from policypal.graph.agent.nodes.doc_resolver import doc_resolver
from policypal.graph.agent.nodes.format_response import format_response
from policypal.graph.agent.nodes.intent_resolver import intent_resolver
from policypal.graph.agent.nodes.plan_audit import plan_audit
from policypal.graph.agent.nodes.remember import remember
from policypal.graph.agent.nodes.retrieve import check_retrieval_confidence, retrieve
from policypal.graph.agent.nodes.validate_inputs import validate_inputs
from policypal.graph.agent.nodes.web_search import web_search
from policypal.graph.agent.nodes.web_supplement import web_supplement
from policypal.graph.agent.state import AgentState, outgrown_messages
from policypal.graph.context import NodeContext
from policypal.graph.observe import if_asked, observed

ACTIONS = {"summarize": summarize, "inquire": inquire, "compare": compare, "audit": audit}
_STAGES = {
    "remember": remember,
    "intent_resolver": intent_resolver,
    "doc_resolver": doc_resolver,
    "validate_inputs": validate_inputs,
    "retrieve": retrieve,
    "web_search": web_search,
    "check_retrieval_confidence": check_retrieval_confidence,
    "plan_audit": plan_audit,
    **ACTIONS,
    "web_supplement": web_supplement,
    "format_response": format_response,
}
_QUESTIONS = {
    "confirm_intent": (confirm_intent, ("doc_resolver", "format_response")),
    "confirm_documents": (confirm_documents, ("doc_resolver", "validate_inputs", "format_response")),
    "confirm_inputs": (confirm_inputs, ("doc_resolver", "validate_inputs", "format_response")),
    "confirm_audit": (confirm_audit, ("plan_audit", "audit", "format_response")),
    "confirm_retrieval": (confirm_retrieval, ("doc_resolver", "web_search", *ACTIONS, "format_response")),
}


def build_agent_graph() -> StateGraph[AgentState, NodeContext, Any, Any]:
    """The graph, to be compiled with a checkpointer."""
    graph: StateGraph[AgentState, NodeContext, Any, Any] = StateGraph(AgentState, context_schema=NodeContext)
    for name, stage in _STAGES.items():
        graph.add_node(name, observed(name, stage, ends=name in ("audit", "inquire")))
    for name, (ask, destinations) in _QUESTIONS.items():
        graph.add_node(name, observed(name, ask, asks=True), destinations=destinations)
    graph.add_conditional_edges(START, _at_start, ["remember", "intent_resolver"])
    graph.add_edge("remember", "intent_resolver")
    graph.add_conditional_edges("intent_resolver", _after_intent, ["confirm_intent", "doc_resolver", "format_response"])
    graph.add_conditional_edges(
        "doc_resolver", if_asked("confirm_documents", "validate_inputs"), ["confirm_documents", "validate_inputs"]
    )
    graph.add_conditional_edges(
        "validate_inputs", if_asked("confirm_inputs", "retrieve"), ["confirm_inputs", "retrieve"]
    )
    graph.add_conditional_edges("retrieve", _after_retrieval, ["web_search", "check_retrieval_confidence"])
    graph.add_edge("web_search", "check_retrieval_confidence")
    graph.add_conditional_edges(
        "check_retrieval_confidence", _after_confidence, ["confirm_retrieval", "plan_audit", *ACTIONS]
    )
    graph.add_conditional_edges("plan_audit", if_asked("confirm_audit", "audit"), ["confirm_audit", "audit"])
    for name in ACTIONS:
        graph.add_conditional_edges(name, _after_action, ["web_supplement", "format_response"])
    graph.add_edge("web_supplement", "format_response")
    graph.add_edge("format_response", END)
    return graph


def _at_start(state: AgentState) -> str:
    return "remember" if outgrown_messages(state) else "intent_resolver"


def _after_intent(state: AgentState) -> str:
    if state.get("response"):
        return "format_response"
    return "confirm_intent" if state.get("question") else "doc_resolver"


def _after_retrieval(state: AgentState) -> str:
    wanted = state.get("enable_web_search") and not state.get("web_query")  # once per turn
    return "web_search" if wanted else "check_retrieval_confidence"


def _after_action(state: AgentState) -> str:
    cites_web = any(c["source_type"] == "web" for c in state.get("citations", []))
    is_over = cites_web or state.get("ends_early")
    return "web_supplement" if state.get("web_evidence") and not is_over else "format_response"


def _after_confidence(state: AgentState, runtime: Runtime[NodeContext]) -> str:
    if state.get("question"):
        return "confirm_retrieval"
    is_paid = state["action"] == "audit" and not runtime.context.services.by_rules
    return "plan_audit" if is_paid else state["action"]
