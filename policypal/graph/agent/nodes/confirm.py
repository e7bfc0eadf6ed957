"""The nodes that ask (G1): each shows the question the stage before it left, and applies the answer. Nothing here calls a
model, because LangGraph runs an interrupted node again from its first line."""

from typing import Any

from langgraph.types import Command

from policypal.domain.interrupts import ALL, Answer
from policypal.domain.text import storable
from policypal.graph.agent import feedback
from policypal.graph.agent.nodes.plan_audit import BY_RULES, KIND, PARTY, START
from policypal.graph.agent.state import AgentState
from policypal.graph.context import NodeContext
from policypal.graph.observe import answer_to


def confirm_intent(state: AgentState, context: NodeContext) -> Command[str]:
    """action_choice: several actions, or none recognised."""
    answer = answer_to(state["question"])
    if answer is None:
        return _cancelled(feedback.INTENT_CANCELLED)
    return Command(goto="doc_resolver", update={"action": answer.values[0], "action_chosen": True, "question": None})


def confirm_documents(state: AgentState, context: NodeContext) -> Command[str]:
    """doc_choice among candidates, or a text that names or tags the document."""
    answer = answer_to(state["question"])
    if answer is None:
        return _cancelled(feedback.document_cancelled(state["action"]))
    if answer.type == "doc_choice":
        chosen = _chosen(state, answer)
        return Command(goto="doc_resolver", update={"clarified_ids": chosen, "question": None})
    return _clarified(state, answer)


def confirm_inputs(state: AgentState, context: NodeContext) -> Command[str]:
    """What validation misses: a document, the text to audit, or consent to go on without the web."""
    asked = state["question"] or {}
    answer = answer_to(state["question"])
    if answer is None:
        return _cancelled(_validation_feedback(state, asked))
    if asked["interrupt_type"] == "action_choice":
        return _web_choice(answer)
    if asked.get("expects") == "text":
        text = storable(" ".join(answer.values).strip())
        if answer.document_ids:
            return _clarified(state, answer)
        return Command(goto="validate_inputs", update={"source_text": text, "question": None})
    if answer.type == "doc_choice":
        chosen = _chosen(state, answer)
        if state["action"] == "audit" and not asked["allow_multiple"]:
            return Command(goto="validate_inputs", update={"source_choice": chosen[0], "question": None})
        return Command(goto="doc_resolver", update={"clarified_ids": chosen, "question": None})
    return _clarified(state, answer)


def confirm_retrieval(state: AgentState, context: NodeContext) -> Command[str]:
    """retrieval_low: tag documents, search the web, or continue with a disclaimer (C5)."""
    answer = answer_to(state["question"])
    if answer is None:
        return _cancelled(feedback.RETRIEVAL_CANCELLED)
    choice = answer.values[0] if answer.values else "tag_docs"
    if choice == "continue":
        return Command(goto=state["action"], update={"low_accepted": True, "question": None})
    if choice == "web_search":
        return Command(goto="web_search", update={"enable_web_search": True, "low_accepted": True, "question": None})
    update: dict[str, Any] = {"question": None, "evidence": [], "resolved_doc_ids": [], "tagged_ids": []}
    if answer.document_ids:
        return Command(goto="doc_resolver", update={**update, "clarified_ids": list(answer.document_ids)})
    return Command(goto="doc_resolver", update={**update, "clarification": " "})  # names none: asks which


def confirm_audit(state: AgentState, context: NodeContext) -> Command[str]:
    """budget_approval: as planned, narrowed to a party, a kind or a subject, or by the rules alone (A4)."""
    answer = answer_to(state["question"])
    if answer is None:
        return _cancelled(feedback.AUDIT_CANCELLED)
    choice = answer.values[0]
    if choice == START:
        return Command(goto="audit", update={"audit_approved": True, "question": None})
    if choice == BY_RULES:
        return Command(goto="audit", update={"audit_by_rules": True, "question": None})
    limits = dict(state["audit_limits"])
    for name in (PARTY, KIND):
        if choice.startswith(name):
            limits[name.rstrip(":")] = choice.removeprefix(name)
            return Command(goto="plan_audit", update={"audit_limits": limits, "question": None})
    narrowed = {**(state["request"] or {}), "focus": storable(choice).strip()}
    return Command(goto="plan_audit", update={"request": narrowed, "question": None})


def _cancelled(message: str) -> Command[str]:
    return Command(goto="format_response", update={"response": message, "cancelled": True, "question": None})


def _chosen(state: AgentState, answer: Answer) -> list[str]:
    options = [o["id"] for o in (state["question"] or {}).get("options") or []]
    if ALL in answer.values:
        return [o for o in options if o != ALL]
    return answer.values


def _clarified(state: AgentState, answer: Answer) -> Command[str]:
    """Documents that were offered or tagged are final; a text is matched with names by the resolver, without a model call."""
    offered = {o["id"] for o in (state["question"] or {}).get("options") or []}
    ids = [*answer.document_ids, *(v for v in answer.values if v in offered)]
    text = storable(" ".join(v for v in answer.values if v not in offered).strip())
    return Command(goto="doc_resolver", update={"clarified_ids": ids, "clarification": text, "question": None})


def _web_choice(answer: Answer) -> Command[str]:
    if answer.values[0] == "setup":
        return Command(
            goto="format_response", update={"response": feedback.WEB_SETUP, "cancelled": True, "question": None}
        )
    return Command(goto="validate_inputs", update={"enable_web_search": False, "web_waived": True, "question": None})


def _validation_feedback(state: AgentState, asked: dict[str, Any]) -> str:
    if asked["interrupt_type"] == "action_choice":
        return feedback.WEB_CANCELLED
    if state["action"] == "compare":
        return feedback.COMPARE_CANCELLED
    if state["action"] == "audit":
        return feedback.AUDIT_SOURCE_CANCELLED if asked.get("expects") == "text" else feedback.AUDIT_TARGET_CANCELLED
    return feedback.document_cancelled(state["action"])
