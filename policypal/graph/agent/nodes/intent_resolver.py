"""Stage 1: which action the message asks for (G2, G3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from policypal.domain.conversations import Action
from policypal.domain.interrupts import question
from policypal.graph.agent.feedback import CAPABILITIES, GREETING
from policypal.graph.agent.nodes.doc_resolver import known_document
from policypal.graph.agent.state import AgentState, history_lines
from policypal.graph.context import NodeContext
from policypal.ingest.drafts import split_audit_request
from policypal.request.intent import INTENT, Intent, IntentInput, temporal_web_need
from policypal.request.material import audited_text
from policypal.request.web_need import asks_for_web


def intent_resolver(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """An @Action costs no model call. Otherwise classify the message alone, once more with history if unsure."""
    # a pasted e-mail asks for nothing, and "today" in a text to be audited is a word of that text
    tagged = state["web_tagged"] or asks_for_web(split_audit_request(state["clean_query"])[0])
    web = tagged or _asks_for_recent(audited_text(state["clean_query"])[0], context)
    wish = {"web_tagged": tagged, "enable_web_search": web}
    if state["action"]:
        return {"action_confidence": "high", **wish, "turn": state.get("turn", 0) + 1}
    intent, totals = _classify(state, context)
    update = {
        **totals,
        **wish,
        "turn": state.get("turn", 0) + 1,
        "action": intent.action,
        "action_confidence": intent.confidence,
        "intent_kind": intent.kind,
        "enable_web_search": web or intent.needs_web,
    }
    if intent.kind != "action":
        return {**update, "response": GREETING if intent.kind == "small_talk" else CAPABILITIES}
    return {**update, "question": _question(intent)}


def _classify(state: AgentState, context: NodeContext) -> tuple[Intent, dict[str, Any]]:
    known = [known_document(d) for d in context.run.library]
    given = IntentInput(message=state["text"], documents=known, tagged_documents=len(state["tagged_ids"]))
    intent, totals = context.run_task(state, INTENT, given)
    history = history_lines(state)
    if intent.kind != "action" or intent.multi_action or intent.confidence == "high" or not history:
        return intent, totals
    spent: AgentState = {**state, **totals}  # type: ignore[typeddict-item]
    return context.run_task(spent, INTENT, given.model_copy(update={"history": history}))


def _asks_for_recent(asked: str, context: NodeContext) -> bool:
    """The keyword scan; a year that belongs to a document's name does not ask for the web (G3)."""
    names = [name for d in context.run.library for name in (d.title, d.version, *d.aliases) if name]
    return temporal_web_need(asked, datetime.now(UTC).date(), ignore=names)


def _question(intent: Intent) -> dict[str, Any] | None:
    if intent.multi_action and len(intent.requested_actions) > 1:
        return question(
            "action_choice",
            "I can only perform one action at a time. Which would you like to do first?",
            options=[(a, Action(a).label) for a in intent.requested_actions],
        )
    if intent.confidence == "low":
        ranked = list(dict.fromkeys([intent.action, *intent.alternatives])) or [a.value for a in Action]
        return question(
            "action_choice",
            "Please specify which action you would like to perform.",
            options=[(a, Action(a).label) for a in ranked],
        )
    return None
