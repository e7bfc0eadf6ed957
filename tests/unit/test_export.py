"""Findings as CSV, workbook and Word report (A8)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from docx import Document
from openpyxl import load_workbook

from policypal.domain.audits import (
    AuditedDocument,
    AuditReport,
    CoverageRow,
    CoverageStatus,
    Finding,
    FindingKind,
    OverallStatus,
    Severity,
)
from policypal.services.export import CSV_COLUMNS, csv_file, findings_csv, findings_docx, findings_xlsx

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
    documents=(AuditedDocument(id="t", title="Rulebook (2025)", sha256="ab" * 32),),
)  # fmt: skip


def _rows() -> list[dict[str, str]]:
    text = findings_csv(REPORT, FINDINGS[:2]).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a8_csv_keeps_quotes_and_line_breaks_and_disarms_formulas() -> None:
    first, second = _rows()
    assert first["consequence"] == FINDINGS[0].consequence
    assert (first["source_quote"], first["target_quote"], first["suggestion"]) == (
        "'" + FORMULA,
        "'-10 days",
        "'@all: +1",
    )
    assert (first["report"], second["theme"]) == ("'=Policy against rules", "'\tTab")
    assert first["created_at"] == "2025-03-01 09:30:00"


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
    assert data.startswith(b"\xef\xbb\xbfreport,")
    assert data.endswith(b"\r\n")
    assert data.count(b"\r\n") == 2


def test_a8_the_workbook_has_the_columns_of_the_csv_and_no_formula() -> None:
    book = load_workbook(io.BytesIO(findings_xlsx(REPORT, FINDINGS)))
    sheet = book["Findings"]
    assert book.sheetnames == ["Findings", "Report", "Coverage"]
    assert tuple(c.value for c in sheet[1]) == CSV_COLUMNS
    assert sheet.max_row == 1 + len(FINDINGS)
    assert not [c.coordinate for s in book for row in s.iter_rows() for c in row if c.data_type == "f"]
    shown = dict(zip(CSV_COLUMNS, (c.value for c in sheet[4]), strict=True))
    assert (shown["target_page"], shown["source_verified"], shown["target_verified"]) == (3, "False", "True")
    assert shown["source_quote"] == "'" + FORMULA
    assert shown["consequence"] == "bell  and "


def test_a8_the_workbook_tells_what_the_report_tells() -> None:
    book = load_workbook(io.BytesIO(findings_xlsx(REPORT, FINDINGS)))
    facts = [(row[0].value, row[1].value) for row in book["Report"].iter_rows(min_row=2)]
    assert ("Overall status", "Major Violations") in facts
    assert ("Not assessed", "Page 9 has no text.") in facts
    assert ("Audited file", f"Rulebook (2025), SHA-256 {'ab' * 32}") in facts
    assert [c.value for c in book["Coverage"][2]][:3] == ["Keep records", 1, "Gap"]


def test_a8_without_coverage_there_is_no_coverage_sheet() -> None:
    report = REPORT.model_copy(update={"coverage": None})
    assert load_workbook(io.BytesIO(findings_xlsx(report, ()))).sheetnames == ["Findings", "Report"]


def test_a8_the_word_report_groups_by_target_and_quotes_letter_by_letter() -> None:
    document = Document(io.BytesIO(findings_docx(REPORT, FINDINGS)))
    headings = [p.text for p in document.paragraphs if p.style.name == "Heading 1"]
    text = "\n".join(p.text for p in document.paragraphs)
    assert headings == ["Rulebook (2025)", "Guideline"]
    assert f"Policy, page 2: “{FORMULA}”" in text
    assert f"{FORMULA} (not verified)" in text
    assert "Missing; nearest passage: none found" in text


def test_a8_text_no_file_can_hold_does_not_keep_the_rest_from_being_exported() -> None:
    assert "bell \x07 and ?" in findings_csv(REPORT, FINDINGS).decode("utf-8-sig")


@pytest.mark.parametrize("export", [findings_xlsx, findings_docx])
def test_a8_only_the_shown_findings_are_exported(export: Callable[[AuditReport, Sequence[Finding]], bytes]) -> None:
    assert len(export(REPORT, FINDINGS[:1])) < len(export(REPORT, FINDINGS * 20))
