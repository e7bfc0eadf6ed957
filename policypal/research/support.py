"""Whether a draft's statements are carried by their quotations; what is not is said in the source's words, or goes (W3, C2)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from policypal.domain.citations import Citation, unmarked
from policypal.domain.research import ReportSection, ReportTable, Statement
from policypal.domain.support import Degree
from policypal.domain.text import counted
from policypal.gate.evidence import cited_words
from policypal.gate.supported import Supported, conclusion, judge
from policypal.gate.verbatim import IN_MARKS, WORD, is_quoted
from policypal.research.draft import citations_in, is_template, texts_of, without_markers

_SILENT = "—"


@dataclass(frozen=True, slots=True)
class Known:
    """A citation that was found, all the ``words`` it stands for, of which it shows no more than 300 characters, and the ``label`` of
    their provision."""

    citation: Citation
    words: str
    label: str = ""


_Known = Mapping[int, Known]
_Absence = Callable[[str, Sequence[Citation]], Supported | None]


@dataclass
class Support:
    """The draft after the check. Every statement left is ``verified`` or was ``repaired`` to its source's words, which verifies it;
    ``removed`` ones had no quotation that could stand for them. Counts include rows of tables."""

    sections: list[ReportSection] = field(default_factory=list)
    verified: int = 0
    repaired: int = 0
    removed: int = 0
    read: Mapping[str, bool] = field(default_factory=dict)
    absence: _Absence = lambda said, found: None

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
                f"{counted(self.removed, 'statement')} had no supporting passage and {'was' if self.removed == 1 else 'were'} removed."
            )
        return told


@dataclass(frozen=True, slots=True)
class Reworded:
    """What a draft says in other words than those it cites; ``text`` has its markers, ``reason`` is what the floor holds against it."""

    text: str
    cited: tuple[Known, ...]
    reason: str

    @property
    def key(self) -> str:
        """By which its second reading is kept."""
        return _key(without_markers(self.text), self.cited)


def reworded(sections: Iterable[ReportSection], known: _Known) -> Iterator[Reworded]:
    """Each statement and cell that a model has worded, once."""
    for text in dict.fromkeys(text for section in sections for text in texts_of(section)):
        cited = tuple(known[n] for n in citations_in(text) if n in known)
        if cited and not is_template(text) and not _is_whole(without_markers(text), cited):
            first = _judged(text, cited)
            if first.degree is not Degree.QUOTED:
                yield Reworded(text, cited, first.reason)


def check_support(
    sections: Iterable[ReportSection],
    known: _Known,
    read: Mapping[str, bool] | None = None,
    absence: _Absence = lambda said, found: None,
) -> Support:
    """Check every statement and row of a draft against what it cites (C2). ``read`` is what a second reading said of those in other words,
    by their keys; of the others the floor decides. ``absence`` searches for what a statement says the documents do not say."""
    support = Support(read=read or {}, absence=absence)
    for section in sections:
        statements = list(_statements(section.statements, known, support))
        table = _table(section.table, known, support) if section.table else None
        support.sections.append(ReportSection(heading=section.heading, statements=statements, table=table))
    return support


def _statements(statements: Sequence[Statement], known: _Known, support: Support) -> Iterator[Statement]:
    seen: set[str] = set()
    for statement in statements:
        checked = _checked(statement, known, support)
        if checked is None or checked.text in seen:
            support.removed += 1
            continue
        seen.add(checked.text)
        support.verified += checked.text == statement.text
        support.repaired += checked.text != statement.text
        yield checked


def _checked(statement: Statement, known: _Known, support: Support) -> Statement | None:
    """The statement, verified; the words of its sources instead; None where there are none."""
    if is_template(statement.text):
        return statement.model_copy(update={"citations": [], "verified": True})
    cited = [known[n] for n in citations_in(statement.text) if n in known]
    found = [k.citation for k in cited]
    if (absence := support.absence(without_markers(statement.text), found)) is not None:
        shown = " ".join([absence.text, *(f"[{c.id}]" for c in found)])
        return Statement(text=shown, citations=[c.id for c in found], verified=True) if absence.passes else None
    if not cited:
        return None
    if len(cited) == len(citations_in(statement.text)) and is_carried(statement.text, cited, support.read):
        return Statement(text=statement.text, citations=[k.citation.id for k in cited], verified=True)
    return Statement(text=_in_own_words(cited), citations=[k.citation.id for k in cited], verified=True)


def is_carried(text: str, cited: Sequence[Known], read: Mapping[str, bool]) -> bool:
    """Whether what is cited carries a statement, and the words it puts into quotation marks stand there."""
    said, quotes = without_markers(text), [k.words for k in cited]
    marked = (match[1] or match[2] for match in IN_MARKS.finditer(said))
    names, quoted = "\n".join(_sources(cited)).lower(), " \n ".join(quotes)
    if not all(
        words.lower() in names or is_quoted(words, quoted) for words in marked
    ):  # a source's name may stand in marks
        return False
    return _is_whole(said, cited) or read.get(_key(said, cited), _judged(text, cited).passes)


def _judged(text: str, cited: Sequence[Known]) -> Supported:
    return judge(without_markers(text), cited_words([k.words for k in cited], " ".join(_sources(cited))))


def _sources(cited: Sequence[Known]) -> list[str]:
    return [f"{_name(k.citation)} {k.citation.url or ''}" for k in cited]


def _key(said: str, cited: Sequence[Known]) -> str:
    return sha256("\n".join([said, *(k.words for k in cited)]).encode("utf-8", "replace")).hexdigest()[:20]


def _is_whole(said: str, cited: Sequence[Known]) -> bool:
    """Whether a statement is one whole quotation, or all of them in their order, behind nothing but the number of their provision."""
    for label in {k.label for k in cited}:
        said = said.removeprefix(f"{label}: ")
    own, quotes = WORD.findall(said.lower()), [WORD.findall(k.words.lower()) for k in cited]
    return bool(own) and (own in quotes or own == [word for words in quotes for word in words])


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
        checked = _row(row, known, support.read)
        if checked is None:
            support.removed += 1
            continue
        support.verified += checked == row
        support.repaired += checked != row
        rows.append(checked)
    return ReportTable(columns=table.columns, rows=rows) if rows else None


def _row(row: Sequence[str], known: _Known, read: Mapping[str, bool]) -> list[str] | None:
    """The row with every cell carried by a quotation of the row; None where it has none."""
    cited = [known[n] for cell in row for n in citations_in(cell) if n in known]
    return [_cell(cell, cited, known, read) for cell in row] if cited else None


def _cell(cell: str, of_row: Sequence[Known], known: _Known, read: Mapping[str, bool]) -> str:
    numbers = citations_in(cell)
    own = [known[n] for n in numbers if n in known]
    if own:
        return cell if len(own) == len(numbers) and is_carried(cell, own, read) else _in_own_words(own)
    said = without_markers(cell)
    held = cited_words([k.words for k in of_row], " ".join(_name(k.citation) for k in of_row))
    return said if said and not numbers and conclusion(said, held).passes else _SILENT
