"""Every node tells that it begins, how long it took, and how it ended (G12, M5)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from langgraph.types import Command

from policypal.domain.conversations import TraceEntry
from policypal.errors import PolicyPalError
from policypal.graph.agent.context import NodeContext
from policypal.graph.agent.state import AgentState
from policypal.graph.events import STATUS_MESSAGES

Update = dict[str, Any] | Command[str]
Node = Callable[[AgentState, NodeContext], Update]


def observed(name: str, node: Node) -> Any:
    """Wrap a node for LangGraph, whose own type for nodes with a runtime is private."""

    def wrapper(state: AgentState, runtime: Runtime[NodeContext]) -> Update:
        context = runtime.context
        context.run.check_stop()
        runtime.stream_writer({"type": "status", "node": name, "message": STATUS_MESSAGES[name]})
        started = time.perf_counter()

        def trace(kind: str, **detail: Any) -> None:
            context.run.recorder.trace(TraceEntry(kind, name, time.perf_counter() - started, detail))

        try:
            update = node(state, context)
        except GraphBubbleUp:
            trace("interrupt", question=(state.get("question") or {}).get("message", ""))
            raise
        except PolicyPalError as error:
            trace("error", code=error.code, message=error.message)
            raise
        trace("node", **_detail(update))
        _announce(name, update, runtime)
        return update

    wrapper.__name__ = name
    return wrapper


def _announce(name: str, update: Update, runtime: Runtime[NodeContext]) -> None:
    """Documents found and web queries are shown as soon as they are known."""
    if not isinstance(update, dict):
        return
    titles = update.get("resolved_doc_titles") if name == "doc_resolver" else None
    if titles:
        found = [{"id": i, "title": t} for i, t in titles.items()]
        runtime.stream_writer({"type": "status", "node": name, "message": STATUS_MESSAGES[name], "docs_found": found})


_TOLD = ("action", "action_confidence", "inference_source", "inference_confidence", "search_query", "topic", "themes", "retrieval_confidence", "confidence_score")  # fmt: skip


def _detail(update: Update) -> dict[str, Any]:
    """The decisions of a node that the run log shows."""
    values = update.update if isinstance(update, Command) else update
    if not isinstance(values, dict):
        return {}
    detail = {k: values[k] for k in _TOLD if values.get(k) not in (None, "", [])}
    if values.get("resolved_doc_titles"):
        detail["documents"] = list(values["resolved_doc_titles"].values())
    if values.get("evidence"):
        detail["passages"] = len(values["evidence"])
    return detail
