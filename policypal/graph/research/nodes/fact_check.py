"""Every statement against its quotations, and the sources against one another (W3)."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from policypal.domain.citations import Citation
from policypal.domain.research import Contradiction, ReportSection
from policypal.domain.support import Degree, JudgedSentence
from policypal.graph.agent.support import MOST_STATEMENTS, support_request
from policypal.graph.citing import Citer
from policypal.graph.observe import Node
from policypal.graph.research.drafts import Draft, citer_of
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import FactCheckState
from policypal.llm.judge_support import JUDGE_SUPPORT
from policypal.research.check_claims import CHECK_CLAIMS, CitedClaim, ClaimsInput, sound_conflicts
from policypal.research.draft import citations_in, texts_of, without_markers
from policypal.research.support import Known, Reworded, check_support, reworded


def read_statements(state: FactCheckState, context: ResearchContext) -> dict[str, Any]:
    """Where there is a model, it reads what the draft says in other words beside what it cites, in one request (C2b); not again what it
    read before the writer was sent back."""
    if context.services.by_rules:
        return {}
    draft, held = Draft(**state["draft"] or {}), state.get("read_again", {})
    citer = citer_of(state, context)
    asked = [s for s in reworded(draft.sections, _known_to(citer, draft)) if s.key not in held][:MOST_STATEMENTS]
    if not asked:
        return {}
    verdicts, totals = context.run_task(state, JUDGE_SUPPORT, support_request([_judged(s, citer) for s in asked]))
    read = {asked[v.number - 1].key: v.verdict == "supported" for v in verdicts.verdicts}
    return {**totals, "read_again": {**held, **read}}


def _known_to(citer: Citer, draft: Draft) -> dict[int, Known]:
    return {c.id: Known(c, citer.words_of(c), citer.label_of(c)) for c in draft.citations if c.verified}


def _judged(said: Reworded, citer: Citer) -> JudgedSentence:
    degree = Degree.NOT_SUPPORTED if said.reason else Degree.SUPPORTED
    passages = citer.passages_around([k.citation for k in said.cited])
    return JudgedSentence(
        text=without_markers(said.text),
        degree=degree,
        reason=said.reason,
        cited=tuple(k.words for k in said.cited),
        passages=tuple(passages),
    )


def check_claims(state: FactCheckState, context: ResearchContext) -> dict[str, Any]:
    """What its quotations do not carry is said in the sources' words or goes; then one call about contradictions, unless the
    same quotations were compared before the writer was sent back."""
    draft = Draft(**state["draft"] or {})
    citer = citer_of(state, context)
    support = check_support(draft.sections, _known_to(citer, draft), state.get("read_again", {}), citer.absence)
    claims = _claims(support.sections, draft.citations)
    key = hashlib.sha256(ClaimsInput(claims=claims).model_dump_json().encode()).hexdigest()
    held = [Contradiction(**c) for c in state["contradictions"]]
    conflicts, totals = (held, {}) if state.get("claims_compared") == key else _conflicts(state, claims, context)
    counts = {
        "verified": support.verified, "repaired": support.repaired, "removed": support.removed,
        "contradictions": len(conflicts),
    }  # fmt: skip
    checked = draft.model_copy(update={"sections": support.sections, "notices": support.notices})
    return {
        **totals, "draft": checked.model_dump(), "claims_compared": key, "contradictions": [c.model_dump() for c in conflicts],
        "counts": counts,
    }  # fmt: skip


def _conflicts(
    state: FactCheckState, claims: list[CitedClaim], context: ResearchContext
) -> tuple[list[Contradiction], dict[str, Any]]:
    """None to be found where one source speaks alone."""
    if len({c.source for c in claims}) < 2:
        return [], {}
    given = ClaimsInput(claims=claims)
    found, totals = context.run_task(state, CHECK_CLAIMS, given)
    return sound_conflicts(found, given), totals


def _claims(sections: Sequence[ReportSection], citations: Sequence[Citation]) -> list[CitedClaim]:
    """Each quotation that a statement of the draft rests on."""
    cited = {n for section in sections for text in texts_of(section) for n in citations_in(text)}
    names = {c.id: f"{c.title} ({c.version})" if c.version else c.title for c in citations}
    return [CitedClaim(number=c.id, source=names[c.id], quote=c.quote) for c in citations if c.id in cited]


STAGES: Mapping[str, Node] = {"read_statements": read_statements, "check_claims": check_claims}
