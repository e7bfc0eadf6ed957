"""Whether a draft's statements are carried by their quotations; what is not is said in the source's words, or goes (W3, C2)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from policypal.domain.citations import Citation, unmarked
from policypal.domain.research import ReportSection, ReportTable, Statement
from policypal.domain.text import counted
from policypal.gate.claims import missing_figures
from policypal.gate.evidence import cited_words
from policypal.gate.supported import judge
from policypal.gate.verbatim import IN_MARKS, WORD, is_quoted
from policypal.research.draft import citations_in, is_template, without_markers

_SILENT = "—"


@dataclass(frozen=True, slots=True)
class Known:
    """A citation and all the ``words`` it stands for."""

    citation: Citation
    words: str


_Known = Mapping[int, Known]


@dataclass
class Support:
    """The draft after the check. Every statement left is ``verified`` or was ``repaired`` to its source's words, which verifies it;
    ``removed`` ones had no quotation that could stand for them. Counts include rows of tables."""

    sections: list[ReportSection] = field(default_factory=list)
    verified: int = 0
    repaired: int = 0
    removed: int = 0

    @property
    def notices(self) -> list[str]:
        """What happened, for the person who reads the report."""
        told = []
        if self.repaired:
            told.append(
                f"{counted(self.repaired, 'statement')} said more than the cited passages; the passages' own words stand instead."
            )
        if self.removed:
            told.append(
                f"{counted(self.removed, 'statement')} had no supporting passage and {_was(self.removed)} removed."
            )
        return told


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def check_support(
    sections: Iterable[ReportSection], citations: Sequence[Citation], whole: Mapping[int, str] | None = None
) -> Support:
    """Check every statement and row of a draft against what it cites (C2). ``whole`` are the cited sentences in full by the numbers of their
    citations, which show no more than 300 characters. No model."""
    known = {c.id: Known(c, (whole or {}).get(c.id, c.quote)) for c in citations if c.verified}
    support = Support()
    for section in sections:
        statements = list(_statements(section.statements, known, support))
        table = _table(section.table, known, support) if section.table else None
        if section.table and table is None:
            statements = [s for s in statements if not is_template(s.text)]  # what introduced it
        support.sections.append(ReportSection(heading=section.heading, statements=statements, table=table))
    return support


def _statements(statements: Sequence[Statement], known: _Known, support: Support) -> Iterator[Statement]:
    seen: set[str] = set()
    for statement in statements:
        checked = _checked(statement, known)
        if checked is None or checked.text in seen:
            support.removed += 1
            continue
        seen.add(checked.text)
        support.verified += checked.text == statement.text
        support.repaired += checked.text != statement.text
        yield checked


def _checked(statement: Statement, known: _Known) -> Statement | None:
    """The statement, verified; the words of its sources instead; None where there are none."""
    if is_template(statement.text):
        return statement.model_copy(update={"citations": [], "verified": True})
    cited = [known[n] for n in citations_in(statement.text) if n in known]
    if not cited:
        return None
    if len(cited) == len(citations_in(statement.text)) and is_carried(statement.text, cited):
        return Statement(text=statement.text, citations=[k.citation.id for k in cited], verified=True)
    return Statement(text=_in_own_words(cited), citations=[k.citation.id for k in cited], verified=True)


def is_carried(text: str, cited: Sequence[Known]) -> bool:
    """Whether what is cited carries a statement, and the words it puts into quotation marks stand there."""
    said, quotes = without_markers(text), [k.words for k in cited]
    sources = [f"{_name(k.citation)} {k.citation.url or ''}" for k in cited]
    marked = (match[1] or match[2] for match in IN_MARKS.finditer(said))
    return all(_is_quoted(words, quotes, sources) for words in marked) and (
        _is_whole(said, quotes) or judge(said, cited_words(quotes, " ".join(sources))).passes
    )


def _is_whole(said: str, quotes: Sequence[str]) -> bool:
    """Whether a statement is a whole quotation, with the headings and numbers that the reader of sentences takes off it."""
    own = WORD.findall(said.lower())
    return bool(own) and any(own == WORD.findall(quote.lower()) for quote in quotes)


def _is_quoted(words: str, quotes: Sequence[str], sources: Sequence[str]) -> bool:
    """Whether the words stand in a quotation; a source's name may stand in marks."""
    return any(words.lower() in name.lower() for name in sources) or is_quoted(words, " \n ".join(quotes))


def _in_own_words(cited: Sequence[Known]) -> str:
    """Each source with what it says; sources that say the same are named together."""
    told: dict[str, list[Citation]] = {}
    for citation in (k.citation for k in cited):
        told.setdefault(" ".join(citation.quote.split()), []).append(citation)
    return " ".join(
        f"{'; '.join(_name(c) for c in group)}: “{unmarked(quote)}” {' '.join(c.marker for c in group)}"
        for quote, group in told.items()
    )


def _name(citation: Citation) -> str:
    """A citation's source as keyless sentences name it."""
    versioned = not citation.version or f"({citation.version})" in citation.title
    title = citation.title if versioned else f"{citation.title} ({citation.version})"
    return unmarked(title if citation.page is None else f"{title}, page {citation.page}")


def _table(table: ReportTable, known: _Known, support: Support) -> ReportTable | None:
    rows = []
    for row in table.rows:
        checked = _row(row, known)
        if checked is None:
            support.removed += 1
            continue
        support.verified += checked == row
        support.repaired += checked != row
        rows.append(checked)
    return ReportTable(columns=table.columns, rows=rows) if rows else None


def _row(row: Sequence[str], known: _Known) -> list[str] | None:
    """The row with every cell carried by a quotation of the row; None where it has none."""
    cited = [known[n] for cell in row for n in citations_in(cell) if n in known]
    return [_cell(cell, cited, known) for cell in row] if cited else None


def _cell(cell: str, of_row: Sequence[Known], known: _Known) -> str:
    numbers = citations_in(cell)
    own = [known[n] for n in numbers if n in known]
    if own:
        return cell if len(own) == len(numbers) and is_carried(cell, own) else _in_own_words(own)
    said = without_markers(cell)
    missing = missing_figures(said, [*(k.words for k in of_row), *(_name(k.citation) for k in of_row)])
    return _SILENT if missing or numbers or not said else said
