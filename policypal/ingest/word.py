"""Word documents: everything a reader sees in the text, in the order it stands there (D1).

Inserted text of tracked changes counts and deleted text does not; content controls, text boxes and notes are read too.
"""

import io
from collections.abc import Iterator
from typing import Any

from policypal.errors import NotADocument
from policypal.ingest.list_marks import WordLists
from policypal.ingest.titles import sensible_title

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_UNSEEN = frozenset((f"{_W}del", f"{_W}moveFrom", f"{_W}pPr", f"{_W}rPr", _FALLBACK))
_WRAPPERS = frozenset(f"{_W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
_MARKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_OTHER_WORD = "This is a Word template or a special Word format. Please save it as an ordinary DOCX or as PDF."


def read_docx(data: bytes) -> tuple[str, str, list[str]]:
    """The document's own title, which may be empty, its text and its headings; table cells are separated by " | ", and items of lists
    begin with the marks that Word draws. Raises NotADocument: another kind of Word file."""
    from docx import Document

    try:
        document = Document(io.BytesIO(data))
    except (ValueError, KeyError):  # what the reader says of templates and of the strict variant of the format
        raise NotADocument(_OTHER_WORD) from None
    lists = WordLists.of(document)
    blocks, headings = [], []
    for element in _inside(document.element.body, f"{_W}p", f"{_W}tbl"):
        blocks.append(_block(element, lists))
        if element.tag == f"{_W}p" and blocks[-1].strip() and lists.is_heading(element):
            headings.append(" ".join(blocks[-1].split()))
    blocks += _notes(document)
    title = sensible_title(document.core_properties.title) or _styled_title(document)
    return title, "\n\n".join(block for block in blocks if block.strip()), headings


def _styled_title(document: Any) -> str:
    for paragraph in document.paragraphs[:50]:
        if paragraph.text.strip() and paragraph.style is not None and paragraph.style.name in ("Title", "Heading 1"):
            return str(paragraph.text)
    return ""


def _inside(parent: Any, *wanted: str) -> Iterator[Any]:
    """The wanted elements of a parent, also those in content controls and tracked insertions."""
    for child in parent:
        if child.tag in wanted:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, *wanted)


def _block(element: Any, lists: WordLists) -> str:
    if element.tag != f"{_W}p":
        return "\n".join(_rows(element))
    text = _text(element)
    return f"{lists.mark(element)} {text}".lstrip() if text.strip() else ""


def _rows(table: Any) -> Iterator[str]:
    for row in _inside(table, f"{_W}tr"):
        cells = [" ".join(_text(cell).split()) for cell in _inside(row, f"{_W}tc")]
        if any(cells):  # an empty cell keeps its place, so that each stands below the head of its column
            yield " | ".join(cells)


def _text(element: Any) -> str:
    """The text below an element; what stands in a text box begins a line of its own."""
    parts: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        if node.tag == f"{_W}t":
            parts.append(_said(node))
        elif node.tag in _MARKS:
            parts.append(_MARKS[node.tag])
        elif node.tag not in _UNSEEN:
            if node.tag == f"{_W}p" and parts:
                parts.append("\n")
            stack.extend(reversed(node))
    return "".join(parts)


def _said(run: Any) -> str:
    """The characters of a text element. An entity, which no Word file needs, is not resolved and stands as it is written."""
    return (run.text or "") + "".join(f"{child.text or ''}{child.tail or ''}" for child in run)


def _notes(document: Any) -> list[str]:
    """Footnotes and endnotes, each with its number."""
    from docx.oxml import parse_xml

    found = []
    for kind in ("footnote", "endnote"):
        for relation in document.part.rels.values():
            if not relation.is_external and relation.reltype.endswith(f"/{kind}s"):
                notes = parse_xml(relation.target_part.blob).findall(f"{_W}{kind}")
                texts = [_text(note).strip() for note in notes if note.get(f"{_W}type") is None]
                found += [f"{kind.capitalize()} {n}: {text}" for n, text in enumerate(texts, 1)]
    return found
