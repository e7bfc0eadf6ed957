"""What one audit reads: the source, the targets, and how they are put to an engine (A0, A4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from policypal.audit import units
from policypal.audit.task import AuditInput, AuditOutput, SourcePassage, TargetPassage
from policypal.audit.units import Unit
from policypal.db import index
from policypal.domain.documents import Document, Passage
from policypal.domain.extents import Extent
from policypal.graph.agent.nodes.retrieve import load_evidence
from policypal.graph.agent.reading import extents_of
from policypal.graph.agent.state import AgentState
from policypal.graph.context import NodeContext

TEXT_MODE_WORDS = 1000
"""A source below this many words is audited as a text: no gaps are sought (A4)."""


@dataclass(frozen=True, slots=True)
class Material:
    """What one audit reads. Passages are numbered from 1 in these orders; ``claims`` and ``rules`` are the provisions of the same documents,
    whole."""

    source_title: str
    source_document: Document | None
    source: list[Passage] | None
    text: str
    targets: list[Document]
    passages: list[Passage]
    mode: Literal["text", "policy"]
    focus: str
    claims: list[Unit]
    rules: list[Unit]

    @property
    def source_extent(self) -> Extent | None:
        """How much of the source was read; None for a text, which is read whole."""
        return extents_of([self.source_document], self.source or [])[0] if self.source_document else None

    @property
    def extents(self) -> list[Extent]:
        """How much of each target was read."""
        return extents_of(self.targets, self.passages)

    @property
    def sampled(self) -> list[str]:
        """The titles of the documents that were read in part only."""
        return [e.title for e in (self.source_extent, *self.extents) if e is not None and not e.is_whole]

    @property
    def complete(self) -> bool:
        """Whether the documents were read as wholes: without that, the source cannot be judged as a whole (A0)."""
        return not self.sampled


def gather(state: AgentState, context: NodeContext) -> Material:
    """What the turn's audit reads."""
    wanted = [*state["target_doc_ids"], *([state["source_doc_id"]] if state["source_doc_id"] else [])]
    documents = {d.id: d for d in context.run.library if d.id in wanted}
    targets = [documents[i] for i in state["target_doc_ids"] if i in documents]
    source_document = documents.get(state["source_doc_id"])
    read = [h.passage for h in load_evidence(state, context)]
    source = [p for p in read if p.document_id == source_document.id] if source_document else None
    db, user_id = context.services.db, context.run.user_id
    claims = (
        units.read_claims(db, user_id, source_document.id)
        if source_document
        else units.claims_of("", units.read_text(state["source_text"]))
    )
    return Material(
        source_title=_source_title(state, source_document),
        source_document=source_document,
        source=source,
        text=state["source_text"],
        targets=targets,
        passages=[p for p in read if p.document_id in state["target_doc_ids"]],
        mode="text" if _words(state, context, source_document) < TEXT_MODE_WORDS else "policy",
        focus=state["focus"],
        claims=claims,
        rules=[rule for target in targets for rule in units.read_rules(db, user_id, target.id)],
    )


def _source_title(state: AgentState, document: Document | None) -> str:
    if document is not None:
        return document.display_title
    return state["draft_name"] or "Text in the message"


def _words(state: AgentState, context: NodeContext, source: Document | None) -> int:
    """Of the whole source, whatever of it is read."""
    if source is None:
        return len(state["source_text"].split())
    passages = index.load_passages(context.services.db, context.run.user_id, source.id)
    return sum(len(p.text.split()) for p in passages)


def task_input(material: Material, themes: list[str], request: str) -> AuditInput:
    """A target's numbers go on from the source's, so that none can be taken for the other's."""
    if material.source is not None:
        source = [
            SourcePassage(number=n, page=p.page, text=p.text, heading=p.heading)
            for n, p in enumerate(material.source, 1)
        ]
    else:
        source = [SourcePassage(number=1, page=None, text=material.text)]
    return AuditInput(
        mode=material.mode,
        source_title=material.source_title,
        source=source,
        targets=[d.id for d in material.targets],
        titles=[d.display_title for d in material.targets],
        passages=[
            TargetPassage(number=n, target=p.document_id, page=p.page, text=p.text, heading=p.heading)
            for n, p in enumerate(material.passages, len(source) + 1)
        ],
        themes=themes,
        request=request,
        sampled=material.sampled,
        focus=material.focus,
        claims=material.claims,
        rules=material.rules,
    )


def numbered_by_side(output: AuditOutput, material: Material) -> AuditOutput:
    """The output with the targets' passages numbered from 1, as the source's are."""
    before = 1 if material.source is None else len(material.source)
    return output.model_copy(
        update={
            "findings": [f.model_copy(update={"passage": f.passage - before}) for f in output.findings],
            "coverage": [c.model_copy(update={"passage": c.passage - before}) for c in output.coverage],
        }
    )
