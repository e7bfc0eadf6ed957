"""An audit report as a Word document: contents, a table of the findings, each finding with both quotations, the coverage (A8, A10)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

from policypal.domain.audits import AuditReport, CoverageRow, Finding, FindingKind, ReviewPair, by_claim
from policypal.domain.triage import UNTOUCHED, Triage
from policypal.export.ooxml import add_bookmark, element, keep_rows_whole, link, repeat_head, saved
from policypal.export.reports import COVERAGE_COLUMNS, coverage_row, facts_of, office_text

_COVERAGE = ("Obligation", "Page", "Status", "Policy quote", "Policy page", "Reason")
_COVERAGE_WIDTHS = (5.0, 1.6, 2.0, 4.0, 1.7, 3.2)
_FACT_WIDTHS = (3.5, 14.0)
_QUOTATION_WIDTHS = (8.75, 8.75)
_REVIEW_WIDTHS = (6.0, 11.5)
_GLANCE_WIDTHS = (2.2, 7.7, 1.7, 2.1, 2.0, 1.8)
"""Centimetres; together as wide as a page between its margins."""
_PAGE, _MARGIN = (21.0, 29.7), 1.75
_GLANCE = ("Severity", "Finding", "Rule", "Status", "Owner", "Due")


def findings_docx(
    report: AuditReport, findings: Sequence[Finding], decided: Mapping[str, Triage] | None = None
) -> bytes:
    """A Word report of everything the CSV has, grouped by target in the given order, and of the coverage. Nothing in it is a formula, so
    quotations stay letter by letter."""
    titles = list(dict.fromkeys((*report.targets_checked, *(f.target_document for f in findings))))

    def order(finding: Finding) -> int:
        return titles.index(finding.target_document)

    word = _Report(report)
    word.begin()
    if findings:
        word.heading("Findings at a glance", 1)
        word.table(_GLANCE, [_glance(f, (decided or {}).get(f.id, UNTOUCHED)) for f in findings], _GLANCE_WIDTHS)
        word.tint([f.severity.tint for f in findings])
    for target, group in groupby(sorted(findings, key=order), key=order):
        word.heading(titles[target], 1)
        word.findings(group, decided or {})
    if report.contradicted:
        word.heading("Contradicted by their own quotations, not counted", 1)
        word.findings(report.contradicted, {})
    if report.review:
        word.heading("To review: statements beside the rules nearest to them, which no engine judged", 1)
        word.review()
    if report.coverage:
        word.heading("Coverage", 1)
        word.coverage(report.coverage)
    return word.saved()


class _Report:
    """The document while it is being written; its headings become its contents."""

    def __init__(self, report: AuditReport) -> None:
        from docx import Document
        from docx.shared import Cm, Pt

        self._report = report
        self._document = Document()
        self._document.styles["Table Grid"].font.size = Pt(9)
        for section in self._document.sections:
            section.page_width, section.page_height = Cm(_PAGE[0]), Cm(_PAGE[1])
            section.left_margin = section.right_margin = Cm(_MARGIN)
            _write_footer(section.footer.paragraphs[0], report.title)
        self._headings: list[tuple[int, str, str]] = []
        self._contents: Any = None

    def begin(self) -> None:
        """Title, facts, and the place of the contents."""
        from docx.shared import Pt

        self._document.add_heading(office_text(self._report.title) or "Audit report", level=0)
        self.table((), facts_of(self._report), _FACT_WIDTHS)
        contents = self._document.add_paragraph()
        contents.paragraph_format.space_before = Pt(12)
        contents.add_run("Contents").bold = True
        self._contents = self._document.add_paragraph()

    def heading(self, words: str, level: int) -> None:
        """A heading that the contents lead to."""
        paragraph = self._document.add_heading(level=level)
        number = len(self._headings) + 1
        name = f"_Toc{number:06d}"
        add_bookmark(paragraph, number, name, office_text(words))
        self._headings.append((level, words, name))

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]], widths: Sequence[float]) -> None:
        """A grid; with ``columns`` its first row names them and is repeated on every page. ``widths`` in centimetres."""
        from docx.shared import Cm

        width = len(columns or rows[0])
        lines = [*([columns] if columns else []), *rows]
        table = self._document.add_table(rows=len(lines), cols=width, style="Table Grid")
        cells = table._cells  # asking the table for a cell reads all of it each time
        table.autofit = False
        for column, centimetres in zip(table.columns, widths, strict=True):  # what other programs go by
            column.width = Cm(centimetres)
        keep_rows_whole(table)
        for place, (cell, words) in enumerate(zip(cells, chain(*lines), strict=True)):
            cell.width = Cm(widths[place % width])
            cell.text = "" if words is None else office_text(str(words))
        bold = cells[:width] if columns else cells[::width]
        for cell in bold:
            for run in cell.paragraphs[0].runs:
                run.bold = True
        if columns:
            repeat_head(table)
            for cell in bold:  # no head without its first row
                cell.paragraphs[0].paragraph_format.keep_with_next = True

    def tint(self, colours: Sequence[str]) -> None:
        """The grounds of the first column of the table that was written last, below its head."""
        cells = self._document.tables[-1].columns[0].cells[1:]
        for cell, colour in zip(cells, colours, strict=True):
            cell._tc.get_or_add_tcPr().append(element("shd", {"val": "clear", "color": "auto", "fill": colour}))

    def findings(self, findings: Iterable[Finding], decided: Mapping[str, Triage]) -> None:
        """Each with its title, both quotations side by side, what follows, and what was decided."""
        from docx.shared import Pt

        for f in findings:
            self.heading(f"{f.severity.value}: {f.title}", 2)
            is_gap = f.kind is FindingKind.GAP
            policy = f"No passage found in the {f.side.lower()}; nearest one" if is_gap else f.side
            page = f", page {f.source_page}" if f.source_page else ""
            rule = f"Rule {f.target_label}".strip()
            self.table(
                (f"{policy}{page}", f"{rule}, page {f.target_page}"),
                [(_quotation(f.source_quote, f.source_verified), _quotation(f.target_quote, f.target_verified))],
                _QUOTATION_WIDTHS,
            )
            for n, (label, words) in enumerate([*_paragraphs(f), *_decision(decided.get(f.id, UNTOUCHED))]):
                paragraph = self._document.add_paragraph()
                paragraph.paragraph_format.space_before, paragraph.paragraph_format.space_after = (
                    Pt(0 if n else 6),
                    Pt(4),
                )
                paragraph.add_run(f"{label}: ").bold = True
                paragraph.add_run(office_text(words))

    def review(self) -> None:
        """A row per claim with the rules beside it; their document is named where there are several."""
        is_one = len({p.target_document for p in self._report.review}) == 1
        rows = [
            (_claim(pairs[0]), "\n".join(_rule(p, is_one) for p in pairs)) for pairs in by_claim(self._report.review)
        ]
        self.table(("Statement", "Rules nearest to it"), rows, _REVIEW_WIDTHS)

    def coverage(self, rows: Sequence[CoverageRow]) -> None:
        """A table per document, a row per obligation."""
        for title, group in groupby(rows, key=lambda r: r.target_document):
            self.heading(title, 2)
            chosen = [COVERAGE_COLUMNS.index(c) for c in _COVERAGE]
            self.table(_COVERAGE, [[coverage_row(r)[n] for n in chosen] for r in group], _COVERAGE_WIDTHS)

    def saved(self) -> bytes:
        """The file, with its contents."""
        if self._headings:
            self._write_contents()
        return saved(self._document)

    def _write_contents(self) -> None:
        """A field that Word brings up to date, already filled with links to the headings."""
        lines = [*(self._contents.insert_paragraph_before() for _ in self._headings[1:]), self._contents]
        _field(lines[0], "begin")
        _field(lines[0], "instr", ' TOC \\o "1-2" \\h \\z ')
        _field(lines[0], "separate")
        for line, (level, words, name) in zip(lines, self._headings, strict=True):
            link(line, name).add_text(office_text(words))
            line.paragraph_format.left_indent = (level - 1) * 220_000
        _field(lines[-1], "end")


def _claim(pair: ReviewPair) -> str:
    return f"“{pair.source_quote}”{f', page {pair.source_page}' if pair.source_page else ''}"


def _rule(pair: ReviewPair, is_one: bool) -> str:
    where = [
        *([] if is_one else [pair.target_document]),
        *([pair.target_label] if pair.target_label else []),
        f"page {pair.target_page}",
    ]
    rule = f"{pair.target_introduction} {pair.target_quote}".strip()
    decided = f" [{pair.decision.words}, {pair.decision.decided_by}]" if pair.decision else ""
    return f"{', '.join(where)}: “{rule}”{' ' + pair.reason if pair.reason else ''}{decided}"


def _write_footer(paragraph: Any, title: str) -> None:
    """The title, the number of the page and of all pages."""
    from docx.shared import Pt

    paragraph.add_run(f"{office_text(title)} · page ")
    for code, between in (("PAGE", " of "), ("NUMPAGES", "")):
        _field(paragraph, "begin")
        _field(paragraph, "instr", f" {code} ")
        _field(paragraph, "separate")
        paragraph.add_run("1")
        _field(paragraph, "end")
        paragraph.add_run(between)
    for run in paragraph.runs:
        run.font.size = Pt(8)


def _field(paragraph: Any, kind: str, words: str = "") -> None:
    told = element("instrText") if words else element("fldChar", {"fldCharType": kind})
    told.text = words or None
    paragraph.add_run()._r.append(told)


def _glance(finding: Finding, triage: Triage) -> tuple[object, ...]:
    due = f"{triage.due_on:%d %b %Y}" if triage.due_on else ""
    rule = finding.target_label or f"p. {finding.target_page}"
    return finding.severity.value, finding.title, rule, triage.status.label, triage.owner, due


def _decision(triage: Triage) -> list[tuple[str, str]]:
    """What was decided about a finding; nothing where nobody has."""
    if triage == UNTOUCHED:
        return []
    told = [
        triage.status.label,
        *([f"owner {triage.owner}"] if triage.owner else []),
        *([f"due {triage.due_on:%d %b %Y}"] if triage.due_on else []),
        *([triage.reason] if triage.reason else []),
        *([f"accepted until {triage.expires_on:%d %b %Y}"] if triage.expires_on else []),
        *([f"evidence: {triage.evidence}"] if triage.evidence else []),
    ]
    return [("Status", "; ".join(told)), *([("Accepted wording", triage.wording)] if triage.wording else [])]


def _paragraphs(f: Finding) -> list[tuple[str, str]]:
    return [
        ("Consequence", f.consequence),
        ("Suggestion", f.suggestion),
        ("Confidence", f"{f.confidence:.2f}"),
        *([("Note", f.support)] if f.support else []),
    ]


def _quotation(quote: str, verified: bool) -> str:
    """An unverified quote loses its quotation marks (C2)."""
    if not quote:
        return "none found"
    return f"“{quote}”" if verified else f"{quote} (not verified)"
