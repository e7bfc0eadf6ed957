"""Page images with the cited passage highlighted (D9)."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from policypal.domain.reading import PageImage
from policypal.errors import DamagedDocument, ExtractionLimit, NotFound, PasswordRequired
from policypal.ingest import pages
from policypal.ingest.document import ExtractionLimits
from policypal.ingest.pages import render_page
from policypal.ingest.rendering import find_quote
from tests.support import pdf_factory

LINES = [
    "A line above the passage that nobody cites in this test.",
    "The controller shall notify the author-",
    "ity not later than 72 hours after it became aware of the breach.",
    "A line below the passage.",
]
PDF = pdf_factory.text_pdf([["Page one."], LINES])


def _is_tinted(image: PageImage, x: float, y: float) -> bool:
    red, _, blue = Image.open(io.BytesIO(image.png)).convert("RGB").getpixel((int(x), int(y)))  # type: ignore[misc]
    return bool(red - blue > 40)


def test_d9_page_is_drawn_at_the_width_asked_for() -> None:
    image = render_page(PDF, 1, width=600)
    assert Image.open(io.BytesIO(image.png)).size == (image.width, image.height)
    assert image.width == 600 and image.height == pytest.approx(600 * 842 / 595, abs=2)
    assert image.boxes == ()


def test_d9_quote_across_a_hyphenated_line_break_is_boxed_line_by_line() -> None:
    image = render_page(PDF, 2, quote="notify the authority not later than 72 hours after it became aware")
    assert len(image.boxes) == 2
    first, second = image.boxes
    expected = [(842 - pdf_factory.TOP + pdf_factory.LEADING * n) / 842 for n in (1, 2)]  # baselines
    assert first.top < expected[0] and first.bottom == pytest.approx(expected[0], abs=0.006)
    assert second.top < expected[1] and second.bottom == pytest.approx(expected[1], abs=0.006)
    assert first.left > 0.2 > second.left  # the quote starts in mid-line and goes on at the margin


def test_d9_highlight_is_on_the_quote_and_nowhere_else() -> None:
    image = render_page(PDF, 2, quote="not later than 72 hours")
    (box,) = image.boxes
    middle = (box.top + box.bottom) / 2 * image.height
    assert _is_tinted(image, box.left * image.width + 1, middle)
    assert not _is_tinted(image, box.right * image.width + 30, middle)
    assert not _is_tinted(image, box.left * image.width + 1, box.top * image.height - 40)


def test_d9_slightly_different_quote_is_found_a_foreign_one_is_not() -> None:
    drifted = "The controller must notify the authority no later than 72 hours after it became aware of the breach"
    assert render_page(PDF, 2, quote=drifted).boxes
    assert render_page(PDF, 2, quote="Dividends are paid to the shareholders in the second quarter").boxes == ()
    assert render_page(PDF, 2, quote=" … ").boxes == ()


def test_d9_matching_tolerates_ligatures_case_and_spacing() -> None:
    raw = "The  e\ufb03cient\r\nO\ufb03ce of the Gov\ufffeernor"
    assert find_quote(raw, "efficient office of the governor") == (raw.index("e\ufb03"), len(raw))


def test_d9_of_several_places_the_one_at_the_same_depth_is_highlighted() -> None:
    lines = ["The bank reports.", *["Something else is said in this line."] * 20, "The bank reports."]
    pdf = pdf_factory.text_pdf([lines])
    (first,) = render_page(pdf, 1, quote="the bank reports").boxes
    (last,) = render_page(pdf, 1, quote="the bank reports", depth=0.9).boxes
    assert last.top > first.bottom + 0.2


def test_d9_a_row_of_a_torn_table_is_highlighted_in_each_of_its_columns() -> None:
    quote = "1. | Ferries that carry more than one hundred passengers | 400 crowns each day"
    boxes = render_page(pdf_factory.columns_pdf(pdf_factory.TORN_TABLE), 1, quote=quote).boxes
    assert sorted({round(box.left, 1) for box in boxes}) == [0.1, 0.3, 0.7]
    lowest = (842 - pdf_factory.TOP + pdf_factory.LEADING * 5) / 842
    assert max(box.bottom for box in boxes) == pytest.approx(lowest, abs=0.006)


def test_d9_rotated_page_has_its_boxes_where_it_shows_them() -> None:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(PDF))
    writer.pages[1].rotate(90)
    stream = io.BytesIO()
    writer.write(stream)
    image = render_page(stream.getvalue(), 2, quote="not later than 72 hours")
    assert image.width > image.height
    (box,) = image.boxes
    assert (box.bottom - box.top) * image.height > (box.right - box.left) * image.width
    assert box.left > 0.8


def test_d9_missing_pages_passwords_and_damage_are_typed() -> None:
    for number in (0, 3):
        with pytest.raises(NotFound, match="2 pages"):
            render_page(PDF, number)
    with pytest.raises(PasswordRequired):
        render_page(pdf_factory.encrypted_pdf(["Secret"], "key"), 1)
    with pytest.raises(DamagedDocument):
        render_page(b"%PDF-1.7 nothing", 1)


def test_d9_page_bomb_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "RENDER_LIMITS", ExtractionLimits(seconds=1))
    with pytest.raises(ExtractionLimit):
        render_page(pdf_factory.page_bomb(pages=1, operations=30_000_000), 1)


def test_d9_page_of_absurd_proportions_is_drawn_small_enough() -> None:
    tall = pdf_factory.raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 14000] >>",
        ]
    )
    image = render_page(tall, 1, width=900)
    assert image.width * image.height <= 26_000_000
