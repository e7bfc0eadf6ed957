"""The last stage: the report as it is shown, or a clear word on why there is none (W1, W3)."""

from datetime import UTC, datetime
from typing import Any

from policypal.domain.extents import Extent
from policypal.domain.research import Contradiction, Plan, Report, Source
from policypal.domain.text import storable
from policypal.graph.context import unaided_notice
from policypal.graph.research import notices, reading
from policypal.graph.research.drafts import Draft, keys_by_number, renumbered
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import ResearchState
from policypal.research.markdown import report_markdown
from policypal.research.red_team import DISCLAIMER, Standards, review


def publish(state: ResearchState, context: ResearchContext) -> dict[str, Any]:
    """Nothing is written where nothing was found, nothing where it was cancelled. No model."""
    engine = context.services.engine.name
    if state["cancelled"]:
        return {"response": notices.CANCELLED, "engine": engine}
    draft = Draft(**state["draft"] or {})
    if not draft.written:
        return {"response": notices.NOTHING_SUPPORTED if state["passages"] else notices.NOTHING_FOUND, "engine": engine}
    report = _report(state, draft, context.run.thread_id, engine)
    read = (
        ""
        if context.services.by_rules
        else reading.told([Extent(**e) for e in state.get("reading", [])], report.sources)
    )
    told = notices.with_notice(
        state["notices"], *filter(None, [read]), *draft.notices, *unaided_notice(state.get("unaided", []))
    )
    markdown = storable(report_markdown(report, [DISCLAIMER], told))
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


def red_team(state: ResearchState, context: ResearchContext) -> dict[str, Any]:
    """The issues; the first time there are any, a model gets the draft back with them. The rules would write the same again."""
    draft, plan = Draft(**state["draft"] or {}), Plan(**state["plan"] or {})
    standards = Standards(datetime.now(UTC).date(), plan.since, context.services.by_rules, _offered(state))
    sources = [Source(**s) for s in state["sources"]]
    issues = review(draft.sections, draft.citations, sources, standards)
    sent_back = bool(issues and draft.sections) and not state["repairs"] and not context.services.by_rules
    return {
        "issues": issues, "sent_back": sent_back, "repairs": state["repairs"] + sent_back, "counts": {"issues": len(issues)},
    }  # fmt: skip


def _offered(state: ResearchState) -> dict[str, set[str]]:
    """The sources that each section was given to write from."""
    keys = keys_by_number(state)
    sections = (state.get("outlined") or {}).get("sections", [])
    return {s["heading"]: {keys[n] for n in s["evidence"] if n in keys} for s in sections}
