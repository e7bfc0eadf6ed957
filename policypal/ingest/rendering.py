"""Page images with a quotation highlighted, drawn inside the child process (D9)."""

import base64
import io
import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image, ImageDraw

from policypal.errors import NotFound
from policypal.ingest.normalise import normalise_page
from policypal.ingest.pdf import open_pdf, page_text
from policypal.ingest.rows import NOWHERE

MAX_PIXELS = 25_000_000
MIN_SIMILARITY = 90.0
HIGHLIGHT = (255, 214, 10, 96)
_OUTLINE = (214, 158, 0, 200)

Box = tuple[float, float, float, float]
"""left, top, right, bottom as shares of the page image, 0..1"""


def render(path: Path, number: int, quote: str | None, depth: float, width: int) -> dict[str, Any]:
    """Draw one page ``width`` pixels wide, with ``quote`` highlighted where it stands nearest to ``depth``. Raises
    NotFound: the document has no page ``number`` (they start at 1); PasswordRequired, DamagedDocument."""
    document = open_pdf(path, None)
    if not 1 <= number <= len(document):
        raise NotFound(f"This document has {len(document)} pages; there is no page {number}.")
    page = document[number - 1]
    image = page.render(scale=_scale(page, width)).to_pil().convert("RGB")
    raw = page_text(document, number - 1)
    span = find_quote(raw.text, quote, depth) if quote else None
    boxes = _merged([box for part in _drawn(span, raw.places) for box in _boxes(page, image.size, part)])
    return {"png": _png(_highlighted(image, boxes)), "width": image.width, "height": image.height, "boxes": boxes}


def find_quote(raw: str, quote: str, depth: float = 0.0) -> tuple[int, int] | None:
    """Where a quotation from the stored text stands in a page's raw text: (start, end), or None. Of several places it is the
    one nearest to ``depth``, a share of the text from 0 to 1.

    White space, hyphenation, ligatures, punctuation and case may differ; failing that, the most similar stretch is taken
    if it is at least nine tenths the same.
    """
    page = normalise_page(raw)
    letters, positions = _skeleton(page.text)
    wanted, _ = _skeleton(quote)
    if not wanted:
        return None
    start = _nearest_place(letters, wanted, depth * len(letters))
    end = start + len(wanted)
    if start < 0:
        start, end = _most_similar(letters, wanted)
    if start < 0:
        return None
    offsets = page.source_offsets
    return offsets[positions[start]], offsets[positions[end - 1]] + 1


def _skeleton(text: str) -> tuple[str, list[int]]:
    """Only the letters and digits, folded, and where each came from."""
    letters: list[str] = []
    positions: list[int] = []
    for position, character in enumerate(text):
        for folded in unicodedata.normalize("NFKC", character).casefold():
            if folded.isalnum():
                letters.append(folded)
                positions.append(position)
    return "".join(letters), positions


def _nearest_place(letters: str, wanted: str, about: float) -> int:
    places = (m.start() for m in re.finditer(re.escape(wanted), letters))
    return min(places, key=lambda place: abs(place - about), default=-1)


def _most_similar(letters: str, wanted: str) -> tuple[int, int]:
    from rapidfuzz import fuzz

    # The alignment is quadratic in the worst case; a quotation is 300 characters, a page some thousands.
    if len(wanted) < 12 or len(letters) < len(wanted) // 2:
        return -1, -1
    found = fuzz.partial_ratio_alignment(wanted[:2000], letters[:50_000], score_cutoff=MIN_SIMILARITY)
    if found is None or found.dest_end <= found.dest_start:
        return -1, -1
    return found.dest_start, found.dest_end


def _scale(page: pdfium.PdfPage, width: int) -> float:
    """Points to pixels; a page of absurd proportions is drawn smaller rather than filling the memory."""
    points, height = page.get_size()
    # pdfium rounds up, so a hair less keeps the width asked for.
    scale: float = (width - 0.01) / max(points, 1.0)
    pixels = points * height * scale * scale
    return scale if pixels <= MAX_PIXELS else scale * float((MAX_PIXELS / pixels) ** 0.5)


def _drawn(span: tuple[int, int] | None, places: Sequence[int] | None) -> list[tuple[int, int]]:
    """The stretches of pdfium's text that a stretch of a page's text is drawn as: several in the row of a torn table."""
    if span is None or places is None:
        return [span] if span else []
    drawn = [place for place in places[slice(*span)] if place != NOWHERE]
    together = groupby(enumerate(drawn), key=lambda item: item[1] - item[0])
    return [(at[0], at[-1] + 1) for at in ([place for _, place in group] for _, group in together)]


def _boxes(page: pdfium.PdfPage, size: tuple[int, int], span: tuple[int, int]) -> list[Box]:
    textpage = page.get_textpage()
    first = pdfium_c.FPDFText_GetCharIndexFromTextIndex(textpage, span[0])
    last = pdfium_c.FPDFText_GetCharIndexFromTextIndex(textpage, span[1] - 1)
    if first < 0 or last < first:
        return []
    count = textpage.count_rects(first, last - first + 1)
    boxes = [_box(page, size, textpage.get_rect(i)) for i in range(count)]
    return [box for box in boxes if box[2] > box[0] and box[3] > box[1]]


def _merged(boxes: Sequence[Box]) -> list[Box]:
    """One box per line: pdfium reports a rectangle wherever font or spacing changes, often one per word."""
    merged: list[Box] = []
    for box in boxes:
        if merged and _continues(merged[-1], box):
            last = merged[-1]
            merged[-1] = (min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
        else:
            merged.append(box)
    return merged


def _continues(last: Box, box: Box) -> bool:
    """Whether a box stands on the same line, right after the last one or overlapping it."""
    overlap = min(last[3], box[3]) - max(last[1], box[1])
    height = min(last[3] - last[1], box[3] - box[1])
    return overlap > 0.5 * height and -0.01 <= box[0] - last[2] + 0.005 <= 0.03


def _box(page: pdfium.PdfPage, size: tuple[int, int], rectangle: Sequence[float]) -> Box:
    """From PDF points (origin below, before rotation and cropping) to shares of the image."""
    left, bottom, right, top = rectangle
    converter = pdfium.PdfPosConv(page, (0, 0, *size, 0))
    x0, y0 = converter.to_bitmap(left, top)
    x1, y1 = converter.to_bitmap(right, bottom)
    xs, ys = sorted((x0 / size[0], x1 / size[0])), sorted((y0 / size[1], y1 / size[1]))
    return _clamped(xs[0]), _clamped(ys[0]), _clamped(xs[1]), _clamped(ys[1])


def _clamped(share: float) -> float:
    return round(min(1.0, max(0.0, share)), 5)


def _highlighted(image: Image.Image, boxes: Sequence[Box]) -> Image.Image:
    if not boxes:
        return image
    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    for left, top, right, bottom in boxes:
        corners = (left * image.width - 2, top * image.height - 2, right * image.width + 2, bottom * image.height + 2)
        draw.rectangle(corners, fill=HIGHLIGHT, outline=_OUTLINE)
    return Image.alpha_composite(image.convert("RGBA"), layer).convert("RGB")


def _png(image: Image.Image) -> str:
    stream = io.BytesIO()
    image.save(stream, "PNG", compress_level=4)
    return base64.b64encode(stream.getvalue()).decode("ascii")
