"""The response event of a finished turn (G12, section K)."""

from policypal.domain.audits import AuditReport
from policypal.domain.changes import ChangeList
from policypal.domain.citations import Citation
from policypal.domain.events import Confidence, DocumentReference, ResponseEvent
from policypal.domain.requests import Request
from policypal.graph.agent.state import AgentState


def response_event(state: AgentState, thread_id: str, engine: str) -> ResponseEvent:
    """What the caller gets to see of the final state. A missing confidence means "low" (C4)."""
    report = AuditReport(**state["report"]) if state.get("report") else None  # type: ignore[arg-type]
    return ResponseEvent(
        response=state.get("response", ""),
        citations=[Citation(**c) for c in state.get("citations", [])],
        action=state.get("action") or "inquire",
        inference_confidence=_confidence(state.get("inference_confidence")),
        retrieval_confidence=_confidence(state.get("retrieval_confidence")),
        confidence_score=round(state.get("confidence_score", 0.0), 4),
        tokens_used=state.get("tokens_used", 0),
        cost_usd=float(state.get("cost_usd", "0")),
        is_priced=state.get("is_priced", True),
        thread_id=thread_id,
        title=state.get("title", ""),
        documents=[DocumentReference(id=i, title=t) for i, t in state.get("resolved_doc_titles", {}).items()],
        engine=engine,
        notices=state.get("notices", []),
        cancelled=state.get("cancelled", False),
        report=report,
        coverage=list(report.coverage) if report is not None and report.coverage is not None else None,
        request=Request(**request) if (request := state.get("request")) else None,
        changes=ChangeList(**changes) if (changes := state.get("changes")) else None,
    )


def _confidence(value: str | None) -> Confidence:
    return value if value in ("high", "medium", "low") else "low"  # type: ignore[return-value]
