"""Scanned documents are recognised where ``ocrmypdf`` is installed, and otherwise refused (D7).

The program itself is not a dependency; a script stands in for it, and takes and returns what it does.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from policypal.errors import ExtractionLimit, NoReadableText
from policypal.services.ingest.extract import ExtractionLimits, extract
from policypal.services.ingest.sniff import PDF
from tests.support import pdf_factory


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf_factory.scanned_pdf(1))
    return path


def _install(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    programs = folder / "bin"
    programs.mkdir()
    (folder / "result.pdf").write_bytes(pdf_factory.text_pdf([["Recognised text of the scan."]]))
    script = programs / "ocrmypdf"
    script.write_text(f"#!{sys.executable}\nimport sys, shutil, time\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


def test_d7_scan_is_recognised_where_the_program_is_installed(
    scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(
        tmp_path,
        monkeypatch,
        f"assert open(sys.argv[-2], 'rb').read() == open({str(scan)!r}, 'rb').read()\n"
        f"shutil.copy({str(tmp_path / 'result.pdf')!r}, sys.argv[-1])",
    )
    document = extract(scan, PDF, limits=ExtractionLimits())
    assert document.pages[0].text == "Recognised text of the scan."


def test_d7_failed_recognition_is_said(scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(tmp_path, monkeypatch, "sys.exit(2)")
    with pytest.raises(NoReadableText, match="OCR"):
        extract(scan, PDF, limits=ExtractionLimits())


def test_d7_endless_recognition_is_stopped(scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(tmp_path, monkeypatch, "time.sleep(60)")
    monkeypatch.setattr("policypal.services.ingest.ocr.TIME_FACTOR", 0.5)
    with pytest.raises(ExtractionLimit, match="OCR"):
        extract(scan, PDF, limits=ExtractionLimits(seconds=3))
