"""From written sections to a draft: every quotation once, every sentence with its markers or a template (W3, R4)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from policypal.answer.evidence import CitedSentence
from policypal.domain.citations import unmarked
from policypal.domain.research import ReportSection, ReportTable, Statement
from policypal.gate.numbering import parts_of
from policypal.research.write_section import SectionTable, WrittenSection

Render = Callable[[CitedSentence], str]
"""A cited sentence as Markdown with its markers; its quotes were looked up, and it is flagged where they do not carry it."""

GAPS = "What the sources do not answer"
GAPS_INTRO = "No passage that answers the following was found in the sources read:"
NOTHING_FOUND = (
    "No passage that speaks of this subject was found in the sources read, so there is nothing to report. Please add documents to "
    "the library, widen the sources of the plan, or phrase the goal in the terms that the documents use."
)
MARKER = re.compile(r"[📄🌐]\ufe0f?\s?(\d{1,4})")
_GAP = re.compile(r"Not answered: [^.!?]{1,200}[.?]")
_TEMPLATES = frozenset({GAPS_INTRO, NOTHING_FOUND})


def is_template(text: str) -> bool:
    """Whether it is a sentence of ours that claims nothing of its own, so that it needs no quotation (R4)."""
    return text in _TEMPLATES or _GAP.fullmatch(text) is not None


def citations_in(text: str) -> list[int]:
    """The numbers of the markers in a text, each once, in order."""
    return list(dict.fromkeys(int(number) for number in MARKER.findall(text)))


def texts_of(section: ReportSection) -> Iterator[str]:
    """Everything a section says: its statements, then the cells of its table."""
    yield from (s.text for s in section.statements)
    yield from (cell for row in (section.table.rows if section.table else []) for cell in row)


def without_markers(text: str) -> str:
    """What the text says, on one line."""
    return " ".join(re.sub(r"\s+([.,;:!?])", r"\1", MARKER.sub(" ", text)).split())


def section_of(heading: str, written: WrittenSection, render: Render) -> ReportSection:
    """The section as it stands in the draft; nothing in it counts as verified before :mod:`policypal.research.support` has
    looked at it, but templates do."""
    said = [sentence for sentence in written.sentences if sentence.rests_on or not _GAP.fullmatch(sentence.text)]
    statements = [_statement(sentence, render) for sentence in said]
    table = _rendered(written.table, render) if written.table else None
    return ReportSection(heading=heading, statements=statements, table=table)


def gaps_section(unanswered: Sequence[str]) -> list[ReportSection]:
    """The section on what the sources do not answer, in the plan's own words; none where nothing is open."""
    told = [text for text in map(_gap, unanswered) if text]
    statements = [Statement(text=text, verified=True) for text in [GAPS_INTRO, *told]]
    return [ReportSection(heading=GAPS, statements=statements)] if told else []


def _statement(sentence: CitedSentence, render: Render) -> Statement:
    if not sentence.rests_on and sentence.text in _TEMPLATES:
        return Statement(text=sentence.text, verified=True)
    text = render(sentence)
    return Statement(text=text, citations=citations_in(text))


def _gap(question: str) -> str:
    """A question in a phrase that cannot become a second sentence; "" if nothing is left of it."""
    flat = unmarked(" ".join(question.split()))
    phrase = re.sub(r"\s*[.!?]+\s*", " ", flat).strip(" ,;:")[:200].rstrip()
    return f"Not answered: {phrase}{'?' if flat.endswith('?') else '.'}" if phrase else ""


def _rendered(table: SectionTable, render: Render) -> ReportTable:
    rows = [[render(cell) if cell.rests_on else unmarked(cell.text) for cell in row.cells] for row in table.rows]
    return ReportTable(columns=table.columns, rows=rows)


def without_repetition(sections: Iterable[WrittenSection]) -> list[WrittenSection]:
    """The sections without the sentences that cite nothing an earlier one does not. Tables are overviews: they may repeat."""
    told: set[str] = set()
    return [_fresh(section, told) for section in sections]


def _fresh(section: WrittenSection, told: set[str]) -> WrittenSection:
    kept = []
    for sentence in section.sentences:
        numbers = (f"[{passage}.{n}]" for passage, n in map(parts_of, sentence.cites))
        cited = {*numbers, *(" ".join(q.text.split()) for q in sentence.quotes)}
        # a quotation may stand in one told before, be it of an overlapping passage
        if not cited or not all(any(words in known for known in told) for words in cited):
            kept.append(sentence)
        told |= cited
    return section.model_copy(update={"sentences": kept})
