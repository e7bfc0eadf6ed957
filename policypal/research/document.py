"""A report as a file: Markdown, or a Word document, with the list of references its numbers stand for (W6).

Both are made of the text that is shown, whether a run wrote it or a person edited it. The same version gives the same
bytes, so that a report which is filed twice is recognised.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from policypal.domain.citations import Citation
from policypal.domain.research import Report
from policypal.export.reports import office_text
from policypal.export.transcript import harmless, plain_line
from policypal.research.draft import MARKER
from policypal.research.markdown import ISSUES, REFERENCES, origin_of
from policypal.research.word_body import add_body, add_bookmark

if TYPE_CHECKING:
    from docx.document import Document

_TITLE = re.compile(r"\A\s*#\s+[^\n]*\n?")
_HEADING = re.compile(r"^(#{1,6})(?=\s)", re.MULTILINE)
_LIST_OF_REFERENCES = re.compile(rf"^#{{1,6}}\s+{REFERENCES}\s*$(?![\s\S]*^#)", re.MULTILINE)
_LISTED = re.compile(rf"\s*[-*+]\s+{MARKER.pattern}")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
_MOST_PROPERTY_CHARACTERS = 255
_ONE_DAY = (1980, 1, 1, 0, 0, 0)
_UNTITLED = "Research report"
_ENGINES = {"extractive": "the extractive engine (quotations and templates only)", "openai": "the OpenAI engine"}


def report_markdown(report: Report) -> bytes:
    """UTF-8 Markdown: title, how it was made, the text with numbers in brackets, issues, references. Nothing in it fetches
    or runs anything where it is opened (X2)."""
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
    return ("\n\n".join(_TURNED.sub("", block) for block in blocks if block) + "\n").encode("utf-8", errors="replace")


def report_docx(report: Report) -> bytes:
    """A Word document: real headings, tables and lists; every number leads to its reference. Nothing in it is a field, and
    nothing in it leads outside."""
    from docx import Document as new_document

    document = new_document()
    parts = _parts(report)
    numbers = {c.id for c in parts.cited}
    _set_properties(document, report)
    document.add_heading(office_text(report.title) or _UNTITLED, level=0)
    document.add_paragraph(office_text(_made(report)))
    add_body(document, office_text(parts.body), MARKER, numbers)
    if parts.issues:
        document.add_heading(ISSUES, level=1)
        for issue in parts.issues:
            document.add_paragraph(office_text(issue), style="List Bullet")
    if parts.cited or parts.own_references:
        document.add_heading(REFERENCES, level=1)
    for citation in parts.cited:
        _add_reference(document, citation, report)
    add_body(document, office_text(parts.own_references), MARKER, numbers)
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
    engine = _ENGINES.get(report.engine, report.engine)
    return f"PolicyPal research report, version {report.version}, {origin}{when}." + (
        f" Made by {engine}." if engine else ""
    )


def _numbered(markdown: str, numbers: set[int]) -> str:
    """The text with "[1]" in place of its markers. What follows must not turn that into a link or a definition."""

    def shown(found: re.Match[str]) -> str:
        if int(found[1]) not in numbers:
            return found[0]
        return f"[{found[1]}]" + (" " if markdown[found.end() : found.end() + 1] in ("(", ":", "[") else "")

    return MARKER.sub(shown, markdown)


def _described(citation: Citation, report: Report) -> list[str]:
    """Title and version, page; of a web page its host and day."""
    if citation.source_type == "document":
        return [citation.display_title, f"page {citation.page}" if citation.page is not None else ""]
    source = next((s for s in report.sources if s.url and s.url == citation.url), None)
    return [citation.title, *origin_of(citation, source)]


def _quotation(citation: Citation) -> str:
    """An unverified quote has no quotation marks (C2)."""
    quote = " ".join(citation.quote.split())
    return f"“{quote}”" if citation.verified else f"{quote} (not verified)"


def _reference_markdown(citation: Citation, report: Report) -> str:
    parts = [plain_line(part) for part in _described(citation, report) if part]
    address = [f"<{citation.url}>"] if citation.url and not set("<> \n") & set(citation.url) else []
    return f"{', '.join([*parts, *address])}: {plain_line(_quotation(citation))}"


def _add_reference(document: Document, citation: Citation, report: Report) -> None:
    paragraph = document.add_paragraph()
    add_bookmark(paragraph, citation.id, f"[{citation.id}]")
    parts = [part for part in (*_described(citation, report), citation.url) if part]
    paragraph.add_run(office_text(f" {', '.join(parts)}: {_quotation(citation)}"))


def _set_properties(document: Document, report: Report) -> None:
    properties = document.core_properties
    properties.title = office_text(report.title)[:_MOST_PROPERTY_CHARACTERS]
    properties.author = "PolicyPal"
    properties.comments = ""
    if report.created_at:
        properties.created = properties.modified = report.created_at


def _without_clock(document: Document) -> bytes:
    """The document's bytes, the same however often and whenever it is made."""
    made, told = io.BytesIO(), io.BytesIO()
    document.save(made)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(told, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(zipfile.ZipInfo(name, _ONE_DAY), source.read(name), zipfile.ZIP_DEFLATED)
    return told.getvalue()
