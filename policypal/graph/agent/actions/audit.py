"""Action: audit a text or a policy against target documents, every obligation judged by a model or by what rules can tell (A0, A4, A5)."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from policypal.audit.engine import VERSION, Audit
from policypal.audit.engine import audit as audit_by_rules
from policypal.audit.judged import Concluded, Conclusion
from policypal.audit.judging import JUDGE
from policypal.audit.verdict import Circumstances
from policypal.concurrency import unless_stopped
from policypal.domain.audits import CoverageStatus
from policypal.domain.conversations import TraceEntry
from policypal.graph.agent.actions.audit_report import Making, answered
from policypal.graph.agent.audit_material import Material, planned, read, sides_of_turn
from policypal.graph.agent.judging import Judged, judge, thread_of
from policypal.graph.agent.register_reading import before_audit
from policypal.graph.agent.state import AgentState, with_notice
from policypal.graph.context import NodeContext, added
from policypal.text.language import is_foreign


def audit(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Judged by a model, obligation by obligation; or what rules can tell, where there is none or the person prefers it."""
    if not (context.services.by_rules or state["audit_by_rules"]):
        return audit_with_model(state, context)
    local = replace(context, services=context.services.without_model())
    return unless_stopped(lambda: _audit_without_model(state, local), context.run.check_stop)


def _audit_without_model(state: AgentState, context: NodeContext) -> dict[str, Any]:
    started = time.perf_counter()
    material = read(sides_of_turn(state, context), context.services, context.run.user_id)
    sides = material.sides
    mode: Literal["policy", "text"] = "policy" if material.seeks_gaps else "text"
    found = audit_by_rules(
        mode, material.claims, material.rules, sides.titles, context.services.embedder, sides.scope.focus
    )  # fmt: skip
    foreign = _foreign(material)
    met = Circumstances(foreign, _compares_nothing(foreign, material), list(material.unread()))
    seconds = time.perf_counter() - started
    name = context.services.engine.name
    context.run.recorder.trace(TraceEntry("task", "audit", seconds, {"engine": name, "model": name, "tokens": 0}))
    making = Making(added([state, {"models": [name]}]), VERSION, seconds)
    return answered(material, _concluded(found, foreign), met, making, context)


def _concluded(found: Audit, foreign: Sequence[str]) -> Concluded:
    told = [f"{title}: not in English, the only language the extractive engine reads." for title in foreign]
    return Concluded(
        found.findings, [], tuple(found.coverage), tuple(found.review), found.tallies,
        (*found.not_assessed, *_for_a_reader(found), *told),
    )  # fmt: skip


def _for_a_reader(found: Audit) -> Iterator[str]:
    claims = len({(pair.source_page, pair.source_start, pair.source_quote) for pair in found.review})
    partial = sum(row.status is CoverageStatus.PARTIAL for row in found.coverage)
    if claims:
        yield f"Statements shown beside the rules nearest to them, to be read under “To review”: {claims}."
    if partial:
        yield f"Obligations related to a clause without a clear match, marked Partial, which need a reader: {partial}."


def _foreign(material: Material) -> list[str]:
    """The titles of what the rules of the keyless engine cannot read; a model reads any language."""
    texts = {
        d.display_title: [p.text for p in material.passages if p.document_id == d.id] for d in material.sides.targets
    }
    texts[material.sides.source_title] = [s.text for p in material.provisions for s in p.sentences]
    return [title for title, parts in texts.items() if is_foreign(" ".join(parts))]


def _compares_nothing(foreign: Sequence[str], material: Material) -> bool:
    """Whether the source, or every target, is in a language that the engine does not read."""
    return material.sides.source_title in foreign or set(foreign) >= set(material.sides.titles.values())


def audit_with_model(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Judge, look again at what was found, and shape the report. What ended early keeps what is judged.

    Raises:
        RunStopped, ModelError, BudgetExceeded: before anything was judged.
    """
    started = time.perf_counter()
    services, sides = context.services, sides_of_turn(state, context)
    stop = context.run.check_stop
    before = unless_stopped(lambda: before_audit(sides.targets, context), stop)
    material = read(sides, services, context.run.user_id)
    plan = unless_stopped(lambda: planned(material, services.engine.reading_tokens or 0), stop)
    judged = judge(plan, context, seeks_gaps=material.seeks_gaps)
    source_id = sides.source.id if sides.source else None
    conclusion = Conclusion(plan, material.seeks_gaps, sides.source_title, source_id, sides.titles)
    found = conclusion.reach(judged.judgements, judged.looks, judged.reasons)
    unread = list(material.unread())
    if plan.unread:
        unread.append(
            f"{sides.source_title}: {plan.unread:,} of {len(plan.source):,} sentences are near none of the rules and were not read."
        )
    making = Making(
        _with_earlier(state, [before, judged.totals]), JUDGE.version, time.perf_counter() - started, plan.unread
    )
    complete = not judged.ended and not judged.reasons and not judged.totals["unaided"]
    return {
        **answered(material, found, Circumstances(unread=unread, by_model=True), making, context),
        "judged_in": thread_of(context.run.thread_id, plan, services.engine.name) if complete else "",
        "ends_early": judged.ended,
        "notices": with_notice(state, _goes_on(judged)) if judged.ended else state["notices"],
    }


def _goes_on(judged: Judged) -> str:
    return f"{judged.ended} What was judged until then is kept: send the same request again to have the rest judged."


def _with_earlier(state: AgentState, totals: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The turn's totals with those of the audit."""
    return {**added([state, *totals]), "unaided": [u for t in (state, *totals) for u in t["unaided"]]}
