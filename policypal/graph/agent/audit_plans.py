"""What an audit by a model reads, and the requests it makes of that (A0, A4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policypal.audit.judging import Opinion
from policypal.audit.lines import UNLIMITED, Line, Scope, rule_lines, source_lines
from policypal.audit.plan import AuditPlan, Estimate, plan_of
from policypal.audit.register import entries_of
from policypal.audit.task import AUDIT, AuditInput, SourcePassage, TargetPassage
from policypal.db import index
from policypal.db import provisions as provisions_db
from policypal.domain.audits import FindingKind
from policypal.domain.documents import Document, Page, Passage
from policypal.graph.agent.judging import SIDE_BY_SIDE
from policypal.graph.services import GraphServices
from policypal.llm.task import TaskContext
from policypal.search.embeddings import built_in_embedder
from policypal.text.provisions import read_provisions

GAP_WORDS = 1_000
"""A source below this many words is audited as a text: no gaps are sought (A4)."""


@dataclass(frozen=True, slots=True)
class Sides:
    """What is audited against what. Without a ``source`` document it is the ``text``. ``request`` is the user's message."""

    source: Document | None
    text: str
    source_title: str
    targets: tuple[Document, ...]
    scope: Scope = UNLIMITED
    request: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """The plan of an audit, and the passages of its targets for the citations of its answer."""

    sides: Sides
    plan: AuditPlan
    seeks_gaps: bool
    opinions: tuple[Opinion, ...]
    passages: tuple[Passage, ...]


def read(sides: Sides, services: GraphServices, user_id: str) -> Material:
    """Read both sides whole, with the registers as the analyst left them."""
    db = services.db
    if sides.source is not None:
        provisions = provisions_db.load_provisions(db, user_id, sides.source.id)
    else:
        provisions = read_provisions([Page(1, sides.text)])
    source = source_lines(sides.source.id if sides.source else "", provisions)
    targets = []
    for document in sides.targets:
        found = provisions_db.load_provisions(db, user_id, document.id)
        changes = provisions_db.load_changes(db, user_id, document.id)
        targets.append((document.id, found, entries_of(found, changes)))
    rules = rule_lines(targets, sides.scope)
    seeks_gaps = sum(len(line.text.split()) for line in source) >= GAP_WORDS
    passages = tuple(p for d in sides.targets for p in index.load_passages(db, user_id, d.id))
    opinions = _opinions(sides, source, rules, passages, seeks_gaps=seeks_gaps)
    plan = plan_of(
        source,
        rules,
        built_in_embedder(),
        source_title=sides.source_title,
        seeks_gaps=seeks_gaps,
        focus=sides.scope.focus,
        request=sides.request,
        reading_tokens=services.engine.reading_tokens or 0,
        opinions=opinions,
    )
    return Material(sides, plan, seeks_gaps, tuple(opinions), passages)


def estimate_of(material: Material) -> Estimate:
    """What the audit is going to take."""
    return material.plan.estimate(SIDE_BY_SIDE)


def _opinions(
    sides: Sides, source: Sequence[Line], rules: Sequence[Line], passages: Sequence[Passage], *, seeks_gaps: bool
) -> list[Opinion]:
    """The conflicts that the rule engine sees, by the numbers of their sentences; the model has to answer them."""
    given = AuditInput(
        mode="policy" if seeks_gaps else "text",
        source_title=sides.source_title,
        source=[SourcePassage(number=n, page=line.page, text=line.full) for n, line in enumerate(source)],
        targets=[d.id for d in sides.targets],
        titles=[d.display_title for d in sides.targets],
        passages=[
            TargetPassage(number=n, target=p.document_id, page=p.page, text=p.text, heading=p.heading)
            for n, p in enumerate(passages)
        ],
        focus=sides.scope.focus,
    )
    found = AUDIT.extractive(given, TaskContext(built_in_embedder())).findings
    told = []
    for finding in found:
        if finding.kind is FindingKind.CONFLICT and finding.source is not None:
            passage = passages[finding.passage]
            rule = _line_of(
                finding.target_quote,
                [r for r in rules if (r.document_id, r.page) == (passage.document_id, passage.page)],
            )
            if rule is not None:
                told.append(Opinion(rule=rule.id, sentence=source[finding.source].id, said=finding.consequence))
    return told


def _line_of(quote: str, lines: Sequence[Line]) -> Line | None:
    """The sentence that has these words, or is among them."""
    words = " ".join(quote.split())
    texts = ((line, " ".join(line.text.split())) for line in lines)
    return next((line for line, text in texts if words in text or (len(text) > 20 and text in words)), None)
