"""Pieces of a Word document that python-docx has no call for."""

import io
from collections.abc import Mapping
from typing import Any


def element(name: str, attributes: Mapping[str, str] | None = None) -> Any:
    """An element of the main namespace with attributes of the same: ("hyperlink", {"anchor": …})."""
    from docx.oxml.ns import qn
    from docx.oxml.parser import OxmlElement

    made = OxmlElement(f"w:{name}")
    for key, value in (attributes or {}).items():
        made.set(qn(f"w:{key}"), value)
    return made


def add_bookmark(paragraph: Any, number: int, name: str, text: str) -> None:
    """``text`` at the end of a paragraph as a place that links lead to; ``number`` tells it from others in the file."""
    paragraph._p.append(element("bookmarkStart", {"id": str(number), "name": name}))
    paragraph.add_run(text)
    paragraph._p.append(element("bookmarkEnd", {"id": str(number)}))


def link(paragraph: Any, anchor: str) -> Any:
    """An empty run at the end of a paragraph that leads to the bookmark of this name."""
    from docx.text.run import Run

    made, run = element("hyperlink", {"anchor": anchor}), element("r")
    made.append(run)
    paragraph._p.append(made)
    return Run(run, paragraph)


def repeat_head(table: Any) -> None:
    """Show the first row of a table on every page it goes on to."""
    table.rows[0]._tr.get_or_add_trPr().append(element("tblHeader"))


def keep_rows_whole(table: Any) -> None:
    """Begin a row that does not fit on a page on the next one."""
    for row in table.rows:
        row._tr.get_or_add_trPr().append(element("cantSplit"))


def saved(document: Any) -> bytes:
    """The file."""
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()
