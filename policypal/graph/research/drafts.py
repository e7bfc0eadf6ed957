"""A draft between the stages: plain data in the state, Markdown where a person edits it (W6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from policypal.answer.evidence import Evidence
from policypal.domain.citations import Citation
from policypal.domain.documents import DocumentType, Passage, RetrievedPassage
from policypal.domain.research import Contradiction, ReportSection, ReportTable, Source, SourcePassage, Statement
from policypal.domain.text import storable
from policypal.domain.web import WebPassage
from policypal.graph.citing import Citer, citer_for, numbered_evidence
from policypal.graph.context import NodeContext
from policypal.graph.web_evidence import numbered_web_evidence
from policypal.research.draft import MARKER, citations_in, texts_of

_BULLET = re.compile(r"^(?:[-*•]|\d+[.)])\s+")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"^\|?[\s:|-]+\|?$")


class Draft(BaseModel):
    """``notices`` tell what the check of its facts has changed. Without a title: there is none yet."""

    model_config = ConfigDict(frozen=True)

    title: str = ""
    sections: list[ReportSection] = []
    citations: list[Citation] = []
    notices: list[str] = []

    @property
    def written(self) -> list[ReportSection]:
        """The sections that say something."""
        return [s for s in self.sections if s.statements or s.table]

    @property
    def markdown(self) -> str:
        """A statement per line, so that what a person changes is checked line by line."""
        blocks = [f"# {self.title}"]
        for section in self.written:
            blocks.append(f"## {section.heading}")
            blocks.append("\n".join(f"- {s.text}" for s in section.statements))
            blocks.append(_table_markdown(section.table) if section.table else "")
        return "\n\n".join(block for block in blocks if block)

    def edited(self, markdown: str) -> Draft:
        """The draft with a person's words; markers go on to mean what they meant. Nothing in it counts as verified."""
        title, sections = self.title, list[ReportSection]()
        heading, lines = "", list[str]()
        for line in [*storable(markdown).splitlines(), "## "]:
            if line.startswith("# "):
                title = line[2:].strip() or title
            elif line.startswith("##"):
                sections += _section(heading, lines)
                heading, lines = line.lstrip("#").strip(), []
            elif line.strip():
                lines.append(line.strip())
        return Draft(title=title, sections=sections, citations=self.citations)


def renumbered(
    sections: Sequence[ReportSection], citations: Sequence[Citation], contradictions: Sequence[Contradiction]
) -> tuple[list[ReportSection], list[Citation], list[Contradiction]]:
    """Only the citations that are used, numbered from 1 in the order of their first marker."""
    used = [n for section in sections for text in texts_of(section) for n in citations_in(text)]
    used += [n for c in contradictions for n in (c.left, c.right)]
    known = {c.id: c for c in citations}
    numbers = {old: new for new, old in enumerate((n for n in dict.fromkeys(used) if n in known), 1)}

    def new(text: str) -> str:
        return MARKER.sub(lambda m: f"{m[0].removesuffix(m[1])}{numbers.get(int(m[1]), m[1])}", text)

    return (
        [_mapped(section, new) for section in sections],
        [known[old].model_copy(update={"id": number}) for old, number in numbers.items()],
        [
            c.model_copy(update={"left": numbers[c.left], "right": numbers[c.right]})
            for c in contradictions
            if c.left in numbers and c.right in numbers
        ],
    )


def _mapped(section: ReportSection, new: Callable[[str], str]) -> ReportSection:
    statements = [
        s.model_copy(update={"text": new(s.text), "citations": citations_in(new(s.text))}) for s in section.statements
    ]
    table = section.table
    if table is not None:
        table = table.model_copy(update={"rows": [[new(cell) for cell in row] for row in table.rows]})
    return section.model_copy(update={"statements": statements, "table": table})


def _section(heading: str, lines: Sequence[str]) -> Iterator[ReportSection]:
    said = [_BULLET.sub("", line) for line in lines if not line.startswith("|")]
    rows = [_cells(line) for line in lines if line.startswith("|") and not _RULE.match(line)]
    table = (
        ReportTable(columns=rows[0], rows=[r for r in rows[1:] if len(r) == len(rows[0])]) if len(rows) > 1 else None
    )
    if said or table:
        statements = [Statement(text=text, citations=citations_in(text)) for text in said]
        yield ReportSection(heading=heading or "Introduction", statements=statements, table=table)


def _table_markdown(table: ReportTable) -> str:
    rows = [table.columns, ["---"] * len(table.columns), *table.rows]
    return "\n".join("| " + " | ".join(_CELL_BORDER.sub(r"\\|", cell) for cell in row) + " |" for row in rows)


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL_BORDER.split(line.strip().strip("|"))]


def evidence_of(state: Mapping[str, Any]) -> list[Evidence]:
    """All passages, those of documents first."""
    documents, pages = _split(state)
    numbered = numbered_evidence([RetrievedPassage(p, score, similarity=0.0) for p, score in documents])
    return [*numbered, *numbered_web_evidence(pages, after=len(numbered))]


def keys_by_number(state: Mapping[str, Any]) -> dict[int, str]:
    """The source of each numbered passage."""
    documents, pages = _split(state)
    keys = {s["url"]: s["key"] for s in state["sources"] if s["source_type"] == "web"}
    return dict(enumerate([*(p.document_id for p, _ in documents), *(keys[p.url] for p in pages)], 1))


def citer_of(state: Mapping[str, Any], context: NodeContext) -> Citer:
    """A citer for them; of a document that was deleted meanwhile nothing can be quoted any more."""
    documents, pages = _split(state)
    return citer_for(context, [p for p, _ in documents], pages)


def _split(state: Mapping[str, Any]) -> tuple[list[tuple[Passage, float]], list[WebPassage]]:
    sources = {s["key"]: Source(**s) for s in state["sources"]}
    passages = [(sources[p["source"]], SourcePassage(**p)) for p in state["passages"]]
    documents = [(_passage(s, p, n), p.score) for n, (s, p) in enumerate(passages) if s.source_type == "document"]
    return documents, [_web_passage(s, p) for s, p in passages if s.source_type == "web"]


def _passage(source: Source, passage: SourcePassage, ordinal: int) -> Passage:
    return Passage(
        id=passage.chunk_id, document_id=source.key, document_title=source.title, document_version=source.host,
        document_type=DocumentType.REGULATORY, ordinal=passage.provision or ordinal, page=passage.page or 1, start=passage.start,
        label=passage.label, introduction=passage.introduction, kinds=frozenset(passage.kinds),
        end=passage.start + len(passage.text), heading=passage.heading, text=passage.text,
    )  # fmt: skip


def _web_passage(source: Source, passage: SourcePassage) -> WebPassage:
    return WebPassage(
        url=source.url or source.key, title=source.title, host=source.host, published=source.published, start=passage.start,
        text=passage.text, is_excerpt=passage.is_excerpt, score=passage.score,
    )  # fmt: skip
