"""What an audit by a model is going to take, before it starts (A4). No model is asked."""

from collections import Counter
from decimal import Decimal
from typing import Any

from policypal.audit.plan import AuditPlan
from policypal.concurrency import unless_stopped
from policypal.domain.interrupts import question
from policypal.domain.provisions import Kind
from policypal.graph.agent.audit_material import Sides, estimate_of, planned, read, sides_of_turn
from policypal.graph.agent.state import AgentState
from policypal.graph.context import NodeContext

MOST_USD_UNASKED = Decimal("0.50")
MOST_CALLS_UNASKED = 25
"""What an audit may take without asking: so much money where prices are known, so many calls in any case."""
START, BY_RULES, PARTY, KIND = "start", "by_rules", "party:", "kind:"
_PARTIES_OFFERED = 3


def plan_audit(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Asks before an audit that takes much: start, narrow, or leave it to the rule engine."""
    if state["audit_approved"] or context.services.by_rules:
        return {"question": None}
    sides = sides_of_turn(state, context)
    plan = unless_stopped(lambda: _planned(sides, context), context.run.check_stop)
    estimate = estimate_of(plan, sides, context.services, context.run.user_id)
    if estimate.calls <= MOST_CALLS_UNASKED and (estimate.cost_usd or 0) <= MOST_USD_UNASKED:
        return {"question": None}
    options = [(START, f"Judge all {estimate.obligations:,} obligations"), *_narrower(plan)]
    options.append((BY_RULES, "Without the model: only what rules can tell"))
    message = f"{estimate.line} Start it, narrow it, or write what it should be limited to, such as “complaints”."
    return {"question": question("budget_approval", message, options=options, expects="text")}


def _planned(sides: Sides, context: NodeContext) -> AuditPlan:
    material = read(sides, context.services, context.run.user_id)
    return planned(material, context.services.engine.reading_tokens or 0)


def _narrower(plan: AuditPlan) -> list[tuple[str, str]]:
    """The parties most obligations bind, and the prohibitions alone."""
    asked = [line.unit for line in plan.asked]
    parties = Counter(line.party for line in asked if line.party)
    offered = [
        (f"{PARTY}{party}", f"Only what binds “{party}” ({number:,})")
        for party, number in parties.most_common(_PARTIES_OFFERED)
        if number < len(asked)
    ]
    prohibited = sum(line.kind is Kind.PROHIBITION for line in asked)
    if 0 < prohibited < len(asked):
        offered.append((f"{KIND}{Kind.PROHIBITION.value}", f"Only prohibitions ({prohibited:,})"))
    return offered
