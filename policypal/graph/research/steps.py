"""Checkpoints in plain words (W6)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Literal

from langgraph.types import StateSnapshot

from policypal.domain.events import DocumentReference, ResponseEvent
from policypal.domain.extents import Extent, read_in_full
from policypal.domain.research import Plan, Report, Source, Step, StepValues
from policypal.domain.text import counted
from policypal.graph.research.drafts import Draft

_ENDED_BEFORE: dict[tuple[str, ...], str] = {
    ("planner",): "start", ("research",): "planner", ("fact_check",): "writer", ("red_team",): "fact_check", ("publish",): "red_team",
}  # fmt: skip
"""The stage that had ended, by the one that is next; before ``writer`` it is ``research`` or ``red_team``, before ``publish``
it may be one that was cancelled or found nothing."""
TITLES = {
    "start": "Started", "planner": "Planned", "research": "Sources read", "writer": "Draft written", "fact_check": "Facts checked",
    "red_team": "Reviewed", "publish": "Report published",
}  # fmt: skip
Editable = Literal["goal", "plan", "sources", "draft"]
_EDITABLE: dict[str, list[Editable]] = {
    "start": ["goal"], "planner": ["goal", "plan"], "research": ["goal", "plan", "sources"],
}  # fmt: skip
_AFTER_WRITING: list[Editable] = ["goal", "plan", "sources", "draft"]


def node_of(snapshot: StateSnapshot) -> str:
    """The stage that had just ended at a checkpoint."""
    values, following = snapshot.values, tuple(snapshot.next)
    if not following:
        return "publish"
    if following == ("writer",):
        return "red_team" if values.get("sent_back") else "research"
    if following == ("publish",) and not values.get("draft"):
        return "research" if values.get("queries") else "planner"
    return _ENDED_BEFORE.get(following, "start")


def step_of(snapshot: StateSnapshot) -> Step | None:
    """The step; None for the checkpoint before a thread's input, which shows nothing."""
    if not snapshot.values.get("goal"):
        return None
    node, values = node_of(snapshot), snapshot.values
    return Step(
        checkpoint_id=snapshot.config["configurable"]["checkpoint_id"],
        node=node,
        title=_title(node, values),
        told=list(_told(node, values)),
        at=datetime.fromisoformat(snapshot.created_at) if snapshot.created_at else datetime.now(UTC),
        can_edit=_editable(node, values),
    )


def values_of(values: dict[str, Any]) -> StepValues:
    """What a fork's form is filled with."""
    plan = values.get("plan")
    return StepValues(
        goal=values["goal"],
        plan=Plan(**plan) if plan else None,
        sources=[Source(**s) for s in values.get("sources", [])],
        excluded=list(values.get("excluded", [])),
        draft=Draft(**values["draft"]).markdown if values.get("draft") else "",
    )


def _title(node: str, values: dict[str, Any]) -> str:
    if node == "publish" and values.get("cancelled"):
        return "Cancelled"
    if node == "publish" and not values.get("report"):
        return "Nothing found"
    again = (
        " again"
        if values.get("repairs") and node in ("writer", "fact_check", "red_team") and not values.get("sent_back")
        else ""
    )
    return f"{TITLES[node]}{again}"


def _editable(node: str, values: dict[str, Any]) -> list[Editable]:
    if node in _EDITABLE:
        return _EDITABLE[node]
    if values.get("draft"):
        return _AFTER_WRITING
    return _EDITABLE["planner"] if values.get("plan") else _EDITABLE["start"]


def _told(node: str, values: dict[str, Any]) -> Iterator[str]:
    if node == "start":
        yield f"Goal: {values['goal']}"
        yield "Plan mode: you are asked first" if values["mode"] == "plan" else "Auto mode: it runs at once"
    else:
        yield from {"planner": _told_plan, "research": _told_sources}.get(node, _told_draft)(values)


def _told_plan(values: dict[str, Any]) -> Iterator[str]:
    yield from (f"{a['question']} {', '.join(a['values'])}" for a in values.get("planner_answers", []))
    if plan := values.get("plan"):
        yield f"Deliverable: {plan['deliverable']}"
        yield f"Searches: {'; '.join(plan['queries'])}"
        yield from plan["constraints"]


def _told_sources(values: dict[str, Any]) -> Iterator[str]:
    sources = values.get("sources", [])
    web = sum(s["source_type"] == "web" for s in sources)
    yield f"{counted(len(values.get('queries', [])), 'search', 'searches')}, {counted(web, 'web page')} and {counted(len(sources) - web, 'document')} kept"
    yield from (f"{s['title']}: {s['why_used']}" for s in sources[:5])
    if read := read_in_full([Extent(**e) for e in values.get("reading", [])]):
        yield read
    yield from values.get("notices", [])


def _told_draft(values: dict[str, Any]) -> Iterator[str]:
    counts, draft = values.get("counts", {}), values.get("draft")
    if draft:
        sections = draft["sections"]
        statements = sum(len(s["statements"]) for s in sections)
        yield f"{counted(len(sections), 'section')}, {counted(statements, 'statement')}, {counted(len(draft['citations']), 'citation')}"
    if removed := counts.get("removed"):
        yield f"{counted(removed, 'unsupported statement')} removed"
    if contradictions := values.get("contradictions"):
        yield f"{counted(len(contradictions), 'contradiction')} between sources"
    yield from (f"Issue: {issue}" for issue in values.get("issues", []))
    if values.get("cancelled"):
        yield "Cancelled at your request"


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
