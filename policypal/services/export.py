"""Findings as files: CSV and a workbook that a spreadsheet opens safely, and a Word report (A8)."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from policypal.domain.audits import AuditReport, CoverageRow, Finding, FindingKind

if TYPE_CHECKING:
    from openpyxl import Workbook

CSV_COLUMNS = (
    "report", "created_at", "overall_status", "target_document", "severity", "kind", "theme", "consequence",
    "source_document", "source_page", "source_quote", "target_quote", "target_page", "suggestion", "confidence",
    "source_verified", "target_verified",
)  # fmt: skip
COVERAGE_COLUMNS = ("obligation", "page", "status", "policy_quote", "policy_page", "reason")
_FORMULA_STARTS = frozenset("=+-@−")
_LINE_STARTS = ("\t", "\r", "\n")
_FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Characters that show nothing although Unicode calls them letters or marks."""
_MAX_CELL = 32_767  # what a spreadsheet cell holds
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_COLUMN_WIDTHS = {
    "consequence": 50,
    "source_quote": 60,
    "target_quote": 60,
    "suggestion": 50,
    "obligation": 70,
    "reason": 50,
}


def neutralised(value: object) -> str:
    """The value as text. Where its first visible character is one that a spreadsheet would begin a formula with, in any of
    its forms (full-width, small), or where it begins with a tab or a line break, an apostrophe disarms it (A8)."""
    text = "" if value is None else str(value)
    first = next((c for c in text if not _is_unseen(c)), "")
    begins_formula = unicodedata.normalize("NFKC", first)[:1] in _FORMULA_STARTS
    return "'" + text if begins_formula or text.startswith(_LINE_STARTS) else text


def _is_unseen(character: str) -> bool:
    """White space, controls, marks of order and width, and other characters that take no ink."""
    return character.isspace() or character in _FILLERS or unicodedata.category(character) in ("Cc", "Cf", "Mn", "Me")


def findings_csv(report: AuditReport, findings: Sequence[Finding]) -> bytes:
    """One line per finding in the given order, see :func:`csv_file`."""
    return csv_file(CSV_COLUMNS, _rows(report, findings))


def csv_file(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """RFC 4180 CSV, UTF-8 with a byte-order mark, no cell a formula."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([neutralised(v) for v in row])
    return b"\xef\xbb\xbf" + buffer.getvalue().encode("utf-8", errors="replace")


def findings_xlsx(report: AuditReport, findings: Sequence[Finding]) -> bytes:
    """A workbook: the findings with the columns of the CSV, the report's own facts, and the coverage if there is one."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.worksheets[0])
    _sheet(book, "Findings", CSV_COLUMNS, _rows(report, findings))
    _sheet(book, "Report", ("fact", "value"), _facts(report))
    if report.coverage is not None:
        _sheet(book, "Coverage", COVERAGE_COLUMNS, map(_coverage_row, report.coverage))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def findings_docx(report: AuditReport, findings: Sequence[Finding]) -> bytes:
    """A Word report of everything the CSV has, grouped by target in the given order. Nothing in it is a formula, so
    quotations stay letter by letter."""
    from docx import Document

    document = Document()
    document.add_heading(office_text(report.title) or "Audit report", level=0)
    for name, value in _facts(report):
        document.add_paragraph(office_text(f"{name}: {value}"))
    for target, group in groupby(findings, key=lambda f: f.target_document):
        document.add_heading(office_text(target), level=1)
        for finding in group:
            document.add_heading(office_text(f"{finding.severity.value}: {finding.theme}"), level=2)
            for label, text in _paragraphs(report, finding):
                paragraph = document.add_paragraph()
                paragraph.add_run(f"{label}: ").bold = True
                paragraph.add_run(office_text(text))
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _rows(report: AuditReport, findings: Sequence[Finding]) -> Iterator[tuple[object, ...]]:
    for f in findings:
        yield (
            report.title, _created(report), report.overall_status, f.target_document, f.severity, f.kind, f.theme,
            f.consequence, report.source_title, f.source_page, f.source_quote, f.target_quote, f.target_page,
            f.suggestion, f"{f.confidence:.2f}", f.source_verified, f.target_verified,
        )  # fmt: skip


def _facts(report: AuditReport) -> list[tuple[str, str]]:
    """What the report says besides its findings (A4, A5)."""
    facts = [
        ("Overall status", report.overall_status.value),
        ("Created (UTC)", _created(report)),
        ("Summary", report.summary),
        ("Source", report.source_title),
        *(("Target checked", title) for title in report.targets_checked),
        *(("Theme analysed", theme) for theme in report.themes_analyzed),
        *(("Not assessed", reason) for reason in report.not_assessed),
        *(("Audited file", f"{d.title}, SHA-256 {d.sha256}") for d in report.documents),
        ("Engine", ", ".join([report.engine, *report.models])),
    ]
    return [(name, value) for name, value in facts if value]


def _paragraphs(report: AuditReport, f: Finding) -> list[tuple[str, str]]:
    gap = f.kind is FindingKind.GAP
    source_page = f", page {f.source_page}" if f.source_page else ""
    source = f"{report.source_title}{source_page}".strip(", ")
    return [
        ("Missing; nearest passage" if gap else "Source", _quotation(source, f.source_quote, f.source_verified)),
        ("Requirement", _quotation(f"page {f.target_page}", f.target_quote, f.target_verified)),
        ("Consequence", f.consequence),
        ("Suggestion", f.suggestion),
        ("Confidence", f"{f.confidence:.2f}"),
    ]


def _quotation(where: str, quote: str, verified: bool) -> str:
    """An unverified quote loses its quotation marks (C2)."""
    if not quote:
        return "none found"
    said = f"“{quote}”" if verified else f"{quote} (not verified)"
    return f"{where}: {said}" if where else said


def _coverage_row(row: CoverageRow) -> tuple[object, ...]:
    return row.obligation, row.page, row.status, row.policy_quote, row.policy_page, row.reason


def _sheet(book: Workbook, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A sheet of texts and whole numbers only: no cell is a formula."""
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(title)
    sheet.append(list(columns))
    for row in rows:
        sheet.append(
            [v if type(v) is int else neutralised(office_text("" if v is None else str(v)))[:_MAX_CELL] for v in row]
        )
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for line in sheet.iter_rows(min_row=2):
        for cell in line:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
    for n, column in enumerate(columns, 1):
        sheet.column_dimensions[get_column_letter(n)].width = _COLUMN_WIDTHS.get(column, 18)
    sheet.freeze_panes = "A2"


def _created(report: AuditReport) -> str:
    return report.created_at.strftime("%Y-%m-%d %H:%M:%S") if report.created_at else ""


def office_text(text: str) -> str:
    """``text`` without the characters that office formats cannot hold."""
    return _NOT_XML.sub("", text)
