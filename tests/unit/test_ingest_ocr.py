"""Pages without text are recognised where ``ocrmypdf`` is installed (D7)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from policypal.errors import ExtractionLimit, NoReadableText
from policypal.ingest import ocr
from policypal.ingest.extract import ExtractionLimits, read
from policypal.ingest.ocr import Recognition
from policypal.ingest.sniff import PDF
from tests.support import pdf_factory
from tests.support.ocr_stand_in import ABSENT, install


def _recognise(folder: Path, data: bytes, languages: str = "eng", **more: object) -> tuple[Recognition, list[str]]:
    source, target = folder / "scan.pdf", folder / "readable.pdf"
    source.write_bytes(data)
    told: list[tuple[int, int]] = []
    found = ocr.recognise(
        source, read(source, PDF, limits=ExtractionLimits()), target, languages=languages, limits=ExtractionLimits(),
        on_progress=lambda done, total: told.append((done, total)), **more,  # type: ignore[arg-type]
    )  # fmt: skip
    assert told and told[0][0] == 0
    texts = [p.text for p in read(target, PDF, limits=ExtractionLimits()).pages] if target.exists() else []
    return found, texts


def test_d7_a_scan_gets_a_text_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, ["Recognised text of the scan."], "assert '--skip-text' in sys.argv, sys.argv")
    assert _recognise(tmp_path, pdf_factory.scanned_pdf(1)) == (Recognition((1,)), ["Recognised text of the scan."])


def test_d7_only_pages_without_text_are_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, ["The first page.", "The third page."])
    found, texts = _recognise(tmp_path, pdf_factory.scanned_pdf(3, text_on=[2]))
    assert found == Recognition((1, 3))
    assert texts == ["The first page.", "This page was typed and can be read by a machine.", "The third page."]


def test_d7_text_in_an_unusable_font_is_drawn_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, ["What the page shows."], "assert '--force-ocr' in sys.argv, sys.argv")
    assert _recognise(tmp_path, pdf_factory.unmapped_font_pdf())[1] == ["What the page shows."]


def test_d7_blank_pages_are_not_worth_recognising(tmp_path: Path) -> None:
    path = tmp_path / "blank.pdf"
    path.write_bytes(pdf_factory.blank_pdf(2))
    assert read(path, PDF, limits=ExtractionLimits()).unread == []


def test_d7_the_languages_are_those_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, ["Guten Tag."], "assert sys.argv[sys.argv.index('--language') + 1] == 'eng+deu'")
    assert _recognise(tmp_path, pdf_factory.scanned_pdf(1), "eng,deu")[1] == ["Guten Tag."]


def test_d7_failed_recognition_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, body="sys.exit(3)")
    found, texts = _recognise(tmp_path, pdf_factory.scanned_pdf(1))
    assert (found.pages, texts) == ((), [])
    assert isinstance(found.trouble, NoReadableText) and "OCR" in found.trouble.message


def test_d7_endless_recognition_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, body="time.sleep(60)")
    monkeypatch.setattr(ocr, "START_SECONDS", 0.5)
    monkeypatch.setattr(ocr, "SECONDS_PER_PAGE", 0.0)
    found, texts = _recognise(tmp_path, pdf_factory.scanned_pdf(20))
    assert (found.pages, texts) == ((), [])
    assert isinstance(found.trouble, ExtractionLimit) and "OCR" in found.trouble.message


def test_d4_recognition_ends_soon_after_nobody_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, body="time.sleep(60)")
    started = time.monotonic()
    with pytest.raises(InterruptedError):
        _recognise(tmp_path, pdf_factory.scanned_pdf(1), obstacle=InterruptedError)
    assert time.monotonic() - started < 20


def test_x3_the_program_does_not_see_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    install(tmp_path, monkeypatch, ["Nothing seen."], "import os; assert 'sk-very-secret' not in os.environ.values()")
    assert _recognise(tmp_path, pdf_factory.scanned_pdf(1))[1] == ["Nothing seen."]


def test_d7_without_the_program_it_is_known_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "PROGRAM", ABSENT)
    assert not ocr.is_available()
