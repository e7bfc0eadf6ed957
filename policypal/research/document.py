"""A report as a file: Markdown, or a Word document, with the list of references its numbers stand for (W6).

Both are made of the text that is shown, whether a run wrote it or a person edited it. The same version gives the same
bytes, so that a report which is filed twice is recognised.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from policypal.domain.citations import Citation
from policypal.domain.research import Report
from policypal.export.ooxml import add_bookmark, link, repeat_head, saved
from policypal.export.reports import office_text
from policypal.export.transcript import ENGINES, harmless, plain_line
from policypal.research.draft import MARKER
from policypal.research.markdown import ISSUES, REFERENCES, origin_of

if TYPE_CHECKING:
    from docx.document import Document
    from docx.text.paragraph import Paragraph
    from markdown_it.tree import SyntaxTreeNode


_TITLE = re.compile(r"\A\s*#\s+[^\n]*\n?")
_HEADING = re.compile(r"^(#{1,6})(?=\s)", re.MULTILINE)
_LIST_OF_REFERENCES = re.compile(rf"^#{{1,6}}\s+{REFERENCES}\s*$(?![\s\S]*^#)", re.MULTILINE)
_LISTED = re.compile(rf"\s*[-*+]\s+{MARKER.pattern}")
_NUMBER = re.compile(r"\[(\d{1,4})\]")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MOST_PROPERTY_CHARACTERS = 255
_ONE_DAY = (1980, 1, 1, 0, 0, 0)
_UNTITLED = "Research report"


def report_markdown(report: Report) -> bytes:
    """UTF-8 Markdown: title, how it was made, the text with numbers in brackets, issues, references. Nothing in it fetches
    or runs anything where it is opened (X2)."""
    return _text(report).encode("utf-8", errors="replace")


def _text(report: Report) -> str:
    parts = _parts(report)
    numbers = {c.id for c in parts.cited}
    blocks = [
        f"# {plain_line(report.title) or _UNTITLED}",
        f"*{plain_line(_made(report))}*",
        _numbered(harmless(parts.body), numbers).strip(),
    ]
    if parts.issues:
        blocks += [f"## {ISSUES}", "\n".join(f"- {plain_line(issue)}" for issue in parts.issues)]
    if parts.cited or parts.own_references:
        blocks += [f"## {REFERENCES}", *(f"[{c.id}] {_reference_markdown(c, report)}" for c in parts.cited)]
        blocks.append(harmless(parts.own_references))
    return "\n\n".join(_TURNED.sub("", block) for block in blocks if block) + "\n"


def report_docx(report: Report) -> bytes:
    """The same text as a Word document: real headings, tables and lists; every number leads to its reference. Nothing in it is a field,
    and nothing in it leads outside."""
    from docx import Document as new_document
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    document = new_document()
    _set_properties(document, report)
    document.add_heading(office_text(report.title) or _UNTITLED, level=0)
    text = office_text(_text(report).partition("\n")[2])
    parsed = MarkdownIt("commonmark", {"html": False}).enable("table").parse(text)
    _Body(document, {c.id for c in report.citations}).add(SyntaxTreeNode(parsed).children, _Place())
    return _without_clock(document)


@dataclass(frozen=True)
class _Parts:
    """The text as it is shown, without its title and its list of references, which files have in their own form;
    ``own_references`` are what somebody added to that list by hand. ``issues`` are those the text does not tell itself."""

    body: str
    own_references: str
    cited: Sequence[Citation]
    issues: Sequence[str]


def _parts(report: Report) -> _Parts:
    text = _TITLE.sub("", _TURNED.sub("", report.markdown.replace("\r\n", "\n")))
    found = _LIST_OF_REFERENCES.search(text)
    body, listed = (text[: found.start()], text[found.end() :]) if found else (text, "")
    own = "\n".join(line for line in listed.split("\n") if not _LISTED.match(line)).strip()
    shown = {int(number) for number in MARKER.findall(body)}
    cited = sorted((c for c in report.citations if c.id in shown), key=lambda c: c.id)
    said = " ".join(_ESCAPE.sub("", body).split())
    issues = [issue for issue in report.issues if " ".join(issue.split()) not in said]
    return _Parts(_below_title(body), own, cited, issues)


def _below_title(text: str) -> str:
    """The text with its highest headings on the second level."""
    highest = min((len(marks) for marks in _HEADING.findall(text)), default=2)
    return _HEADING.sub(lambda m: m[1] + "#" if highest == 1 and len(m[1]) < 6 else m[1], text)


def _made(report: Report) -> str:
    origin = "edited by hand" if report.origin == "edited" else "as written"
    when = f", {report.created_at:%Y-%m-%d %H:%M} UTC" if report.created_at else ""
    engine = ENGINES.get(report.engine, report.engine)
    return f"PolicyPal research report, version {report.version}, {origin}{when}." + (
        f" Made by the {engine}." if engine else ""
    )


def _numbered(markdown: str, numbers: set[int]) -> str:
    """The text with "[1]" in place of its markers. What follows must not turn that into a link or a definition."""

    def shown(found: re.Match[str]) -> str:
        if int(found[1]) not in numbers:
            return found[0]
        return f"[{found[1]}]" + (" " if markdown[found.end() : found.end() + 1] in ("(", ":", "[") else "")

    return MARKER.sub(shown, markdown)


def _reference_markdown(citation: Citation, report: Report) -> str:
    """Title and version, page, or the host and day of a web page, address, and the quotation."""
    page = f"page {citation.page}" if citation.page is not None else ""
    source = next((s for s in report.sources if s.url and s.url == citation.url), None)
    where = [page] if citation.source_type == "document" else origin_of(citation, source)
    parts = [plain_line(part) for part in (citation.display_title, *where) if part]
    address = [f"<{citation.url}>"] if citation.url and not set("<> \n") & set(citation.url) else []
    return f"{', '.join([*parts, *address])}: {plain_line(citation.quotation)}"


def _set_properties(document: Document, report: Report) -> None:
    properties = document.core_properties
    properties.title = office_text(report.title)[:_MOST_PROPERTY_CHARACTERS]
    properties.author = "PolicyPal"
    properties.comments = ""
    if report.created_at:
        properties.created = properties.modified = report.created_at


def _without_clock(document: Document) -> bytes:
    """The document's bytes, the same however often and whenever it is made."""
    told = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(saved(document))) as source,
        zipfile.ZipFile(told, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            target.writestr(zipfile.ZipInfo(name, _ONE_DAY), source.read(name), zipfile.ZIP_DEFLATED)
    return told.getvalue()


_MOST_COLUMNS = 20
_DEEPEST_LIST = 3
_LINK_COLOUR = (0x1D, 0x4E, 0xD8)


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
    """Blocks of Markdown as Word's own. Addresses of links, images and HTML are not taken over (X2)."""

    def __init__(self, document: Document, numbers: Collection[int]) -> None:
        self._document = document
        self._numbers = numbers
        self._lists_references = False

    def add(self, blocks: list[SyntaxTreeNode], place: _Place) -> None:
        for block in blocks:
            self._add_block(block, place)
            place = replace(place, prefix="", style=place.style.replace("Bullet", "Continue"))

    def _add_block(self, block: SyntaxTreeNode, place: _Place) -> None:
        match block.type:
            case "heading":
                level = max(1, min(int(block.tag[1:]) - 1, 6))
                heading = self._document.add_heading(level=level)
                self._write(heading, block)
                self._lists_references = heading.text == REFERENCES
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
        repeat_head(table)
        self._document.add_paragraph()

    def _write(self, paragraph: Paragraph, block: SyntaxTreeNode, look: _Look | None = None) -> None:
        for inline in block.children:
            for text, shown in _pieces(inline, look or _Look()):
                self._write_piece(paragraph, text, shown)

    def _write_piece(self, paragraph: Paragraph, text: str, look: _Look) -> None:
        """Where "[n]" stands it leads to that bookmark; at the beginning of a reference it is the bookmark."""
        at = 0
        for found in _NUMBER.finditer(text):
            number = int(found[1])
            if number not in self._numbers:
                continue
            _add_run(paragraph, text[at : found.start()], look)
            if self._lists_references and not paragraph.text:
                add_bookmark(paragraph, number, _bookmark(number), found[0])
            else:
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

    shown = link(paragraph, _bookmark(number))
    shown.add_text(f"[{number}]")
    shown.font.color.rgb = RGBColor(*_LINK_COLOUR)


def _bookmark(number: int) -> str:
    return f"reference_{number}"
