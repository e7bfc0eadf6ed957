"""Findings as CSV, workbook and Word report (A8)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from docx import Document
from docx.oxml.ns import qn
from openpyxl import load_workbook

from policypal.domain.audits import (
    AuditedDocument,
    AuditReport,
    CoverageRow,
    CoverageStatus,
    Finding,
    FindingKind,
    OverallStatus,
    ReviewPair,
    Severity,
)
from policypal.domain.text import file_name
from policypal.export.reports import (
    CSV_COLUMNS,
    coverage_csv,
    csv_file,
    findings_csv,
    findings_xlsx,
    report_file_name,
)
from policypal.export.word_report import findings_docx

FORMULA = '=HYPERLINK("http://evil.example","click")'


def _finding(target: str, severity: Severity, **more: object) -> Finding:
    values: dict[str, object] = {
        "kind": FindingKind.CONFLICT, "target_document": target, "target_document_id": "t", "theme": "Records",
        "severity": severity, "consequence": "A breach,\nfollowed by a \"fine\".", "source_quote": FORMULA, "source_page": 2,
        "target_quote": "-10 days", "target_page": 3, "suggestion": "@all: +1", "confidence": 0.8,
    }  # fmt: skip
    return Finding(**{**values, **more})  # type: ignore[arg-type]


FINDINGS = (
    _finding("Rulebook (2025)", Severity.CRITICAL),
    _finding("Rulebook (2025)", Severity.LOW, kind=FindingKind.GAP, source_quote="", source_page=None, theme="\tTab"),
    _finding("Guideline", Severity.HIGH, source_verified=False, consequence="bell \x07 and \ud83d"),
)
REPORT = AuditReport(
    id="r", title="=Policy against rules", created_at=datetime(2025, 3, 1, 9, 30, tzinfo=UTC),
    overall_status=OverallStatus.MAJOR_VIOLATIONS, findings=FINDINGS, summary="Three findings.",
    targets_checked=("Rulebook (2025)", "Guideline"), not_assessed=("Page 9 has no text.",), source_title="Policy",
    coverage=(
        CoverageRow(obligation="Keep records", target_document_id="t", page=1, status=CoverageStatus.GAP, reason="None"),
    ),
    review=(
        ReviewPair(
            source_quote="=1+1 is said", source_page=4, target_document="Guideline", target_document_id="g", target_quote="(b) do it",
            target_introduction="You must:", target_page=5, relation=0.25,
        ),
    ),
    documents=(AuditedDocument(id="t", title="Rulebook (2025)", sha256="ab" * 32),),
)  # fmt: skip


def _rows() -> list[dict[str, str]]:
    text = findings_csv(REPORT, FINDINGS[:2]).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a8_csv_keeps_quotes_and_line_breaks_and_disarms_formulas() -> None:
    first, second = _rows()
    assert first["Consequence"] == FINDINGS[0].consequence
    assert (first["Policy quote"], first["Rule quote"], first["Suggestion"]) == (
        "'" + FORMULA,
        "'-10 days",
        "'@all: +1",
    )
    assert (first["Report"], second["Theme"]) == ("'=Policy against rules", "'\tTab")
    assert first["Created (UTC)"] == "2025-03-01 09:30:00"


@pytest.mark.parametrize("sign", list("=+-@＝＋－＠﹢﹣﹦﹫−"))
@pytest.mark.parametrize(
    "before",
    ["", " ", "\n", "\t", "\r", "\xa0", "\u3000", "\u200b", "\ufeff", "\u202e", "\x00", "\u3164 ", "\u00ad\u2060"],
    ids=ascii,
)
def test_a8_no_first_visible_character_begins_a_formula(before: str, sign: str) -> None:
    data = csv_file(("value",), [(f"{before}{sign}1+1",)]).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(data, newline=""))
    assert row["value"] == f"'{before}{sign}1+1"


def test_a8_what_begins_no_formula_is_left_alone() -> None:
    values = ["Keep 5 - 7 years", " indented", "“= quoted”", "(a) = b", "5", "", "€ 5", "§ 4"]
    data = csv_file(("value",), [(v,) for v in values]).decode("utf-8-sig")
    assert [row["value"] for row in csv.DictReader(io.StringIO(data, newline=""))] == values


def test_a8_csv_is_rfc_4180_with_a_byte_order_mark() -> None:
    data = findings_csv(REPORT, FINDINGS[:1])
    assert data.startswith(b"\xef\xbb\xbfNo.,Severity,Finding,")
    assert data.endswith(b"\r\n")
    assert data.count(b"\r\n") == 2


def test_a8_the_workbook_has_the_columns_of_the_csv_and_no_formula() -> None:
    book = load_workbook(io.BytesIO(findings_xlsx(REPORT, FINDINGS)))
    sheet = book["Findings"]
    assert book.sheetnames == ["Findings", "Report", "To review", "Coverage"]
    assert tuple(c.value for c in sheet[1]) == CSV_COLUMNS
    assert sheet.max_row == 1 + len(FINDINGS)
    assert not [c.coordinate for s in book for row in s.iter_rows() for c in row if c.data_type == "f"]
    shown = dict(zip(CSV_COLUMNS, (c.value for c in sheet[4]), strict=True))
    assert (shown["Rule page"], shown["Policy quote verified"], shown["Rule quote verified"]) == (
        3,
        "False",
        "True",
    )
    assert shown["Policy quote"] == "'" + FORMULA
    assert shown["Consequence"] == "bell  and "


def test_a8_a_sheet_scrolls_below_its_head_prints_across_and_says_how_tall_its_rows_are() -> None:
    long = _finding("Guideline", Severity.LOW, source_quote="word " * 100)
    register = ("Register", ("Regulation", "Obligation"), [("Guideline", "Keep records")])
    book = load_workbook(io.BytesIO(findings_xlsx(REPORT, [FINDINGS[0], long], None, [register])))
    sheet = book["Findings"]
    assert [c.value for c in book["Register"][2]] == ["Guideline", "Keep records"]
    assert (sheet.freeze_panes, book["Register"].freeze_panes) == ("D2", "A2")
    assert (sheet.page_setup.orientation, sheet.page_setup.fitToWidth, sheet.print_title_rows) == (
        "landscape",
        1,
        "$1:$1",
    )
    assert 0 < sheet.row_dimensions[2].height < sheet.row_dimensions[3].height <= 300
    assert sheet["B2"].fill.fgColor.rgb == f"00{Severity.CRITICAL.tint}"


def test_a8_word_pages_are_numbered_and_findings_grouped_by_regulation_whatever_their_order() -> None:
    mixed = sorted(FINDINGS, key=lambda f: f.severity.rank)
    document = Document(io.BytesIO(findings_docx(REPORT, mixed)))
    footer = document.sections[0].footer.paragraphs[0]
    assert [t.text.strip() for t in footer._p.iter(qn("w:instrText"))] == ["PAGE", "NUMPAGES"]
    heads = [p.text for p in document.paragraphs if p.style.name == "Heading 1"]
    assert [h for h in heads if h in ("Guideline", "Rulebook (2025)")] == ["Rulebook (2025)", "Guideline"]
    severities = document.tables[1].columns[0].cells[1:]
    assert [c._tc.tcPr.find(qn("w:shd")).get(qn("w:fill")) for c in severities] == [f.severity.tint for f in mixed]


def test_a8_the_workbook_tells_what_the_report_tells() -> None:
    book = load_workbook(io.BytesIO(findings_xlsx(REPORT, FINDINGS)))
    facts = [(row[0].value, row[1].value) for row in book["Report"].iter_rows(min_row=2)]
    assert ("Overall status", "Major Violations") in facts
    assert ("Not assessed", "Page 9 has no text.") in facts
    assert ("Audited file", f"Rulebook (2025), SHA-256 {'ab' * 32}") in facts
    assert [c.value for c in book["Coverage"][2]][2:5] == ["Keep records", 1, "Gap"]


def test_a8_without_coverage_there_is_no_coverage_sheet() -> None:
    report = REPORT.model_copy(update={"coverage": None, "review": ()})
    assert load_workbook(io.BytesIO(findings_xlsx(report, ()))).sheetnames == ["Findings", "Report"]


def test_a8_the_word_report_groups_by_target_and_quotes_letter_by_letter() -> None:
    document = Document(io.BytesIO(findings_docx(REPORT, FINDINGS)))
    headings = [p.text for p in document.paragraphs if p.style.name == "Heading 1"]
    assert [h.split(":")[0] for h in headings] == [
        "Findings at a glance", "Rulebook (2025)", "Guideline", "To review", "Coverage",
    ]  # fmt: skip
    assert [[c.text for c in row.cells][:3] for row in document.tables[-1].rows] == [
        ["Obligation", "Page", "Status"], ["Keep records", "1", "Gap"],
    ]  # fmt: skip
    cells = [c.text for t in document.tables for row in t.rows for c in row.cells]
    assert f"“{FORMULA}”" in cells and f"{FORMULA} (not verified)" in cells
    assert any(c.startswith("No passage found in the") for c in cells) and "none found" in cells
    links = [h.get(qn("w:anchor")) for h in document.element.body.iter(qn("w:hyperlink"))]
    marks = [m.get(qn("w:name")) for m in document.element.body.iter(qn("w:bookmarkStart"))]
    titles = [p.text for p in document.paragraphs if p.style.name in ("Heading 1", "Heading 2")]
    assert links == marks and len(marks) == len(titles), "the contents lead to every heading, in order"
    kinds = [f.get(qn("w:fldCharType")) for f in document.element.body.iter(qn("w:fldChar"))]
    assert kinds == ["begin", "separate", "end"]


def test_a8_the_columns_of_word_tables_are_as_wide_as_what_they_hold_in_every_program() -> None:
    """Word goes by the cells, others by the grid of the table."""
    document = Document(io.BytesIO(findings_docx(REPORT, FINDINGS)))
    section = document.sections[0]
    room = (section.page_width or 0) - (section.left_margin or 0) - (section.right_margin or 0)
    for table in document.tables:
        widths = [column.width or 0 for column in table.columns]
        assert [cell.width for cell in table.rows[0].cells] == widths
        assert 0.97 * room < sum(widths) <= room
    glance = next(t for t in document.tables if t.rows[0].cells[0].text == "Severity")
    severity, finding, *_ = (column.width or 0 for column in glance.columns)
    assert finding > 3 * severity


def test_a8_text_no_file_can_hold_does_not_keep_the_rest_from_being_exported() -> None:
    assert "bell \x07 and ?" in findings_csv(REPORT, FINDINGS).decode("utf-8-sig")


@pytest.mark.parametrize("export", [findings_xlsx, findings_docx])
def test_a8_only_the_shown_findings_are_exported(export: Callable[[AuditReport, Sequence[Finding]], bytes]) -> None:
    assert len(export(REPORT, FINDINGS[:1])) < len(export(REPORT, FINDINGS * 20))


def test_a4_every_file_says_the_verdict_and_keeps_contradicted_findings_apart() -> None:
    aside = _finding("Guideline", Severity.CRITICAL, theme="Ten years", support="The figures quoted do not conflict.")
    report = REPORT.model_copy(update={"findings": FINDINGS, "contradicted": (aside,), "judged": 3, "obligations": 9})
    (first, *_) = csv.DictReader(io.StringIO(findings_csv(report, FINDINGS[:1]).decode("utf-8-sig"), newline=""))
    assert first["Verdict"].startswith("Major Violations (3 of 9 judged") and "Ten years" not in first.values()
    book = load_workbook(io.BytesIO(findings_xlsx(report, FINDINGS)))
    assert ("Verdict", report.verdict) in {row[:2] for row in book["Report"].iter_rows(values_only=True)}
    assert len(list(book["Findings"].rows)) == len(FINDINGS) + 1
    assert "The figures quoted do not conflict." in [cell.value for cell in list(book["Contradicted"].rows)[1]]
    document = Document(io.BytesIO(findings_docx(report, FINDINGS)))
    paragraphs = [p.text for p in document.paragraphs]
    assert report.verdict in [row.cells[1].text for row in document.tables[0].rows]
    assert "Note: The figures quoted do not conflict." in paragraphs
    titles = [p.text for p in document.paragraphs if p.style.name.startswith("Heading")]
    assert titles.index("Contradicted by their own quotations, not counted") < titles.index("Critical: Ten years")


def test_a4_a_csv_without_findings_still_says_the_verdict() -> None:
    report = REPORT.model_copy(update={"findings": (), "overall_status": OverallStatus.CANNOT_BE_JUDGED})
    (only,) = csv.DictReader(io.StringIO(findings_csv(report, ()).decode("utf-8-sig"), newline=""))
    assert (only["Verdict"], only["Severity"]) == ("Cannot be judged", "")


def test_a8_coverage_is_exported_too() -> None:
    assert REPORT.coverage is not None
    (row,) = csv.DictReader(io.StringIO(coverage_csv(REPORT.coverage).decode("utf-8-sig"), newline=""))
    assert (row["Obligation"], row["Page"], row["Status"], row["Reason"]) == ("Keep records", "1", "Gap", "None")


def test_a4_what_is_to_review_is_in_the_workbook_and_the_word_report() -> None:
    sheet = load_workbook(io.BytesIO(findings_xlsx(REPORT, FINDINGS)))["To review"]
    said, ruled = ([c.value for c in row] for row in sheet.iter_rows(min_row=1, max_row=2))
    assert dict(zip(said, ruled, strict=True))["Policy quote"] == "'=1+1 is said"
    assert dict(zip(said, ruled, strict=True))["Introduction"] == "You must:"
    tables = Document(io.BytesIO(findings_docx(REPORT, FINDINGS))).tables
    beside = [[c.text for c in row.cells] for t in tables for row in t.rows]
    assert ["“=1+1 is said”, page 4", "page 5: “You must: (b) do it”"] in beside, (
        "one regulation is not named again and again"
    )


def test_a8_a_file_is_named_after_policy_targets_and_date_in_whole_words() -> None:
    assert report_file_name(REPORT) == "Policy_against_Rulebook-2025_Guideline_2025-03-01"
    many = REPORT.model_copy(update={"targets_checked": ("A", "B", "C", "D"), "source_title": "", "created_at": None})
    assert report_file_name(many) == "Text_against_A_B_2-more"
    long = " ".join(["Überaus", "langer", "Titel"] * 30)
    kept = file_name(long).split("-")
    assert set(kept) == {"Überaus", "langer", "Titel"} and len(file_name(long).encode()) <= 70
    assert file_name("../..") == "policypal"
