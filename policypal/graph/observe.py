"""Every node tells that it begins, how long it took, and how it ended (G12, M5)."""

import time
from collections.abc import Callable
from typing import Any

from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from policypal.concurrency import unless_stopped
from policypal.domain.conversations import TraceEntry
from policypal.domain.events import STATUS_MESSAGES, DocumentReference, StatusEvent
from policypal.domain.interrupts import CANCEL, Answer
from policypal.errors import PolicyPalError
from policypal.graph.context import NodeContext

Update = dict[str, Any] | Command[str]
Node = Callable[[Any, Any], Update]
"""A state and a context to an update; each graph has its own of both."""


def observed(name: str, node: Node, *, asks: bool = False, ends: bool = False) -> Any:
    """Wrap a node for LangGraph, whose own type for nodes with a runtime is private.

    Stop takes effect before and during every stage, but not in a node that ``asks``: an answer that is already in the
    history takes effect, and the stage after it stops. A node that ``ends`` early by itself keeps what it has, and the
    stages after it tell that (``ends_early`` in the state).
    """

    def wrapper(state: Any, runtime: Runtime[NodeContext]) -> Update:
        context = runtime.context
        is_told = asks or bool(state.get("ends_early"))
        if not is_told:
            context.run.check_stop()
        # not through the graph's stream: while it has a custom one, LangGraph runs every node in a thread of its own
        context.run.tell(StatusEvent(node=name, message=STATUS_MESSAGES[name]))
        started = time.perf_counter()

        def trace(kind: str, **detail: Any) -> None:
            context.run.recorder.trace(TraceEntry(kind, name, time.perf_counter() - started, detail))

        try:
            update = (
                node(state, context)
                if is_told or ends
                else unless_stopped(lambda: node(state, context), context.run.check_stop)
            )
        except GraphBubbleUp:
            trace("interrupt", question=(state.get("question") or {}).get("message", ""))
            raise
        except PolicyPalError as error:
            trace("error", code=error.code, message=error.message)
            raise
        trace("node", **{**_detail(update), **context.counted_by(name)})
        _announce(name, update, context)
        return update

    wrapper.__name__ = name
    return wrapper


def answer_to(question: dict[str, Any] | None) -> Answer | None:
    """Ask, and end here until the person has answered (G1); None when cancelled."""
    value = interrupt(question)
    return None if value == CANCEL else Answer(**value)


def if_asked(confirming: str, otherwise: str) -> Callable[[Any], str]:
    """Where a stage leads: to the node that asks the question it has left, if there is one."""
    return lambda state: confirming if state.get("question") else otherwise


def _announce(name: str, update: Update, context: NodeContext) -> None:
    """Documents found and what was counted are shown as soon as they are known."""
    if not isinstance(update, dict):
        return
    titles = update.get("resolved_doc_titles") if name == "doc_resolver" else None
    found = [DocumentReference(id=i, title=t) for i, t in (titles or {}).items()] or None
    counts = update.get("counts")
    if found or counts:
        context.run.tell(StatusEvent(node=name, message=STATUS_MESSAGES[name], docs_found=found, counts=counts))


_TOLD = ("action", "action_confidence", "inference_source", "inference_confidence", "search_query", "web_query", "topic", "retrieval_confidence", "confidence_score")  # fmt: skip


def _detail(update: Update) -> dict[str, Any]:
    """The decisions of a node that the run log shows, and what it has counted."""
    values = update.update if isinstance(update, Command) else update
    if not isinstance(values, dict):
        return {}
    detail = {k: values[k] for k in _TOLD if values.get(k) not in (None, "", [])}
    detail.update(values.get("counts") or {})
    if values.get("resolved_doc_titles"):
        detail["documents"] = list(values["resolved_doc_titles"].values())
    if values.get("web_evidence"):
        detail["web passages"] = len(values["web_evidence"])
    if passages := values.get("evidence") or values.get("passages"):
        detail["passages"] = len(passages)
    if checks := values.get("quote_checks"):
        detail["quotes"] = "{verified} verified, {unverified} unverified".format(**checks)
    if degrees := values.get("degrees"):
        detail["sentences"] = ", ".join(f"{number} {degree}" for degree, number in degrees.items())
    return detail
