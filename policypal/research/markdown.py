"""A report as Markdown that fetches nothing and links to nothing but its sources (W6, X2)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from policypal.domain.citations import Citation
from policypal.domain.research import Contradiction, Report, ReportSection, ReportTable, Source, Statement
from policypal.domain.web import host_of
from policypal.export.transcript import plain_line
from policypal.research.draft import NOTHING_FOUND, citations_in, is_template, texts_of

CONTRADICTIONS = "Where the sources disagree"
ISSUES = "Open issues"
ISSUES_INTRO = "The review before publication still holds the following against this report:"
NOTES = "Please note"
REFERENCES = "References"
_BLOCK = re.compile(r"^(?=[#>|=~+-])|^(\d{1,9})(?=[.)]\s)")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_SAFE_URL = re.compile(r"https?://[^\s<>\"\\|`]{1,2000}")


def report_markdown(report: Report, disclaimers: Sequence[str] = (), notices: Sequence[str] = ()) -> str:
    """Title, notices, sections with tables, contradictions, open issues, disclaimers, and the references that are cited.

    Markers stay as they are (📄1, 🌐2) and number the references. Everything that came from documents, pages or models is escaped.
    """
    blocks = [f"# {_line(report.title) or 'Research report'}", *(f"*{_line(notice)}*" for notice in notices)]
    known = {c.id: c for c in report.citations}
    blocks += _contradictions(report.contradictions, known)
    for section in report.sections:
        blocks += _section(section, known if report.engine == "extractive" else None)
    if not any(s.statements or s.table for s in report.sections):
        blocks.append(NOTHING_FOUND)
    if report.issues:
        blocks += [f"## {ISSUES}", ISSUES_INTRO, _bullets(report.issues)]
    if disclaimers:
        blocks += [f"## {NOTES}", *map(_line, disclaimers)]
    blocks += _references(report)
    return "\n\n".join(filter(None, blocks)) + "\n"


def _line(text: str) -> str:
    """One line of inert text that does not begin a block."""
    return _BLOCK.sub(lambda m: f"{m[1] or ''}\\", plain_line(text))


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_line(line)}" for line in lines)


def _section(section: ReportSection, quoted: Mapping[int, Citation] | None) -> Iterator[str]:
    """Quotations as lists below the names of their sources (U2d), prose as a paragraph; a template introduces what is below it."""
    yield f"## {_line(section.heading)}"
    yield from (_line(s.text) for s in section.statements if _introduces(s.text))
    said = [s for s in section.statements if not _introduces(s.text)]
    if quoted is None and not any(is_template(s.text) for s in said):
        yield " ".join(_line(s.text) for s in said)
    else:
        for source, ours in groupby(said, key=lambda s: _source(s, quoted or {})):
            yield f"### {_line(source)}" if source else ""
            yield _bullets([s.text for s in ours])
    if section.table and section.table.rows:
        yield _table(section.table)


def _source(statement: Statement, quoted: Mapping[int, Citation]) -> str:
    cited = (quoted[n] for n in statement.citations if n in quoted)
    return next((c.display_title for c in cited), "")


def _introduces(text: str) -> bool:
    return is_template(text) and not text.startswith("Not answered")


def _table(table: ReportTable) -> str:
    width = len(table.columns)
    rule = "|" + " --- |" * width
    rows = [row[:width] + [""] * (width - len(row)) for row in table.rows]
    return "\n".join([_row(table.columns), rule, *map(_row, rows)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_CELL_BORDER.sub(r"\\|", plain_line(cell)) for cell in cells) + " |"


def _contradictions(found: Sequence[Contradiction], known: Mapping[int, Citation]) -> Iterator[str]:
    if found:
        yield f"## {CONTRADICTIONS}"
        markers = [" ".join(known[n].marker for n in (c.left, c.right) if n in known) for c in found]
        told = [f"- **{plain_line(c.subject)}:** {plain_line(c.explanation)}" for c in found]
        yield "\n".join(map(" ".join, zip(told, markers, strict=True)))


def _references(report: Report) -> Iterator[str]:
    cited = cited_in(report)
    if cited:
        sources = {key: s for s in report.sources for key in (s.document_id, s.url) if key}
        places: dict[str, list[str]] = {}
        for citation in cited:
            places.setdefault(reference_of(citation, sources), []).append(citation.marker)
        yield f"## {REFERENCES}"
        yield "\n".join(f"- {' '.join(markers)} {place}" for place, markers in places.items())


def cited_in(report: Report) -> list[Citation]:
    """The citations that the report's sections and contradictions use, by number."""
    used = {n for section in report.sections for text in texts_of(section) for n in citations_in(text)}
    used |= {n for c in report.contradictions for n in (c.left, c.right)}
    return sorted((c for c in report.citations if c.id in used), key=lambda c: c.id)


def reference_of(citation: Citation, sources: Mapping[str, Source]) -> str:
    """A line of the reference list: title with version, page; or title, host, date and address of a web page."""
    if citation.source_type == "document":
        title = citation.display_title
        return _line(title if citation.page is None else f"{title}, page {citation.page}")
    url = citation.url or ""
    told = plain_line(", ".join(filter(None, (citation.title, *origin_of(citation, sources.get(url))))))
    return f"{told}, <{url}>" if _SAFE_URL.fullmatch(url) else told


def origin_of(citation: Citation, source: Source | None) -> tuple[str, str]:
    """The host of a web page and the day it is dated, each empty if unknown."""
    host = (source.host if source else "") or host_of(citation.url or "")
    return host, citation.version or (source.published if source else "")
