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
from policypal.llm.task import Task
from policypal.request.intent import Intent
from policypal.request.material import audited_text
from policypal.request.reading import Said, in_turns, read_intent
from policypal.request.web_need import asks_for_web, temporal_web_need


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
    words, queue = in_turns(state["text"], intent)
    if queue:  # one action at a time: the others are offered when it is done (G0)
        return {**update, **_first(state, context, words), "queue": [q.model_dump() for q in queue], "question": None}
    return {**update, "question": _question(intent)}


def _first(state: AgentState, context: NodeContext, words: str) -> dict[str, Any]:
    """The turn as if only its first action had been asked for, with the tags that stand there."""
    titles = {d.id: (d.display_title, d.title) for d in context.run.library}
    elsewhere = [i for i in state["tagged_ids"] if any(t in state["text"] for t in titles.get(i, ()))
                 and not any(t in words for t in titles[i])]  # fmt: skip
    tagged = [i for i in state["tagged_ids"] if i not in elsewhere]
    return {"text": words, "clean_query": words, "tagged_ids": tagged}


def _classify(state: AgentState, context: NodeContext) -> tuple[Intent, dict[str, Any]]:
    totals: dict[str, Any] = {}

    def run(task: Task[Any, Any], given: Any) -> Any:
        nonlocal totals
        output, totals = context.run_task({**state, **totals}, task, given)
        return output

    said = Said(
        state["text"],
        tuple(known_document(d) for d in context.run.library),
        tuple(history_lines(state)),
        tuple(state["tagged_ids"]),
        state["draft_text"],
    )
    return read_intent(said, run), totals


def _asks_for_recent(asked: str, context: NodeContext) -> bool:
    """The keyword scan; a year that belongs to a document's name does not ask for the web (G3)."""
    names = [name for d in context.run.library for name in (d.title, d.version, *d.aliases) if name]
    return temporal_web_need(asked, datetime.now(UTC).date(), ignore=names)


def _question(intent: Intent) -> dict[str, Any] | None:
    if intent.confidence == "low":
        ranked = list(dict.fromkeys([intent.action, *intent.alternatives])) or [a.value for a in Action]
        return question(
            "action_choice",
            "Please specify which action you would like to perform.",
            options=[(a, Action(a).label) for a in ranked],
        )
    return None
