"""Markdown as the body of a Word document: headings, lists, tables and emphasis are Word's own, everything else is text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docx.document import Document
    from docx.text.paragraph import Paragraph
    from markdown_it.tree import SyntaxTreeNode

_MOST_COLUMNS = 20
_DEEPEST_LIST = 3
_LINK_COLOUR = (0x1D, 0x4E, 0xD8)


def add_body(document: Document, markdown: str, marker: re.Pattern[str], numbers: Collection[int]) -> None:
    """Append ``markdown``. Where ``marker`` finds one of the ``numbers``, "[n]" stands and leads to that bookmark.
    Addresses of links, images and HTML are not taken over (X2)."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    parsed = MarkdownIt("commonmark", {"html": False}).enable("table").parse(markdown)
    _Body(document, marker, frozenset(numbers)).add(SyntaxTreeNode(parsed).children, _Place())


def add_bookmark(paragraph: Paragraph, number: int, text: str) -> None:
    """``text`` as the place that the number of a citation leads to."""
    paragraph._p.append(_element("bookmarkStart", {"id": str(number), "name": _bookmark(number)}))
    paragraph.add_run(text)
    paragraph._p.append(_element("bookmarkEnd", {"id": str(number)}))


@dataclass(frozen=True)
class _Place:
    """Where a block stands: how deep in lists, in a quotation, and what begins its first line."""

    depth: int = 0
    quoted: bool = False
    style: str = ""
    prefix: str = ""


@dataclass(frozen=True)
class _Look:
    bold: bool = False
    italic: bool = False
    code: bool = False


class _Body:
    def __init__(self, document: Document, marker: re.Pattern[str], numbers: frozenset[int]) -> None:
        self._document = document
        self._marker = marker
        self._numbers = numbers

    def add(self, blocks: list[SyntaxTreeNode], place: _Place) -> None:
        for block in blocks:
            self._add_block(block, place)
            place = replace(place, prefix="", style=place.style.replace("Bullet", "Continue"))

    def _add_block(self, block: SyntaxTreeNode, place: _Place) -> None:
        match block.type:
            case "heading":
                level = max(1, min(int(block.tag[1:]) - 1, 6))
                self._write(self._document.add_heading(level=level), block)
            case "paragraph":
                self._write(self._paragraph(place), block)
            case "bullet_list" | "ordered_list":
                self._add_list(block, place)
            case "blockquote":
                self.add(block.children, replace(place, quoted=True))
            case "table":
                self._add_table(block)
            case "fence" | "code_block":
                self._add_code(block, place)

    def _paragraph(self, place: _Place) -> Paragraph:
        paragraph = self._document.add_paragraph(style=place.style or ("Quote" if place.quoted else None))
        if place.prefix:
            paragraph.add_run(place.prefix)
        return paragraph

    def _add_list(self, block: SyntaxTreeNode, place: _Place) -> None:
        """Numbers are written out: Word would go on counting from one list to the next."""
        depth = min(place.depth + 1, _DEEPEST_LIST)
        suffix = f" {depth}" if depth > 1 else ""
        first = int(block.attrs.get("start", 1))
        for number, item in enumerate(block.children, first):
            is_ordered = block.type == "ordered_list"
            style = ("List Continue" if is_ordered else "List Bullet") + suffix
            prefix = f"{number}. " if is_ordered else ""
            self.add(item.children, replace(place, depth=depth, style=style, prefix=prefix))

    def _add_code(self, block: SyntaxTreeNode, place: _Place) -> None:
        paragraph = self._paragraph(place)
        for at, line in enumerate(block.content.rstrip("\n").split("\n")):
            run = paragraph.add_run()
            if at:
                run.add_break()
            run.add_text(line)
            run.font.name = "Courier New"

    def _add_table(self, block: SyntaxTreeNode) -> None:
        rows = [row.children[:_MOST_COLUMNS] for part in block.children for row in part.children]
        table = self._document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
        for number, row in enumerate(rows):
            cells = table.add_row().cells
            for cell, source in zip(cells, row, strict=False):
                self._write(cell.paragraphs[0], source, _Look(bold=number == 0))
        table.rows[0]._tr.get_or_add_trPr().append(_element("tblHeader"))
        self._document.add_paragraph()

    def _write(self, paragraph: Paragraph, block: SyntaxTreeNode, look: _Look | None = None) -> None:
        for inline in block.children:
            for text, shown in _pieces(inline, look or _Look()):
                self._write_piece(paragraph, text, shown)

    def _write_piece(self, paragraph: Paragraph, text: str, look: _Look) -> None:
        at = 0
        for found in self._marker.finditer(text):
            number = int(found[1])
            if number in self._numbers:
                _add_run(paragraph, text[at : found.start()], look)
                _add_link(paragraph, number)
                at = found.end()
        _add_run(paragraph, text[at:], look)


def _pieces(node: SyntaxTreeNode, look: _Look) -> Iterator[tuple[str, _Look]]:
    """The text below an inline node, with how it looks; a line break is a line feed."""
    match node.type:
        case "text":
            yield node.content, look
        case "code_inline":
            yield node.content, replace(look, code=True)
        case "softbreak":
            yield " ", look
        case "hardbreak":
            yield "\n", look
        case "image":
            yield node.content, look
        case kind:
            inner = replace(look, bold=look.bold or kind == "strong", italic=look.italic or kind == "em")
            for child in node.children:
                yield from _pieces(child, inner)


def _add_run(paragraph: Paragraph, text: str, look: _Look) -> None:
    if not text:
        return
    run = paragraph.add_run(text)
    run.bold, run.italic = look.bold or None, look.italic or None
    if look.code:
        run.font.name = "Courier New"


def _add_link(paragraph: Paragraph, number: int) -> None:
    """ "[n]", which leads to the bookmark of that reference."""
    from docx.shared import RGBColor
    from docx.text.run import Run

    link = _element("hyperlink", {"anchor": _bookmark(number)})
    paragraph._p.append(link)
    run = _element("r")
    link.append(run)
    shown = Run(run, paragraph)
    shown.add_text(f"[{number}]")
    shown.font.color.rgb = RGBColor(*_LINK_COLOUR)


def _bookmark(number: int) -> str:
    return f"reference_{number}"


def _element(name: str, attributes: Mapping[str, str] | None = None) -> Any:
    from docx.oxml.ns import qn
    from docx.oxml.parser import OxmlElement

    element = OxmlElement(f"w:{name}")
    for key, value in (attributes or {}).items():
        element.set(qn(f"w:{key}"), value)
    return element
