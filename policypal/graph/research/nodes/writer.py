"""Outline, sections, draft: every sentence with its quotations looked up in the sources (W3, C1, C2)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from policypal.answer.evidence import CitedSentence, words_cited
from policypal.domain.research import Plan
from policypal.graph.context import added
from policypal.graph.observe import Node
from policypal.graph.research.drafts import Draft, citer_of, evidence_of
from policypal.graph.research.progress import ResearchContext
from policypal.graph.research.state import WriterState
from policypal.research.draft import gaps_section, section_of, without_repetition
from policypal.research.outline import OUTLINE, Outline, OutlineInput, sound_outline
from policypal.research.red_team import issues_of
from policypal.research.write_section import WRITE_SECTION, WriteSectionInput, WrittenSection, sound_section


def outline(state: WriterState, context: ResearchContext) -> dict[str, Any]:
    """The sections and what each rests on. A draft that was sent back keeps its outline."""
    if state.get("outlined") and state.get("repairs"):
        return {"outlined": state["outlined"]}
    plan = Plan(**state["plan"] or {})
    evidence = evidence_of(state)
    ranked = sorted(evidence, key=lambda e: -e.score) if state.get("reading") else []
    found = [e.number for e in ranked if e.score > 0]  # of whole documents, what the search found
    given = OutlineInput(
        goal=state["goal"], deliverable=plan.deliverable, constraints=plan.constraints, questions=plan.queries,
        evidence=evidence, library=tuple(state["common"]), found=found,
    )  # fmt: skip
    written, totals = context.run_task(state, OUTLINE, given)
    made = written if context.services.by_rules else sound_outline(written, given)
    return {**totals, "outlined": made.model_dump(), "counts": {"sections": len(made.sections)}}


def to_write(state: WriterState) -> list[dict[str, Any]]:
    """What the writing of each section is sent: whole documents where they were read, else its own passages only, so that a checkpoint
    stays small. Of a draft that was sent back, only the sections with issues are written again."""
    is_whole = bool(state.get("reading"))
    evidence = {e.number: e for e in evidence_of(state)}
    found = []
    for number, section in enumerate(_outline(state).sections):
        issues = [i for i in state.get("issues", []) if i.startswith("Report:")] + issues_of(
            section.heading, state.get("issues", [])
        )
        if issues or not state.get("repairs"):
            given = WriteSectionInput(
                goal=state["goal"], heading=section.heading, focus=section.focus, kind=section.kind,
                evidence=[e for n, e in evidence.items() if is_whole or n in section.evidence],
                nearest=section.evidence if is_whole else [], used=_used(state, number), issues=issues,
            )  # fmt: skip
            found.append({"key": _key(state.get("repairs", 0), number), "given": given.model_dump(mode="json")})
    return found


def write_section(sent: Mapping[str, Any], context: ResearchContext) -> dict[str, Any]:
    """One section, with what it took: sums are made where all of them come together."""
    given = WriteSectionInput(**sent["given"])
    written, totals = context.run_task({}, WRITE_SECTION, given)
    written = written if context.services.by_rules else sound_section(written, given)
    context.count("write_section", written=1)
    return {"sections": {sent["key"]: {"written": written.model_dump(), "totals": totals}}}


def assemble(state: WriterState, context: ResearchContext) -> dict[str, Any]:
    """The draft: repetitions dropped, every quotation looked up, citations numbered in the order of reading. No model."""
    headings = _outline(state).sections
    parts = [_latest(state, n) for n in range(len(headings))]
    written = without_repetition(WrittenSection(**part["written"]) for part in parts)
    this_pass = f"{state.get('repairs', 0)}."
    citer = citer_of(state, context)
    sections = [
        section_of(o.heading, w, partial(citer.render, as_text=True)) for o, w in zip(headings, written, strict=True)
    ]
    sections += gaps_section(_outline(state).unanswered) if sections else []
    return {
        **added([state, *(held["totals"] for key, held in sorted(state.get("sections", {}).items()) if key.startswith(this_pass))]),
        "draft": Draft(title=_outline(state).title, sections=sections, citations=citer.citations).model_dump(),
        "quote_checks": citer.counts,
        "counts": {"statements": sum(len(s.statements) for s in sections)},
    }  # fmt: skip


def _key(repairs: int, number: int) -> str:
    return f"{repairs}.{number:03d}"


def _latest(state: WriterState, number: int) -> dict[str, Any]:
    """A section as it was written last."""
    keys = [_key(repairs, number) for repairs in range(state.get("repairs", 0), -1, -1)]
    return next(state["sections"][key] for key in keys if key in state["sections"])


def _used(state: WriterState, number: int) -> list[str]:
    """The sentences that the other sections of a draft that was sent back rest on."""
    if not state.get("repairs"):
        return []
    others = [_latest(state, n) for n in range(len(_outline(state).sections)) if n != number]
    said = [CitedSentence(**s) for part in others for s in part["written"]["sentences"]]
    return list(words_cited(said, {e.number: e.text for e in evidence_of(state)}))


def _outline(state: WriterState) -> Outline:
    return Outline(**state["outlined"] or {"title": ""})


STAGES: Mapping[str, Node] = {"outline": outline, "write_section": write_section, "assemble": assemble}
