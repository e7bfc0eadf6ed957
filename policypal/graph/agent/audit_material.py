"""What an audit reads: both sides whole, by provisions, with the registers as the analyst left them (A0, A4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from policypal.audit.findings import find_conflicts
from policypal.audit.judging import JUDGE, Opinion
from policypal.audit.lines import UNLIMITED, Line, Scope, Target, rule_lines, source_lines
from policypal.audit.narrowing import most_related
from policypal.audit.pairs import Pairs
from policypal.audit.plan import AuditPlan, Estimate, plan_of
from policypal.audit.register import entries_of
from policypal.audit.units import Unit, claims_of, in_scope, provisions_of, read_text, rules_of
from policypal.db import index
from policypal.db import model_readings as readings_db
from policypal.db import provisions as provisions_db
from policypal.domain.audits import PASTED_TEXT
from policypal.domain.documents import Document, Passage
from policypal.domain.extents import Extent
from policypal.domain.provisions import Provision
from policypal.graph.agent import register_reading
from policypal.graph.agent.state import AgentState, request_of
from policypal.graph.context import SIDE_BY_SIDE, NodeContext
from policypal.graph.services import GraphServices
from policypal.search.embeddings import built_in_embedder

TEXT_WORDS = 1_000
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

    @property
    def titles(self) -> dict[str, str]:
        """The targets' titles by their ids, in order."""
        return {d.id: d.display_title for d in self.targets}

    @property
    def documents(self) -> list[Document]:
        """The targets, then the source."""
        return [*self.targets, *([self.source] if self.source else [])]


@dataclass(frozen=True, slots=True)
class Material:
    """Both sides as they were read; ``passages`` are those of the targets, for the citations of the answer."""

    sides: Sides
    provisions: Sequence[Provision]
    targets: Sequence[Target]
    passages: Sequence[Passage]

    @property
    def seeks_gaps(self) -> bool:
        """Whether the source is a policy, of which a duty may be missing."""
        return sum(len(s.text.split()) for p in self.provisions for s in p.sentences) >= TEXT_WORDS

    @property
    def claims(self) -> list[Unit]:
        return claims_of(self.sides.source.id if self.sides.source else "", self.provisions)

    @property
    def rules(self) -> list[Unit]:
        return [rule for t in self.targets for rule in rules_of(t.document, t.entries)]

    @property
    def obligations(self) -> list[Unit]:
        """What of the rules binds and is in scope, as the rule engine sees it."""
        focus = self.sides.scope.focus
        return [r for t in self.targets for r in in_scope(rules_of(t.document, t.entries), focus) if r.kind.binds]

    def unread(self) -> Iterator[str]:
        """What of the documents was not read, a sentence each."""
        for d in self.sides.documents:
            if d.pages_without_text:
                yield f"{d.display_title}: {d.pages_without_text} of {d.pages} pages hold no text and were not read."


def sides_of_turn(state: AgentState, context: NodeContext) -> Sides:
    """What the turn audits against what, within what limits."""
    documents = {d.id: d for d in context.run.library}
    request, limits = request_of(state), state["audit_limits"]
    source = next((documents[i] for i in request.sources if i in documents), None)
    return Sides(
        source=source,
        text="" if source else state["source_text"],
        source_title=source.display_title if source else state["draft_name"] or PASTED_TEXT,
        targets=tuple(documents[i] for i in request.targets if i in documents),
        scope=Scope(request.focus, limits.get("party", ""), limits.get("kind", "")),
        request=state["text"] if source else "",
    )


def read(sides: Sides, services: GraphServices, user_id: str) -> Material:
    """Read both sides."""
    db = services.db
    source = provisions_of(db, user_id, sides.source.id) if sides.source else read_text(sides.text)
    targets = []
    for document in sides.targets:
        provisions = provisions_of(db, user_id, document.id)
        changes = provisions_db.load_changes(db, user_id, document.id)
        entries = entries_of(provisions, changes, readings_db.load_marks(db, user_id, document.id))
        targets.append(Target(document.id, provisions, entries))
    passages = [p for d in sides.targets for p in index.load_passages(db, user_id, d.id)]
    return Material(sides, source, targets, passages)


def planned(material: Material, reading_tokens: int) -> AuditPlan:
    """The requests by which a model judges it, with what the rule engine says of the same sentences."""
    sides = material.sides
    source = source_lines(sides.source.id if sides.source else "", material.provisions)
    rules = rule_lines(material.targets, sides.scope)
    return plan_of(
        source,
        rules,
        built_in_embedder(),
        source_title=sides.source_title,
        seeks_gaps=material.seeks_gaps,
        focus=sides.scope.focus,
        request=sides.request,
        reading_tokens=reading_tokens,
        opinions=list(_opinions(material, source, rules)),
    )


def estimate_of(plan: AuditPlan, sides: Sides, services: GraphServices, user_id: str) -> Estimate:
    """What the audit is going to take with the model, which reads the targets' registers first where it has not."""
    told = plan.estimate(SIDE_BY_SIDE)
    usd = services.engine.expected_cost(JUDGE.name, told.input_tokens, told.output_tokens)
    return replace(told, cost_usd=usd) + register_reading.estimate(services.db, services.engine, user_id, sides.targets)


def _opinions(material: Material, source: Sequence[Line], rules: Sequence[Line]) -> Iterator[Opinion]:
    """The conflicts that the rule engine is sure of, by the numbers of their sentences; the model has to answer them."""
    claims = material.claims
    numbers = {_spot(line.unit): line.id for line in (*source, *rules)}
    for target in material.targets:
        asked = in_scope(rules_of(target.document, target.entries), material.sides.scope.focus)
        if not claims or not asked:
            continue
        near = most_related(claims, asked, built_in_embedder())
        for conflict in find_conflicts(Pairs(near, asked, built_in_embedder())):
            claim, rule = numbers[_spot(near[conflict.row])], numbers.get(_spot(asked[conflict.column]))
            if rule is not None:
                yield Opinion(rule=rule, sentence=claim, said=f"“{conflict.said}” breaks “{conflict.ruled}”.")


def _spot(unit: Unit) -> tuple[str, int, int, str]:
    return unit.document, unit.page, unit.start, unit.text


def whole(document: Document) -> Extent:
    """How much of a document an audit reads: all of its text."""
    return Extent.of(document, document.pages - document.pages_without_text, document.chunks)
