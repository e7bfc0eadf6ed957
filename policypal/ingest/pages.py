"""The image of a page with the cited passage highlighted (D9, C3)."""

from __future__ import annotations

import base64

from policypal.domain.reading import Box, PageImage
from policypal.ingest.document import ExtractionLimits
from policypal.ingest.sandbox import converse
from policypal.ingest.workspace import workspace

RENDER_LIMITS = ExtractionLimits(seconds=20.0, memory_mb=1024)


def render_page(
    pdf: bytes,
    number: int,
    *,
    quote: str | None = None,
    depth: float = 0.0,
    width: int = 900,
    password: str | None = None,
    limits: ExtractionLimits = RENDER_LIMITS,
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
        message = list(converse("render", {**order, "password": password}, limits))[-1]
    return PageImage(
        png=base64.b64decode(message["png"]),
        width=message["width"],
        height=message["height"],
        boxes=tuple(Box(*box) for box in message["boxes"]),
    )
