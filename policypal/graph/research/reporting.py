"""The response event of a research thread that has come to its end (G12, section K)."""

from __future__ import annotations

from typing import Any

from policypal.domain.events import DocumentReference, ResponseEvent
from policypal.domain.research import Report


def response_event(values: dict[str, Any], thread_id: str) -> ResponseEvent:
    """What the caller gets to see of the final state."""
    report = Report(**values["report"]) if values.get("report") else None
    return ResponseEvent(
        response=values.get("response", ""),
        citations=report.citations if report else [],
        action="research",
        inference_confidence="high",
        retrieval_confidence=_confidence(report),
        confidence_score=_verified_share(report),
        tokens_used=values.get("tokens_used", 0),
        cost_usd=float(values.get("cost_usd", "0")),
        thread_id=thread_id,
        documents=[
            DocumentReference(id=s.document_id, title=s.title)
            for s in (report.sources if report else [])
            if s.document_id is not None
        ],
        engine=values.get("engine", ""),
        notices=values.get("notices", []),
        cancelled=values.get("cancelled", False),
        research=report,
    )


def _verified_share(report: Report | None) -> float:
    """The share of statements that their citations carry, in [0, 1]."""
    statements = [s for section in report.sections for s in section.statements] if report else []
    return round(sum(s.verified for s in statements) / len(statements), 4) if statements else 0.0


def _confidence(report: Report | None) -> Any:
    """High where everything is verified and nothing is held against it; missing means low (C4)."""
    share = _verified_share(report)
    if report is None or not share:
        return "low"
    return "high" if share == 1.0 and not report.issues else "medium"
