"""Render the sample documents (R9) from ``policypal/samples/sources`` to ``policypal/samples/pdf``.

    python scripts/make_samples.py

The same sources give the same bytes. Needs reportlab and pypdfium2. It also brings the page numbers in
``truths.json`` up to date, so that moving a paragraph never leaves a truth pointing at the wrong page.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pypdfium2
from reportlab.lib import colors
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageBreak, PageTemplate, Paragraph, Spacer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from policypal.samples import FICTIONAL_MARKER, SAMPLES, Sample  # noqa: E402

FOLDER = ROOT / "policypal" / "samples"
MARGIN = 30 * mm
INK = colors.HexColor("#1F2937")
MUTED = colors.HexColor("#6B7280")

_BODY = ParagraphStyle(
    "body",
    fontName="Helvetica",
    fontSize=11.5,
    leading=17,
    spaceAfter=9,
    textColor=INK,
    bulletFontName="Helvetica-Bold",
    bulletFontSize=11.5,
    embeddedHyphenation=0,  # a word broken at its hyphen is hard to find again in the extracted text
)
STYLES = {
    "body": _BODY,
    "numbered": ParagraphStyle("numbered", _BODY, leftIndent=11 * mm),
    "item": ParagraphStyle("item", _BODY, leftIndent=16 * mm, bulletIndent=11 * mm, spaceAfter=5),
    "aside": ParagraphStyle("aside", _BODY, leftIndent=11 * mm, fontName="Helvetica-Oblique", textColor=MUTED),
    "heading": ParagraphStyle(
        "heading", _BODY, fontName="Helvetica-Bold", fontSize=14, leading=19, spaceBefore=13, keepWithNext=1
    ),
    "issuer": ParagraphStyle("issuer", _BODY, fontSize=13, leading=18, textColor=MUTED),
    "title": ParagraphStyle(
        "title", _BODY, fontName="Helvetica-Bold", fontSize=25, leading=31, spaceAfter=14, alignment=TA_LEFT
    ),
    "contents": ParagraphStyle("contents", _BODY, spaceAfter=3),
}


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed source: its header lines by key, and its blocks (headings, paragraphs, list items) in order."""

    head: dict[str, str]
    blocks: tuple[str, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(block[2:] for block in self.blocks if block.startswith("# "))


def read_source(path: Path) -> Source:
    """Read "key: value" lines up to the first blank line, then blocks: one per line."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    pairs = [line.partition(": ") for line in head.splitlines()]
    return Source({key: value for key, _, value in pairs}, tuple(line for line in body.splitlines() if line.strip()))


class Rule(Paragraph):
    """A paragraph that is never split: a rule stays on one page, as its citation does."""

    def split(self, width: float, height: float) -> list[Flowable]:
        return []


class Heading(Paragraph):
    """A heading that writes itself into the PDF outline."""

    def draw(self) -> None:
        title = self.getPlainText()
        self.canv.bookmarkPage(title)
        self.canv.addOutlineEntry(title, title, level=0)
        super().draw()


def _flowable(block: str) -> Flowable:
    if block.startswith("# "):
        return Heading(escape(block[2:]), STYLES["heading"])
    if block.startswith("- "):
        return Rule(escape(block[2:]), STYLES["item"], bulletText="•")
    if block.startswith(("Guidance: ", "Example: ")):
        return Rule(escape(block), STYLES["aside"])
    numbered = re.match(r"(\d+\.\d+) ", block)
    if numbered:
        return Rule(escape(block[numbered.end() :]), STYLES["numbered"], bulletText=numbered.group(1))
    return Rule(escape(block), STYLES["body"])


def _cover(source: Source) -> list[Flowable]:
    top: list[Flowable] = [
        Spacer(1, 30 * mm),
        Paragraph(escape(source.head["issuer"]), STYLES["issuer"]),
        Paragraph(escape(source.head["title"]), STYLES["title"]),
        Paragraph(escape(source.head["lead"]), STYLES["body"]),
        Paragraph(escape(source.head["date"]), STYLES["body"]),
        Spacer(1, 14 * mm),
        Paragraph("<b>Contents</b>", STYLES["body"]),
    ]
    return [*top, *(Paragraph(escape(h), STYLES["contents"]) for h in source.headings), PageBreak()]


def _letterhead(source: Source) -> list[Flowable]:
    return [Paragraph(escape(source.head[key]), STYLES["body"]) for key in ("lead", "date")]


def render(sample: Sample, source: Source) -> bytes:
    """The sample as PDF bytes; a source without headings becomes a letter without a cover."""
    running = f"{source.head['issuer']} | {source.head['title']} ({source.head['version']})"

    def decorate(canvas: Canvas, document: BaseDocTemplate) -> None:
        width, height = A4
        canvas.saveState()
        canvas.setFont("Helvetica", 8.5)
        canvas.setFillColor(MUTED)
        canvas.drawString(MARGIN, height - 16 * mm, running)
        canvas.drawString(MARGIN, 14 * mm, FICTIONAL_MARKER)
        canvas.drawRightString(width - MARGIN, 14 * mm, f"Page {document.page}")
        canvas.restoreState()

    output = BytesIO()
    document = BaseDocTemplate(
        output,
        pagesize=A4,
        invariant=1,
        title=f"{sample.title} ({sample.version})",
        author=f"{source.head['issuer']} (fictional)",
        subject=FICTIONAL_MARKER,
        creator="PolicyPal",
        lang="en",
    )
    frame = Frame(MARGIN, 22 * mm, A4[0] - 2 * MARGIN, A4[1] - 44 * mm, 0, 0, 0, 0)
    document.addPageTemplates([PageTemplate("page", [frame], onPageEnd=decorate)])
    opening = _cover(source) if source.headings else _letterhead(source)
    document.build([*opening, *(_flowable(block) for block in source.blocks)])
    return output.getvalue()


def make(sample: Sample) -> bytes:
    """Render one sample from its source file."""
    return render(sample, read_source(FOLDER / "sources" / f"{Path(sample.filename).stem}.md"))


def page_texts(pdf: bytes) -> list[str]:
    """The text of each page with white space collapsed."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]
    finally:
        document.close()


def find_page(pages: list[str], phrase: str | None) -> int | None:
    """The one page (from 1) that holds ``phrase``; None for no phrase.

    Raises:
        LookupError: the phrase is on no page, or more than once.
    """
    if phrase is None:
        return None
    if sum(page.count(phrase) for page in pages) != 1:
        raise LookupError(f"not exactly once in its document: {phrase!r}")
    return next(number for number, page in enumerate(pages, 1) if phrase in page)


def paged_truths(truths: dict[str, Any], pages: dict[str, list[str]]) -> dict[str, Any]:
    """``truths`` with every page number looked up anew."""
    files = {"policy": "policy-2025.pdf", "email": "email-2025.pdf"}
    for truth in [*truths["truths"], *truths["compliant"]]:
        truth["source_page"] = find_page(pages[files[truth["source"]]], truth["source_phrase"])
        truth["target_page"] = find_page(pages[truth["target"]], truth["target_phrase"])
    for question in truths["questions"]:
        question["page"] = find_page(pages[question["document"]], question["answer_phrase"])
    for change in [*truths["edition_changes"], *truths["edition_rewordings"]]:
        change["old_page"] = find_page(pages["rulebook-2023.pdf"], change["old_phrase"])
        change["new_page"] = find_page(pages["rulebook-2025.pdf"], change["new_phrase"])
    return truths


def main() -> None:
    pages: dict[str, list[str]] = {}
    for sample in SAMPLES:
        pdf = make(sample)
        target = FOLDER / "pdf" / sample.filename
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(pdf)
        pages[sample.filename] = page_texts(pdf)
        print(f"{sample.filename}: {len(pages[sample.filename])} pages, {len(pdf)} bytes")
    path = FOLDER / "truths.json"
    truths = paged_truths(json.loads(path.read_text(encoding="utf-8")), pages)
    path.write_text(json.dumps(truths, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
