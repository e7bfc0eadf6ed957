"""Action: every obligation of the targets judged by a model against the whole source (A0, A4)."""

import time
from typing import Any

from policypal.audit.judged import Conclusion
from policypal.audit.judging import JUDGE
from policypal.audit.verdict import Circumstances
from policypal.graph.agent.actions.audit_report import Making, answered
from policypal.graph.agent.audit_material import planned, read, sides_of_turn
from policypal.graph.agent.judging import Judged, judge, thread_of
from policypal.graph.agent.state import AgentState, with_notice
from policypal.graph.context import NodeContext, added


def audit_with_model(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Judge, look again at what was found, and shape the report. What ended early keeps what is judged.

    Raises:
        RunStopped, ModelError, BudgetExceeded: before anything was judged.
    """
    started = time.perf_counter()
    services, sides = context.services, sides_of_turn(state, context)
    material = read(sides, services, context.run.user_id)
    plan = planned(material, services.engine.reading_tokens or 0)
    judged = judge(plan, context, seeks_gaps=material.seeks_gaps)
    source_id = sides.source.id if sides.source else None
    conclusion = Conclusion(plan, material.seeks_gaps, sides.source_title, source_id, sides.titles)
    found = conclusion.reach(judged.judgements, judged.looks, judged.reasons)
    unread = list(material.unread())
    if plan.unread:
        unread.append(
            f"{sides.source_title}: {plan.unread:,} of {len(plan.source):,} sentences are near none of the rules and were not read."
        )
    making = Making(_with_earlier(state, judged.totals), JUDGE.version, time.perf_counter() - started, plan.unread)
    complete = not judged.ended and not judged.reasons and not judged.totals["unaided"]
    return {
        **answered(material, found, Circumstances(unread=unread, by_model=True), making, context),
        "judged_in": thread_of(context.run.thread_id, plan, services.engine.name) if complete else "",
        "ends_early": judged.ended,
        "notices": with_notice(state, _goes_on(judged)) if judged.ended else state["notices"],
    }


def _goes_on(judged: Judged) -> str:
    return f"{judged.ended} What was judged until then is kept: send the same request again to have the rest judged."


def _with_earlier(state: AgentState, totals: dict[str, Any]) -> dict[str, Any]:
    """The turn's totals with those of the audit."""
    return {**added([state, totals]), "unaided": [*state["unaided"], *totals["unaided"]]}
