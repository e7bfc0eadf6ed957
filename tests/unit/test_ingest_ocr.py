"""Pages without text are recognised where ``ocrmypdf`` (D7) or ``rapidocr`` (D13) is installed."""

from __future__ import annotations

import ctypes
import io
import math
import time
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest

from policypal.errors import ExtractionLimit, NoReadableText
from policypal.ingest import ocr, rapid
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


@pytest.mark.parametrize(
    ("data", "languages", "check"),
    [
        (pdf_factory.scanned_pdf(1), "eng", "'--skip-text' in sys.argv, sys.argv"),
        (pdf_factory.unmapped_font_pdf(), "eng", "'--force-ocr' in sys.argv, sys.argv"),
        (pdf_factory.scanned_pdf(1), "eng,deu", "sys.argv[sys.argv.index('--language') + 1] == 'eng+deu'"),
        (pdf_factory.scanned_pdf(1), "eng", "'sk-very-secret' not in __import__('os').environ.values()"),
    ],
    ids=["scan", "unusable font", "languages of the settings", "no secrets (X3)"],
)
def test_d7_a_page_gets_a_text_layer(
    data: bytes, languages: str, check: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    install(tmp_path, monkeypatch, ["Recognised text."], f"assert {check}")
    assert _recognise(tmp_path, data, languages) == (Recognition((1,)), ["Recognised text."])


def test_d7_only_pages_without_text_are_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, ["The first page.", "The third page."])
    found, texts = _recognise(tmp_path, pdf_factory.scanned_pdf(3, text_on=[2]))
    assert found == Recognition((1, 3))
    assert texts == ["The first page.", "This page was typed and can be read by a machine.", "The third page."]


def test_d7_blank_pages_are_not_worth_recognising(tmp_path: Path) -> None:
    path = tmp_path / "blank.pdf"
    path.write_bytes(pdf_factory.blank_pdf(2))
    assert read(path, PDF, limits=ExtractionLimits()).unread == []


@pytest.mark.parametrize(
    ("body", "seconds", "trouble"),
    [("sys.exit(3)", ocr.START_SECONDS, NoReadableText), ("time.sleep(60)", 0.5, ExtractionLimit)],
    ids=["fails", "never ends"],
)
def test_d7_recognition_that_comes_to_nothing_is_said(
    body: str, seconds: float, trouble: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, body=body)
    monkeypatch.setattr(ocr, "START_SECONDS", seconds)
    monkeypatch.setattr(ocr, "SECONDS_PER_PAGE", 0.0)
    found, texts = _recognise(tmp_path, pdf_factory.scanned_pdf(20))
    assert (found.pages, texts) == ((), [])
    assert isinstance(found.trouble, trouble) and "OCR" in found.trouble.message  # type: ignore[union-attr]


def test_d4_recognition_ends_soon_after_nobody_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, body="time.sleep(60)")
    started = time.monotonic()
    with pytest.raises(InterruptedError):
        _recognise(tmp_path, pdf_factory.scanned_pdf(1), obstacle=InterruptedError)
    assert time.monotonic() - started < 20


def test_d13_ocrmypdf_comes_first_and_nothing_is_known_to_be_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch)
    assert ocr.program() == "ocrmypdf"
    monkeypatch.setattr(ocr, "PROGRAM", ABSENT)
    monkeypatch.setattr(ocr, "RAPID", ABSENT)
    assert not ocr.program()


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_d13_recognised_lines_stand_invisibly_where_they_were_found(rotation: int) -> None:
    document = pdfium.PdfDocument.new()
    page = document.new_page(600, 800)
    page.set_cropbox(20, 40, 580, 760)
    page.set_rotation(rotation)
    picture = page.render(scale=2)
    lines = [
        _line(100, 100, "Records – kept for “five” years – are reviewed."),
        _line(100, 160, "中文 Second line, été."),
    ]
    rapid.add_text_layer(document, page, (picture.width, picture.height), [*lines, _line(100, 220, "中文")])
    read_back = pdfium.PdfDocument(_saved(document))[0]
    text = read_back.get_textpage()
    assert text.get_text_range().splitlines() == [lines[0][1], " Second line, été."]
    first, last = (_dot(read_back, text.get_charbox(n)) for n in (0, len(lines[0][1]) - 1))
    assert 100 <= first[0] <= 110 and 480 <= last[0] <= 502, "as wide as the line on the picture"
    assert all(100 <= dot[1] <= 132 for dot in (first, last))
    assert not np.any(read_back.render(scale=1).to_numpy() != 255)


def test_d13_text_in_an_unusable_font_becomes_a_picture() -> None:
    document = pdfium.PdfDocument(pdf_factory.text_pdf([["Drawn, not to be read."]]))
    before = document[0].render(scale=1).to_numpy()
    rapid.become_picture(document, document[0], document[0].render(scale=2))
    again = pdfium.PdfDocument(_saved(document))[0]
    assert again.get_textpage().get_text_range() == ""
    assert np.mean(np.abs(again.render(scale=1).to_numpy().astype(int) - before)) < 2


def test_d13_a_scan_is_read_with_nothing_but_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr", reason="`make ocr` has not been run")
    monkeypatch.setattr(ocr, "PROGRAM", ABSENT)
    words = "Every supplier is reviewed once a year."
    scan = pdfium.PdfDocument(pdf_factory.big_title_pdf([words], ["The register is kept for five years."]))
    rapid.become_picture(scan, scan[0], scan[0].render(scale=3))
    found, texts = _recognise(tmp_path, _saved(scan))
    assert found == Recognition((1,))
    assert words in texts[0] and "five years" in texts[0]


def _line(left: int, top: int, text: str) -> rapid.RecognisedLine:
    """A line 400 dots wide and 32 high."""
    return [(left, top), (left + 400, top), (left + 400, top + 32), (left, top + 32)], text


def _dot(page: pdfium.PdfPage, box: tuple[float, float, float, float]) -> tuple[int, int]:
    """Where the middle of a box is on a picture of the page with two dots per point."""
    x, y = ctypes.c_int(), ctypes.c_int()
    width, height = (math.ceil(2 * length) for length in page.get_size())
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    pdfium.raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, *middle, x, y)
    return x.value, y.value


def _saved(document: pdfium.PdfDocument) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()
