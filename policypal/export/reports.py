"""Findings as files: CSV and a workbook that a spreadsheet opens safely (A8)."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from policypal.domain.audits import AuditReport, CoverageRow, Finding, ReviewPair, Severity
from policypal.domain.extents import reading_line
from policypal.domain.text import file_name
from policypal.domain.triage import UNTOUCHED, Triage

if TYPE_CHECKING:
    from openpyxl import Workbook

CSV_COLUMNS = (
    "Report", "Created (UTC)", "Overall status", "Target document", "Severity", "Kind", "Theme", "Consequence",
    "Source document", "Source page", "Source quote", "Target quote", "Target page", "Suggestion", "Confidence",
    "Source quote verified", "Target quote verified", "Support", "Verdict", "Delta", "Status", "Owner", "Due", "Reason", "Accepted until",
    "Evidence",
)  # fmt: skip
COVERAGE_COLUMNS = (
    "Document", "Heading", "Obligation", "Page", "Status", "Policy quote", "Policy page", "Reason", "Bound party",
    "Deadline", "Threshold", "Condition", "Exception",
)  # fmt: skip
REVIEW_COLUMNS = (
    "Source document", "Source number", "Source page", "Source quote", "Target document", "Target number", "Target page",
    "Target introduction", "Target quote", "Relation", "Reason",
)  # fmt: skip
_FORMULA_STARTS = frozenset("=+-@−")
_LINE_STARTS = ("\t", "\r", "\n")
_FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Characters that show nothing although Unicode calls them letters or marks."""
_MAX_CELL = 32_767  # what a spreadsheet cell holds
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_COLUMN_WIDTHS = {
    "Consequence": 50, "Source quote": 60, "Target quote": 60, "Suggestion": 50, "Obligation": 70, "Policy quote": 60,
    "Reason": 50, "Heading": 30, "Document": 30, "Note": 40,
}  # fmt: skip
_MOST_NAMED = 2


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


def findings_csv(
    report: AuditReport, findings: Sequence[Finding], decided: Mapping[str, Triage] | None = None
) -> bytes:
    """One line per finding in the given order with what was ``decided`` about it, see :func:`csv_file`. A report without any has one line all the same, with
    its verdict and no finding: an empty table would say that nothing is wrong."""
    return csv_file(CSV_COLUMNS, _rows(report, findings, decided) if report.findings else [_verdict_row(report)])


def coverage_csv(rows: Iterable[CoverageRow]) -> bytes:
    """One line per obligation in the given order, see :func:`csv_file` (A6)."""
    return csv_file(COVERAGE_COLUMNS, map(coverage_row, rows))


def review_csv(report: AuditReport, pairs: Iterable[ReviewPair]) -> bytes:
    """One line per claim and rule that nobody judged, in the given order, see :func:`csv_file` (A4)."""
    return csv_file(REVIEW_COLUMNS, _review_rows(report, pairs))


def report_file_name(report: AuditReport) -> str:
    """What was audited against what, and when, without an extension: whole words (A8)."""
    named = report.targets_checked[:_MOST_NAMED]
    more = len(report.targets_checked) - len(named)
    targets = [*named, *([f"{more} more"] if more > 0 else [])]
    made = [report.created_at.strftime("%Y-%m-%d")] if report.created_at else []
    sides = [file_name(report.source_title or "Text"), "against", *(file_name(t) for t in targets), *made]
    return "_".join(sides) if report.targets_checked else "_".join([file_name(report.title or "Audit"), *made])


def csv_file(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """RFC 4180 CSV, UTF-8 with a byte-order mark, no cell a formula."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([neutralised(v) for v in row])
    return b"\xef\xbb\xbf" + buffer.getvalue().encode("utf-8", errors="replace")


def findings_xlsx(
    report: AuditReport, findings: Sequence[Finding], decided: Mapping[str, Triage] | None = None
) -> bytes:
    """A workbook: the findings with the columns of the CSV, the report's own facts, what is to review, and the coverage if there
    is one."""
    coverage = (
        [("Coverage", COVERAGE_COLUMNS, map(coverage_row, report.coverage))] if report.coverage is not None else []
    )
    contradicted = [("Contradicted", CSV_COLUMNS, _rows(report, report.contradicted))] if report.contradicted else []
    review = [("To review", REVIEW_COLUMNS, _review_rows(report, report.review))] if report.review else []
    facts = ("Report", ("fact", "value"), facts_of(report))
    return workbook(
        [("Findings", CSV_COLUMNS, _rows(report, findings, decided)), facts, *contradicted, *review, *coverage]
    )


def workbook(sheets: Iterable[tuple[str, Sequence[str], Iterable[Sequence[object]]]]) -> bytes:
    """An XLSX file of (title, columns, rows) per sheet; no cell is a formula."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.worksheets[0])
    for title, columns, rows in sheets:
        _sheet(book, title, columns, rows)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _verdict_row(report: AuditReport) -> tuple[object, ...]:
    told = {"Report": report.title, "Created (UTC)": _created(report), "Overall status": report.overall_status}
    return tuple({**told, "Verdict": report.verdict}.get(column, "") for column in CSV_COLUMNS)


def _rows(
    report: AuditReport, findings: Sequence[Finding], decided: Mapping[str, Triage] | None = None
) -> Iterator[tuple[object, ...]]:
    for f in findings:
        t = (decided or {}).get(f.id, UNTOUCHED)
        yield (
            report.title, _created(report), report.overall_status, f.target_document, f.severity, f.kind, f.theme,
            f.consequence, report.source_title, f.source_page, f.source_quote, f.target_quote, f.target_page,
            f.suggestion, f"{f.confidence:.2f}", f.source_verified, f.target_verified, f.support, report.verdict, f.delta,
            t.status.label, t.owner, t.due_on, t.reason, t.expires_on, t.evidence,
        )  # fmt: skip


def facts_of(report: AuditReport) -> list[tuple[str, str]]:
    """What the report says besides its findings (A4, A5)."""
    facts = [
        ("Overall status", report.overall_status.value),
        ("Verdict", report.verdict),
        ("Created (UTC)", _created(report)),
        ("Summary", report.summary),
        ("Read", reading_line(report.reading)),
        ("Audited", report.source_title),
        ("Limited to", report.focus),
        *(("Against", title) for title in report.targets_checked),
        ("Themes analysed", ", ".join(report.themes_analyzed)),
        *(("Not assessed", reason) for reason in report.not_assessed),
        *(("Audited file", f"{d.title}, SHA-256 {d.sha256}") for d in report.documents),
        ("Engine", ", ".join([report.engine, *report.models])),
    ]
    return [(name, value) for name, value in facts if value]


def coverage_row(row: CoverageRow) -> tuple[object, ...]:
    return (
        row.target_document, row.heading, row.obligation, row.page, row.status, row.policy_quote, row.policy_page, row.reason,
        row.bound_party, row.deadline, row.threshold, row.condition, row.exception,
    )  # fmt: skip


def _review_rows(report: AuditReport, pairs: Iterable[ReviewPair]) -> Iterator[tuple[object, ...]]:
    for p in pairs:
        yield (
            report.source_title, p.source_label, p.source_page, p.source_quote, p.target_document, p.target_label, p.target_page,
            p.target_introduction, p.target_quote, f"{p.relation:.2f}", p.reason,
        )  # fmt: skip


def _sheet(book: Workbook, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A sheet of texts and whole numbers only: no cell is a formula."""
    from openpyxl.styles import Alignment, Font, PatternFill
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
    sheet.auto_filter.ref = sheet.dimensions
    if "Severity" in columns:
        for row in sheet.iter_rows(min_row=2, min_col=(at := columns.index("Severity") + 1), max_col=at):
            row[0].fill = PatternFill("solid", fgColor=Severity(row[0].value).tint)


def _created(report: AuditReport) -> str:
    return report.created_at.strftime("%Y-%m-%d %H:%M:%S") if report.created_at else ""


def office_text(text: str) -> str:
    """``text`` without the characters that office formats cannot hold."""
    return _NOT_XML.sub("", text)
