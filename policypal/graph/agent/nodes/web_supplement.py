"""After an action that cites documents only: what the web adds, apart from them (A1, G3)."""

from typing import Any

from policypal.answer.web_supplement import WEB_SUPPLEMENT, WebSupplementInput
from policypal.domain.citations import Citation
from policypal.domain.support import JudgedSentence
from policypal.errors import BudgetExceeded, ModelError
from policypal.graph.agent import feedback
from policypal.graph.agent.state import AgentState, with_notice
from policypal.graph.citing import citer_for
from policypal.graph.context import NodeContext
from policypal.graph.web_evidence import numbered_web_evidence, web_passages_of

HEADING = "### From the web"


def web_supplement(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Adds a section with citations of its own. Without it, or if the model fails or the budget ends, the answer stays what it is."""
    pages = web_passages_of(state)
    given = WebSupplementInput(
        query=state["web_query"],
        titles=list(state["resolved_doc_titles"].values()),
        evidence=numbered_web_evidence(pages),
    )
    try:
        found, totals = context.run_task(state, WEB_SUPPLEMENT, given)
    except (ModelError, BudgetExceeded) as error:
        return {"notices": with_notice(state, f"What the web reports could not be added. {error.message}")}
    citer = citer_for(context, [], web=pages)
    citer.citations = [Citation(**c) for c in state["citations"]]
    citer.judged = [JudgedSentence(**s) for s in state["judged"]]
    lines = [f"- {citer.render(s, must_cite=True)}" for s in found.sentences]
    if not citer.verified:
        return {**totals, "notices": with_notice(state, feedback.WEB_NOT_CITED)}
    return {
        **totals,
        "response": "\n\n".join([state["response"], HEADING, "\n".join(lines)]),
        "citations": [c.model_dump() for c in citer.citations],
        "judged": [s.model_dump(mode="json") for s in citer.judged],
        "quote_checks": {k: state["quote_checks"].get(k, 0) + n for k, n in citer.counts.items()},
        "notices": with_notice(state, feedback.WEB_CAUTION),
    }
