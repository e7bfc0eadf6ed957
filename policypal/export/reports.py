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
    "No.", "Severity", "Finding", "Kind", "Status", "Owner", "Due", "Policy", "Policy clause", "Policy page", "Policy quote", "Regulation",
    "Rule", "Rule page", "Rule quote", "Consequence", "Suggestion", "Accepted wording", "Reason", "Accepted until", "Evidence", "Theme",
    "Confidence", "Policy quote verified", "Rule quote verified", "Support", "Report", "Created (UTC)", "Overall status", "Verdict",
)  # fmt: skip
"""What is worked with stands first, what all lines share last."""
COVERAGE_COLUMNS = (
    "Regulation", "Heading", "Obligation", "Page", "Status", "Policy quote", "Policy page", "Reason", "Bound party",
    "Deadline", "Threshold", "Condition", "Exception",
)  # fmt: skip
REVIEW_COLUMNS = (
    "Policy", "Policy clause", "Policy page", "Policy quote", "Regulation", "Rule", "Rule page", "Introduction", "Rule quote", "Relation",
    "Reason", "Decision", "Raised as", "Raised severity", "Decided by", "Decided at",
)  # fmt: skip
_FORMULA_STARTS = frozenset("=+-@−")
_LINE_STARTS = ("\t", "\r", "\n")
_FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Characters that show nothing although Unicode calls them letters or marks."""
_MAX_CELL = 32_767  # what a spreadsheet cell holds
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_COLUMN_WIDTHS = {
    "No.": 6, "Severity": 10, "Finding": 44, "Kind": 10, "Status": 13, "Due": 12, "Policy clause": 9, "Policy page": 8, "Rule": 12,
    "Rule page": 8, "Page": 7, "Consequence": 45, "Policy quote": 50, "Rule quote": 50, "Suggestion": 45, "Accepted wording": 45,
    "Obligation": 60, "Reason": 40, "Heading": 28, "Policy": 20, "Regulation": 20, "Note": 40, "Introduction": 30, "Text": 70, "Value": 90,
    "Fact": 24, "Report": 40,
}  # fmt: skip
"""In characters."""
_OTHER_WIDTH = 16
_FROZEN = {"Findings": "D2", "Contradicted": "D2"}
"""The cell that scrolls first: above and left of it everything stays in view."""
_LAST_PRINTED = "Rule quote"
"""What stands behind it in a sheet is for filters, and would make the letters too small."""
_HEAD_TINT = "DDE6EE"
_LINE_POINTS, _TALLEST = 13.5, 300.0
"""Heights of a line and of a row, in points: a row says how tall it is, because not every program finds out."""
_MOST_NAMED = 2


Sheet = tuple[str, Sequence[str], Iterable[Sequence[object]]]
"""Title, columns and rows."""


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
    report: AuditReport, findings: Sequence[Finding], decided: Mapping[str, Triage] | None = None, registers: Iterable[Sheet] = ()
) -> bytes:  # fmt: skip
    """A workbook: the findings with the columns of the CSV, the report's own facts, what is to review, the coverage if there is one, and the
    ``registers`` of the regulations."""
    coverage = (
        [("Coverage", COVERAGE_COLUMNS, map(coverage_row, report.coverage))] if report.coverage is not None else []
    )
    contradicted = [("Contradicted", CSV_COLUMNS, _rows(report, report.contradicted))] if report.contradicted else []
    review = [("To review", REVIEW_COLUMNS, _review_rows(report, report.review))] if report.review else []
    facts = ("Report", ("Fact", "Value"), facts_of(report))
    return workbook(
        [
            ("Findings", CSV_COLUMNS, _rows(report, findings, decided)),
            facts,
            *contradicted,
            *review,
            *coverage,
            *registers,
        ]
    )


def workbook(sheets: Iterable[Sheet]) -> bytes:
    """An XLSX file; no cell is a formula."""
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
    for number, f in enumerate(findings, 1):
        t = (decided or {}).get(f.id, UNTOUCHED)
        yield (
            number, f.severity, f.title, f.kind.value.capitalize(), t.status.label, t.owner, t.due_on, report.source_title, f.source_label,
            f.source_page, f.source_quote, f.target_document, f.target_label, f.target_page, f.target_quote, f.consequence, f.suggestion,
            t.wording, t.reason, t.expires_on, t.evidence, f.theme, f"{f.confidence:.2f}", f.source_verified, f.target_verified, f.support,
            report.title, _created(report), report.overall_status, report.verdict,
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
        ("Engine", ", ".join(dict.fromkeys([report.engine, *report.models]))),
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
            p.target_introduction, p.target_quote, f"{p.relation:.2f}", p.reason, *_decision(p),
        )  # fmt: skip


def _decision(pair: ReviewPair) -> tuple[object, ...]:
    d = pair.decision
    return (
        (d.outcome, d.delta, d.severity or "", d.decided_by, d.decided_at.strftime("%Y-%m-%d %H:%M"))
        if d
        else ("",) * 5
    )


def _sheet(book: Workbook, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A sheet of texts and whole numbers only: no cell is a formula. It prints across, as wide as the paper, its head on every page."""
    from openpyxl.styles import Alignment, Font, PatternFill
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(title)
    sheet.append(list(columns))
    widths = [_COLUMN_WIDTHS.get(column, _OTHER_WIDTH) for column in columns]
    for number, row in enumerate(rows, 2):
        cells = [
            v if type(v) is int else neutralised(office_text("" if v is None else str(v)))[:_MAX_CELL] for v in row
        ]
        sheet.append(cells)
        lines = max(_lines(str(v), width) for v, width in zip(cells, widths, strict=True))
        sheet.row_dimensions[number].height = min(_TALLEST, _LINE_POINTS * lines + 2)
    for cell in sheet[1]:
        cell.font = Font(bold=True)
        cell.fill = PatternFill("solid", fgColor=_HEAD_TINT)
    for line in sheet.iter_rows():
        for cell in line:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
    for n, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(n)].width = width
    sheet.freeze_panes = _FROZEN.get(title, "A2")
    sheet.auto_filter.ref = sheet.dimensions
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.print_title_rows = "1:1"
    if _LAST_PRINTED in columns:
        sheet.print_area = f"A1:{get_column_letter(columns.index(_LAST_PRINTED) + 1)}{sheet.max_row}"
    if "Severity" in columns:
        for row in sheet.iter_rows(min_row=2, min_col=(at := columns.index("Severity") + 1), max_col=at):
            row[0].fill = PatternFill("solid", fgColor=Severity(row[0].value).tint)


def _lines(words: str, width: int) -> int:
    """How many lines a cell of so many characters takes."""
    return sum(max(1, -(-len(line) * 11 // (width * 10))) for line in words.split("\n"))


def _created(report: AuditReport) -> str:
    return report.created_at.strftime("%Y-%m-%d %H:%M:%S") if report.created_at else ""


def office_text(text: str) -> str:
    """``text`` without the characters that office formats cannot hold."""
    return _NOT_XML.sub("", text)
