"""What a model wrote about an audit, held against its quotations (A4, C2)."""

from __future__ import annotations

from collections.abc import Sequence

from policypal.audit.checked import checked_finding, checked_row, contradiction
from policypal.audit.units import Unit, in_scope
from policypal.audit.verdict import Tally, tally_of_rows
from policypal.domain.audits import CoverageRow, Finding
from policypal.domain.documents import Passage

_Pages = dict[tuple[str, int], str]
Held = tuple[list[Finding], list[Finding], tuple[CoverageRow, ...], Tally]


def held_against_quotations(
    found: list[Finding],
    rated: tuple[CoverageRow, ...],
    passages: Sequence[Passage],
    source_title: str,
    pages: _Pages,
    *,
    seeks_gaps: bool,
    rules: Sequence[Unit],
    focus: str,
) -> Held:
    """A model's findings that stand, those that their quotations contradict, its rows, and what it judged by them of those obligations
    of ``rules`` that concern ``focus``."""
    written = [_without_invention(f, passages, source_title, pages) for f in found]
    standing, contradicted = _second_opinion(written, found)
    rows = tuple(_without_false_figures(r, pages) for r in rated)
    turned = [now for was, now in zip(rated, rows, strict=True) if was.status is not now.status]
    unsettled = [(f.target_document_id, f.target_quote) for f in contradicted]
    unsettled += [(r.target_document_id, r.obligation) for r in turned]
    tally = tally_of_rows(rows, _register(rules, focus), standing, unsettled, seeks_gaps)
    return standing, contradicted, rows, tally


def _without_false_figures(row: CoverageRow, pages: _Pages) -> CoverageRow:
    labels = _labels(row.target_document, row.target_document_id, row.page, row.start, pages)
    return checked_row(row, [row.heading, *labels])


def _second_opinion(written: Sequence[Finding], drafted: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings that stand, and those whose quoted figures do not conflict, each with the reason."""
    standing, contradicted = list[Finding](), list[Finding]()
    for finding, draft in zip(written, drafted, strict=True):
        if told := contradiction(draft):
            contradicted.append(finding.model_copy(update={"support": f"Contradicted by its quotations: {told}."}))
        else:
            standing.append(finding)
    return standing, contradicted


def _without_invention(finding: Finding, passages: Sequence[Passage], source_title: str, pages: _Pages) -> Finding:
    labels = _labels(
        finding.target_document, finding.target_document_id, finding.target_page, finding.target_start, pages
    )
    headings = [
        p.heading or ""
        for p in passages
        if (p.document_id, p.page) == (finding.target_document_id, finding.target_page)
    ]
    return checked_finding(finding, [*labels, *headings, source_title])


_LABEL_CHARACTERS = 40


def _labels(document: str, document_id: str, page: int, start: int | None, pages: _Pages) -> list[str]:
    """What names the place of a quotation: its document, its page, and what stands before it in its line."""
    text = pages.get((document_id, page), "")
    line = text[: start or 0].rpartition("\n")[2][-_LABEL_CHARACTERS:]
    return [document, f"page {page}", line]


def _register(rules: Sequence[Unit], focus: str) -> list[tuple[str, str]]:
    """The obligations in the registers of the targets, whatever the engine: (document id, words)."""
    documents = dict.fromkeys(r.document for r in rules)
    scope = [u for d in documents for u in in_scope([r for r in rules if r.document == d], focus)]
    return [(u.document, u.text) for u in scope if u.kind.binds]
