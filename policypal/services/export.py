"""Findings as files a spreadsheet opens safely (A8)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from policypal.domain.audits import AuditReport, Finding

CSV_COLUMNS = (
    "report", "created_at", "overall_status", "target_document", "severity", "kind", "theme", "consequence",
    "source_document", "source_page", "source_quote", "target_quote", "target_page", "suggestion", "confidence",
    "source_verified", "target_verified",
)  # fmt: skip
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def neutralised(value: object) -> str:
    """The value as text; a leading character that a spreadsheet would run as a formula is disarmed with an apostrophe."""
    text = "" if value is None else str(value)
    return "'" + text if text.startswith(_FORMULA_STARTS) else text


def findings_csv(report: AuditReport, findings: Sequence[Finding]) -> bytes:
    """RFC 4180 CSV, UTF-8 with a byte-order mark, one line per finding in the given order."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(CSV_COLUMNS)
    created = report.created_at.strftime("%Y-%m-%d %H:%M:%S") if report.created_at else ""
    for f in findings:
        row = (
            report.title, created, report.overall_status, f.target_document, f.severity, f.kind, f.theme, f.consequence,
            report.source_title, f.source_page, f.source_quote, f.target_quote, f.target_page, f.suggestion,
            f"{f.confidence:.2f}", f.source_verified, f.target_verified,
        )  # fmt: skip
        writer.writerow([neutralised(v) for v in row])
    return b"\xef\xbb\xbf" + buffer.getvalue().encode("utf-8")
