"""Action: compare documents (A3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from policypal.answer.evidence import CitedSentence
from policypal.compare.redline.report import markdown
from policypal.compare.rows import SILENT, Comparison, ComparisonRow
from policypal.compare.task import COMPARE, CompareInput
from policypal.domain.citations import literal, unmarked
from policypal.domain.documents import Passage
from policypal.domain.extents import Extent
from policypal.gate.evidence import cited_words
from policypal.gate.supported import conclusion
from policypal.graph.agent import versions
from policypal.graph.agent.actions.reading import cell, cited, extents_of, reading_confidence, with_extent
from policypal.graph.agent.nodes.retrieve import load_evidence, resolved
from policypal.graph.agent.readings import numbered, readings_of
from policypal.graph.agent.state import AgentState
from policypal.graph.agent.versions import Versions
from policypal.graph.citing import NOTHING_VERIFIED, Citer, citer_for, numbered_evidence
from policypal.graph.context import NodeContext

ROWS_BESIDE_CHANGES = 10
"""Rows of key differences where a complete change list follows."""
_UNNAMED = "As quoted"
"""What a row is about where a model's words for it say more than its cells cite."""
_NOT_CHOSEN = "Not among the passages chosen"
_NOTHING = CitedSentence(text="–")


def compare(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Holistic: overview, key differences, similarities, unique aspects, implications. Focused on a topic: a table with one
    row per aspect and one cited column per document. Two versions of one document: their change list, too."""
    hits, documents, topic = load_evidence(state, context), resolved(state, context), state["topic"]
    read = readings_of(documents, context)
    extents = extents_of(state, read, hits)
    found = versions.versions_among(read, context)
    passages = [h.passage for h in hits]
    given = CompareInput(
        titles=[e.title for e in extents], evidence=numbered_evidence(hits), topic=topic or None, request=state["text"],
        excerpted=[e.title for e in extents if e.parts is not None], readings=numbered(read, after=len(hits)),
        changes=versions.numbered_changes(found, passages) if found else [],
    )  # fmt: skip
    comparison, totals = context.run_task(state, COMPARE, given)
    citer = _citer(context, [*passages, *(p for r in read for p in r.passages)], found)
    shown = _Shown(comparison, extents, [len(r.clauses) for r in read], citer, must_cite=not context.services.by_rules)
    rows = ROWS_BESIDE_CHANGES if found else len(comparison.rows)
    if found is not None and context.services.by_rules:  # their redline says it all
        parts = ["### Comparison", *_paragraphs(shown)]
    else:
        parts = [_focused(shown, topic) if topic else _holistic(shown, rows)]
    # of what the comparison claims, not of the change list, whose quotations are always right
    confidence = reading_confidence(citer) if citer.checked else {}
    update: dict[str, Any] = {}
    if found is not None:
        listed = versions.cited_changes(found.about(topic) if topic else found, citer)
        parts.append(markdown(listed, citer.citations, topic))
        update["changes"] = listed.model_dump(mode="json")
    if citer.lost_everything:
        parts.append(NOTHING_VERIFIED)
    response = with_extent("\n\n".join(parts), extents)
    confidence = confidence or reading_confidence(citer)
    return {**totals, **update, "response": response, **cited(citer), **confidence}


def _citer(context: NodeContext, passages: Sequence[Passage], found: Versions | None) -> Citer:
    citer = citer_for(context, passages)
    for document_id, pages in (found.pages if found else {}).items():
        citer.pages.update({(document_id, page.number): page.text for page in pages})
    return citer


@dataclass
class _Shown:
    """A comparison on its way to Markdown. Sentences of a model ``must_cite``; the keyless engine's own are templates.
    ``searched`` are the clauses of each document. ``unsupported`` collects the aspects of which no cell has a quotation of its document."""

    comparison: Comparison
    extents: Sequence[Extent]
    searched: Sequence[int]
    citer: Citer
    must_cite: bool
    unsupported: list[str] = field(default_factory=list)

    def table(self, rows: Sequence[ComparisonRow]) -> str:
        """One column per document; rows without any verified quotation are left out."""
        lines = []
        for row in rows:
            before = len(self.citer.judged)
            cells = self._cells(row)
            if any(found for _, found in cells):
                said = [words for judged in self.citer.judged[before:] for words in judged.cited]
                aspect = cell(unmarked(literal(self._aspect(row, said))))
                lines.append("| " + " | ".join([aspect, *(cell(text) for text, _ in cells)]) + " |")
            else:
                self.unsupported.append(row.aspect)
        if not lines:
            return ""
        titles = [cell(unmarked(e.title)) for e in self.extents]
        return "\n".join(["| Aspect | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|", *lines])

    def _aspect(self, row: ComparisonRow, quotes: Sequence[str]) -> str:
        """What a row is about; a model's words for it name no figure and nobody that its cells do not cite (C2b)."""
        held = cited_words(quotes, " ".join(e.title for e in self.extents))
        return row.aspect if not self.must_cite or conclusion(row.aspect, held).passes else _UNNAMED

    def sentences(self, sentences: Sequence[CitedSentence]) -> list[str]:
        return [self.citer.render(s, must_cite=self.must_cite) for s in sentences]

    def _cells(self, row: ComparisonRow) -> list[tuple[str, bool]]:
        """One cell per document, whatever their number was, each with whether it is cited."""
        return [
            self._cell(told or _NOTHING, extent, searched)
            for told, extent, searched in zip_longest(row.cells[: len(self.extents)], self.extents, self.searched)
        ]

    def _cell(self, told: CitedSentence, extent: Extent, searched: int) -> tuple[str, bool]:
        """A cell rests on quotations of its own column's document only (A3)."""
        said = self.citer.of_document(told, extent.document_id)
        if not said.rests_on and told.text.strip(" .") in (SILENT, _NOTHING.text):
            silent = _NOTHING.text if told is _NOTHING else f"No matching provision found (searched {searched:,})"
            return silent if extent.parts is None else _NOT_CHOSEN, False
        before = self.citer.verified
        text = self.citer.render(said, must_cite=True) if self.must_cite else self.citer.render_quotation(said)
        return text, self.citer.verified > before


def _focused(shown: _Shown, topic: str) -> str:
    parts = [f"### Comparison: {unmarked(topic)}", *_paragraphs(shown)]
    rows = shown.comparison.rows
    both = [r for r in rows if sum(bool(c.rests_on) for c in r.cells) > 1]
    for heading, of_kind in (
        ("Differences", [r for r in both if r.differs]),
        ("Similarities", [r for r in both if not r.differs]),
        ("In one document only", [r for r in rows if r not in both]),
    ):
        if table := shown.table(of_kind):
            parts.append(f"**{heading}**\n\n{table}")
    return "\n\n".join([*parts, *_left_out(shown)])


def _holistic(shown: _Shown, most: int) -> str:
    """The five sections; one that has nothing to say says so."""
    comparison = shown.comparison
    parts = ["### Comparison", *_paragraphs(shown)]
    if comparison.unrelated:
        return "\n\n".join(parts)
    differing = [r for r in comparison.rows if r.differs][:most]
    alike = [r for r in comparison.rows if not r.differs]
    parts += [
        _section("Key differences", shown.table(differing)),
        _section("Similarities", shown.table(alike)),
        *_unique(shown),
        *(
            [_section("Implications", "\n".join(f"- {s}" for s in shown.sentences(comparison.implications)))]
            if shown.must_cite
            else []
        ),
    ]
    return "\n\n".join([*parts, *_left_out(shown)])


def _unique(shown: _Shown) -> Iterator[str]:
    """What only one document says, under its title once."""
    own: dict[str | None, list[str]] = {}
    for said in shown.comparison.unique:
        document = shown.citer.document_of(said)
        text = shown.citer.render(said, must_cite=True) if shown.must_cite else shown.citer.render_quotation(said)
        own.setdefault(document, []).append(f"- {text}")
    titles = {e.document_id: f"Only in {unmarked(e.title)}" for e in shown.extents}
    for document, lines in own.items():
        yield _section(titles.get(document or "", "Only in one document"), "\n".join(lines))


def _paragraphs(shown: _Shown) -> list[str]:
    said = "\n\n".join(shown.sentences(shown.comparison.overview))
    return [f"**Overview**\n\n{said}"] if said else []


def _left_out(shown: _Shown) -> list[str]:
    names = ", ".join(unmarked(" ".join(name.split())) for name in shown.unsupported)
    return [f"*Left out, because no quotation of theirs was found in its document: {names}.*"] if names else []


def _section(heading: str, body: str) -> str:
    return f"**{heading}**\n\n{body or 'None were found in the passages compared.'}"
