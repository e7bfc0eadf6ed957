"""The last stage: the report as it is shown, or a clear word on why there is none (W1, W3)."""

from __future__ import annotations

from typing import Any

from policypal.domain.research import Contradiction, Report, Source
from policypal.domain.text import storable
from policypal.graph.research import notices
from policypal.graph.research.drafts import Draft, renumbered
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import ResearchState
from policypal.research.markdown import report_markdown
from policypal.research.red_team import disclaimers


def publish(state: ResearchState, context: ResearchContext) -> dict[str, Any]:
    """Nothing is written where nothing was found, nothing where it was cancelled. No model."""
    engine = context.services.engine.name
    if state["cancelled"]:
        return {"response": notices.CANCELLED, "engine": engine}
    draft = Draft.of(state["draft"])
    if not draft.written:
        return {"response": notices.NOTHING_SUPPORTED if state["passages"] else notices.NOTHING_FOUND, "engine": engine}
    report = _report(state, draft, context.run.thread_id, engine)
    told = notices.with_notice(state["notices"], *draft.notices)
    markdown = storable(report_markdown(report, disclaimers(state["goal"], report.sections), told))
    report = report.model_copy(update={"markdown": markdown})
    return {"report": report.model_dump(mode="json"), "response": markdown, "notices": told, "engine": engine}


def _report(state: ResearchState, draft: Draft, thread_id: str, engine: str) -> Report:
    """Without its id and its number, which it gets where it is stored."""
    contradictions = [Contradiction(**c) for c in state["contradictions"]]
    sections, citations, contradictions = renumbered(draft.written, draft.citations, contradictions)
    return Report(
        id="", thread_id=thread_id, version=1, title=draft.title, markdown="", sections=sections, citations=citations,
        sources=[Source(**s) for s in state["sources"]], contradictions=contradictions, issues=state["issues"], engine=engine,
    )  # fmt: skip
