"""Text recognition with ``rapidocr``, whose models come with it: ``python -m policypal.ingest.rapid MODE SOURCE TARGET`` (D13).

Does for machines with nothing but pip what ``ocrmypdf`` does elsewhere, and takes its modes: to a PDF without text it adds a layer of
invisible text; what is drawn in fonts that cannot be read becomes a picture first.
"""

import io
import os
import sys
from collections.abc import Iterable, Sequence
from ctypes import c_double, c_float
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

FORCE = "--force-ocr"
_DOTS_PER_POINT = 150 / 72
_MAX_DOTS = 4000
_DESCENT = 0.2
"""How far a line's characters reach below what they stand on, in heights of the line."""

Point = Sequence[float]
RecognisedLine = tuple[Sequence[Point], str]
"""The corners of a line on the picture, clockwise from the upper left, and its words."""


def main() -> None:
    """Recognise every page of SOURCE and write TARGET."""
    from rapidocr import RapidOCR

    mode, source, target = sys.argv[1:]
    threads = max(1, (os.cpu_count() or 1) // 2)
    engine = RapidOCR(params={"EngineConfig.onnxruntime.intra_op_num_threads": threads})
    document = pdfium.PdfDocument(source)
    for page in document:
        picture = page.render(scale=min(_DOTS_PER_POINT, _MAX_DOTS / max(page.get_size())))
        if mode == FORCE:
            become_picture(document, page, picture)
        found = engine(picture.to_numpy())
        if found.txts is not None:
            add_text_layer(document, page, (picture.width, picture.height), zip(found.boxes, found.txts, strict=True))
    document.save(target)


def become_picture(document: pdfium.PdfDocument, page: pdfium.PdfPage, picture: pdfium.PdfBitmap) -> None:
    """Put the picture of a page in the place of what is drawn on it."""
    width, height = page.get_size()
    for drawn in list(page.get_objects(max_depth=1)):
        page.remove_obj(drawn)
    jpeg = io.BytesIO()
    picture.to_pil().convert("RGB").save(jpeg, "JPEG")
    image = pdfium.PdfImage.new(document)
    image.load_jpeg(jpeg)
    image.set_matrix(pdfium.PdfMatrix().scale(width, height))
    page.set_rotation(0)
    page.set_mediabox(0, 0, width, height)
    page.set_cropbox(0, 0, width, height)
    page.insert_obj(image)
    page.gen_content()


def add_text_layer(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, size: tuple[int, int], lines: Iterable[RecognisedLine]
) -> None:
    """Write ``lines``, which were found on a picture of ``size`` dots, invisibly where they stand on the page."""
    for corners, text in lines:
        _write(document, page, [_on_page(page, size, corner) for corner in corners], text)
    page.gen_content()


def _on_page(page: pdfium.PdfPage, size: tuple[int, int], dot: Point) -> tuple[float, float]:
    """Where on a page, however it is turned and cut, a dot of its picture is."""
    x, y = c_double(), c_double()
    # pdfium takes whole dots: a hundredth of one is exact enough for any letter
    pdfium_c.FPDF_DeviceToPage(
        page, 0, 0, size[0] * 100, size[1] * 100, 0, round(dot[0] * 100), round(dot[1] * 100), x, y
    )
    return x.value, y.value


def _write(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, corners: Sequence[tuple[float, float]], text: str
) -> None:
    upper_left, _, lower_right, lower_left = corners
    text = text.encode("cp1252", "ignore").decode("cp1252")  # what the fonts of every reader can write
    raw = pdfium_c.FPDFPageObj_NewTextObj(document, b"Helvetica", 1.0)
    pdfium_c.FPDFText_SetText(raw, _utf16(text))
    pdfium_c.FPDFTextObj_SetTextRenderMode(raw, pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE)
    left, bottom, right, top = c_float(), c_float(), c_float(), c_float()
    pdfium_c.FPDFPageObj_GetBounds(raw, left, bottom, right, top)
    width = right.value - left.value
    if width <= 0:
        pdfium_c.FPDFPageObj_Destroy(raw)
        return
    along = [(b - a) / width for a, b in zip(lower_left, lower_right, strict=True)]
    up = [b - a for a, b in zip(lower_left, upper_left, strict=True)]
    start = [a + _DESCENT * b for a, b in zip(lower_left, up, strict=True)]
    pdfium_c.FPDFPageObj_SetMatrix(raw, pdfium_c.FS_MATRIX(*along, *up, *start))
    pdfium_c.FPDFPage_InsertObject(page, raw)


def _utf16(text: str) -> Any:
    data = (text + "\0").encode("utf-16-le")
    return (pdfium_c.FPDF_WCHAR * (len(data) // 2)).from_buffer_copy(data)


if __name__ == "__main__":
    main()
