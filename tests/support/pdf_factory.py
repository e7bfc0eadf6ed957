"""Small PDFs made inside the tests: readable, encrypted, scanned, damaged and hostile ones."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

import pypdf
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

LEADING = 14
TOP = 780
TORN_TABLE = (
    (
        150,
        (
            (0, "The harbour asks for these fees."), (2, "Vessel"), (4, "Ferries that carry more than"), (5, "one hundred passengers"),
            (7, "Tugs"), (9, "Yachts that stay longer"), (10, "than a day"),
        ),
    ),
    (72, ((2, "No."), (4, "1."), (7, "2."), (9, "3."))),
    (400, ((2, "Fee"), (4, "400 crowns"), (5, "each day"), (7, "30 crowns"), (9, "12 crowns"))),
    (72, ((20, "Fees are paid to the harbour office."),)),
)  # fmt: skip
"""The columns of a table as :func:`columns_pdf` draws them."""


def text_pdf(pages: Sequence[Sequence[str]], *, title: str = "", outline: Sequence[tuple[str, int]] = ()) -> bytes:
    """A PDF whose pages show these lines, one below the other. ``outline`` holds (title, page from 1)."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4)
    if title:
        canvas.setTitle(title)
    for number, lines in enumerate(pages, 1):
        for entry, page in outline:
            if page == number:
                canvas.bookmarkPage(entry)
                canvas.addOutlineEntry(entry, entry)
        _draw_lines(canvas, lines)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def columns_pdf(columns: Sequence[tuple[float, Sequence[tuple[int, str]]]]) -> bytes:
    """A page drawn column by column: where each begins in points from the left, and its lines with how far down they stand."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4)
    canvas.setFont("Helvetica", 10)
    for left, lines in columns:
        for row, line in lines:
            canvas.drawString(left, TOP - LEADING * row, line)
    canvas.save()
    return stream.getvalue()


def encrypted_pdf(lines: Sequence[str], user_password: str, owner_password: str = "owner") -> bytes:
    """An AES-256 encrypted PDF; with an empty user password it opens without asking."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(text_pdf([lines])))
    writer.encrypt(user_password=user_password, owner_password=owner_password, algorithm="AES-256")
    return _written(writer)


def scanned_pdf(pages: int = 1, text_on: Sequence[int] = ()) -> bytes:
    """Pages that hold only a picture of text; those in ``text_on`` (from 1) hold real text as well."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4)
    for number in range(1, pages + 1):
        canvas.drawImage(ImageReader(_picture()), 50, 400, 400, 200)
        if number in text_on:
            canvas.drawString(72, TOP, "This page was typed and can be read by a machine.")
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def big_title_pdf(title_lines: Sequence[str], body: Sequence[str]) -> bytes:
    """A page without metadata whose title is set in large type."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4)
    canvas.setFont("Helvetica-Bold", 24)
    for i, line in enumerate(title_lines):
        canvas.drawString(72, TOP - 30 * i, line)
    canvas.setFont("Helvetica", 11)
    for i, line in enumerate(body):
        canvas.drawString(72, 650 - LEADING * i, line)
    canvas.save()
    return stream.getvalue()


def page_bomb(pages: int = 200, operations: int = 3_000_000) -> bytes:
    """A small file that is a lot of work: every page shares one huge, well compressed content stream of text."""
    content = zlib.compress(b"BT /F1 9 Tf 1 0 0 1 72 700 Tm " + b"(aaaaaaaaaa) Tj " * (operations // 10) + b"ET", 9)
    kids = " ".join(f"{5 + i} 0 R" for i in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {pages} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(content), content),
    ]
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
    return raw_pdf([*objects, *([page] * pages)])


def pageless_pdf() -> bytes:
    """A valid PDF with no page."""
    return raw_pdf([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 0 /Kids [] >>"])


def blank_pdf(pages: int = 1) -> bytes:
    """Pages without any content stream."""
    writer = pypdf.PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(595, 842)
    return _written(writer)


def unmapped_font_pdf() -> bytes:
    """A page whose font maps its codes to control characters, as some producers' broken character maps do."""
    to_unicode = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"4 beginbfchar <41> <0004> <42> <0005> <43> <0006> <44> <000E> endbfchar endcmap end"
    )
    content = b"BT /F1 12 Tf 72 700 Td (AAAABBBBCCCCDDDDAAAABBBBCCCC) Tj ET"
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
            _stream(content),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            _stream(to_unicode),
        ]
    )


def raw_pdf(objects: Sequence[bytes]) -> bytes:
    """A PDF of exactly these objects, numbered from 1; the first is the catalogue."""
    body = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(body)


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content)


def _draw_lines(canvas: Canvas, lines: Sequence[str]) -> None:
    canvas.setFont("Helvetica", 10)
    for i, line in enumerate(lines):
        canvas.drawString(72, TOP - LEADING * i, line)


def _picture() -> Image.Image:
    image = Image.new("RGB", (400, 200), "white")
    ImageDraw.Draw(image).text((20, 80), "An image of text, which is not text.", fill="black")
    return image


def _written(writer: pypdf.PdfWriter) -> bytes:
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()
