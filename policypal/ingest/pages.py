"""The image of a page with the cited passage highlighted (D9, C3)."""

import base64
import io
from dataclasses import replace

from PIL import Image

from policypal.domain.reading import Box, PageImage
from policypal.ingest.document import ExtractionLimits
from policypal.ingest.sandbox import converse
from policypal.ingest.workspace import workspace

_SHOWN, _MARGIN = 0.4, 0.1
"""Of a page around a passage, in shares of its height: how much is shown at least, and how much above and below."""
RENDER_LIMITS = ExtractionLimits(seconds=20.0, memory_mb=1024)


def render_page(
    pdf: bytes, number: int, *, quote: str | None = None, depth: float = 0.0, width: int = 900
) -> PageImage:
    """Draw page ``number`` (from 1) of a PDF, ``width`` pixels wide, with ``quote`` highlighted; of several places the one
    nearest to ``depth``, a share of the page's text.

    The page is read and drawn in a child process, as untrusted as during extraction, and pdfium is not thread-safe.

    Raises:
        NotFound: there is no such page.
        PasswordRequired, DamagedDocument, ExtractionLimit
    """
    with workspace() as folder:
        path = folder / "document.pdf"
        path.write_bytes(pdf)
        order = {"path": str(path), "number": number, "quote": quote, "depth": depth, "width": width}
        drawn = list(converse("render", order, RENDER_LIMITS))[-1]
    boxes = tuple(Box(*box) for box in drawn["boxes"])
    return PageImage(base64.b64decode(drawn["png"]), drawn["width"], drawn["height"], boxes)


def around_passage(image: PageImage) -> PageImage:
    """The part of a drawn page around what is highlighted on it, as wide as the page; the upper part where nothing is."""
    top, bottom = min((b.top for b in image.boxes), default=0.0), max((b.bottom for b in image.boxes), default=0.0)
    first = max(0.0, min(top - _MARGIN, bottom + _MARGIN - _SHOWN, 1 - _SHOWN))
    last = min(1.0, max(bottom + _MARGIN, first + _SHOWN))
    drawn = Image.open(io.BytesIO(image.png))
    part = drawn.crop((0, round(first * drawn.height), drawn.width, round(last * drawn.height)))
    held = io.BytesIO()
    part.save(held, "PNG")
    boxes = tuple(
        replace(b, top=(b.top - first) / (last - first), bottom=(b.bottom - first) / (last - first))
        for b in image.boxes
    )
    return PageImage(held.getvalue(), part.width, part.height, boxes)
