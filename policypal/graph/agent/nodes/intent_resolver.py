"""Stage 1: what the message asks for, and where to look, in one call (G2–G4, M10)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from policypal.domain.conversations import Action
from policypal.domain.interrupts import question
from policypal.domain.requests import Queued
from policypal.graph.agent.feedback import CAPABILITIES, GLADLY, GREETING
from policypal.graph.agent.said import known_documents, said_in
from policypal.graph.agent.state import AgentState
from policypal.graph.context import NodeContext
from policypal.ingest.drafts import split_audit_request
from policypal.request.intent import intent_by_rules, leading_action
from policypal.request.material import audited_text
from policypal.request.route import ROUTER, Route, in_turns, resolution_of, routed
from policypal.request.web_need import asks_for_web, temporal_web_need


def intent_resolver(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Nothing is asked of a model where the action was chosen and documents are tagged; else one call reads the message."""
    # a pasted e-mail asks for nothing, and "today" in a text to be audited is a word of that text
    tagged = state["web_tagged"] or asks_for_web(split_audit_request(state["clean_query"])[0])
    web = tagged or _asks_for_recent(audited_text(state["clean_query"])[0], context)
    begun = {"web_tagged": tagged, "enable_web_search": web, "turn": state.get("turn", 0) + 1}
    if state["action"] and (state["as_read"] or state["tagged_ids"] or state["is_pure_mention"]):
        return {"action_confidence": "high", **begun}
    said = said_in(state, known_documents(context, state))
    said = said.model_copy(update={"action": said.action or leading_action(said)})
    read, totals = context.run_task(state, ROUTER, said)
    is_open = read.confidence == "low" and not said.action and not context.services.by_rules
    route = routed(said, read, intent_by_rules(said) if is_open else None)
    update = {
        **totals,
        **begun,
        "action": route.action,
        "action_confidence": route.confidence,
        "enable_web_search": web or route.needs_web,
    }
    if route.kind != "action":
        greeting = GREETING if said.is_first else GLADLY
        return {**update, "action": "", "response": greeting if route.kind == "small_talk" else CAPABILITIES}
    words, queue = in_turns(state["text"], route)
    if queue:  # one action at a time: the others are offered when it is done (G0)
        return {
            **update,
            **_first(state, context, words, queue),
            "route": route.model_dump(exclude={"question", "queries"}),
        }
    return {
        **update,
        "route": route.model_dump(),
        "resolution": resolution_of(said, route).model_dump(),
        "question": _question(route),
    }


def _first(state: AgentState, context: NodeContext, words: str, queue: Sequence[Queued]) -> dict[str, Any]:
    """The turn as if only its first action had been asked for, with the tags that stand there."""
    titles = {d.id: (d.display_title, d.title) for d in context.run.library}
    elsewhere = [i for i in state["tagged_ids"] if any(t in state["text"] for t in titles.get(i, ()))
                 and not any(t in words for t in titles[i])]  # fmt: skip
    tagged = [i for i in state["tagged_ids"] if i not in elsewhere]
    return {
        "text": words,
        "clean_query": words,
        "tagged_ids": tagged,
        "queue": [q.model_dump() for q in queue],
        "question": None,
    }


def _asks_for_recent(asked: str, context: NodeContext) -> bool:
    """The keyword scan; a year that belongs to a document's name does not ask for the web (G3)."""
    names = [name for d in context.run.library for name in (d.title, d.version, *d.aliases) if name]
    return temporal_web_need(asked, datetime.now(UTC).date(), ignore=names)


def _question(route: Route) -> dict[str, Any] | None:
    if route.confidence != "low":
        return None
    ranked = list(dict.fromkeys([route.action, *route.alternatives])) or [a.value for a in Action]
    options = [*ranked, *(a.value for a in Action if a.value not in ranked)] if len(ranked) < 2 else ranked
    return question(
        "action_choice",
        "Please specify which action you would like to perform.",
        options=[(a, Action(a).label) for a in options],
    )
