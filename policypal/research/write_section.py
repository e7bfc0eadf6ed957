"""Task: one section of a research report, every sentence of it quoted (W3, C1, R4)."""

from collections.abc import Collection

from pydantic import BaseModel, Field

from policypal.answer.evidence import CITING_RULES, CitedSentence, Evidence, numbered_sentences
from policypal.gate.numbering import parts_of
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.research.material import all_of, quotations
from policypal.research.outline import SectionKind

MOST_SENTENCES = 8
MOST_ROWS = 20


class TableRow(BaseModel):
    """``cells`` are as many as the table has columns; those that state something are quoted."""

    cells: list[CitedSentence]


class SectionTable(BaseModel):
    columns: list[str]
    rows: list[TableRow]


class WriteSectionInput(BaseModel):
    """``evidence`` is what the outline gave to the section, with its numbers; or whole documents, of which it gave ``nearest``. ``used`` are quotations that other sections have; ``issues`` are what a review found in the last version."""

    goal: str
    heading: str
    focus: str
    kind: SectionKind = "theme"
    evidence: list[Evidence] = Field(default_factory=list)
    nearest: list[int] = Field(default_factory=list)
    used: list[str] = Field(default_factory=list)
    issues: list[str] = Field(default_factory=list)


class WrittenSection(BaseModel):
    """Two to eight sentences, and a table where one tells more. Both empty where there is nothing to write from."""

    sentences: list[CitedSentence] = Field(default_factory=list)
    table: SectionTable | None = None


_INSTRUCTIONS = f"""\
You write one section of a research report for a compliance team.

{CITING_RULES}
Section
- Two to {MOST_SENTENCES} sentences that establish the focus, the most important first; each cites at least one sentence. Where
  sources agree, say so once and cite each; where they differ, say who requires what, and cite both. Rest on several sources where
  several speak. No introduction, no transition, no conclusion: a statement that cites nothing is removed.
- Do not repeat what the sentences under <used> already say in other sections.
- kind deadlines: a table with the columns Deadline or threshold, Requirement, Source. kind bound: Bound party, Duty, Source.
  kind findings: the direct answer to the goal. kind differences: Subject, One source, Another source. Every row cites its evidence. Otherwise table is null, unless a table tells more.
- <nearest>, where it is given: the documents are given whole, and these are the passages that were chosen for this section. Cite whatever
  else in them the focus needs: a condition, an exception, a definition.
- Name sources as the evidence names them. <issues> are what a reviewer found in the last version of the section: repair them
  from the evidence, or leave the sentence out.
"""


def prompt(given: WriteSectionInput) -> Prompt:
    """What a model is sent, what all sections share first, so that providers cache it (M7); everything untrusted is fenced (X2)."""
    named = {"goal": given.goal, "heading": given.heading, "focus": given.focus}
    lists = {"nearest": [", ".join(map(str, given.nearest))], "used": given.used, "issues": given.issues}
    parts = [f"Kind: {given.kind}", *(fenced(label, text) for label, text in named.items())]
    parts += [fenced(label, "\n".join(lines)) for label, lines in lists.items() if any(lines)]
    return Prompt(_INSTRUCTIONS, "\n".join([numbered_sentences(given.evidence), *parts]))


def extractive(given: WriteSectionInput, context: TaskContext) -> WrittenSection:
    """The provisions that were found for the focus, quoted (R4)."""
    return WrittenSection(sentences=list(quotations(all_of(given.focus, given.evidence))))


def sound_section(written: WrittenSection, given: WriteSectionInput) -> WrittenSection:
    """A model's section with what holds of it: citations of evidence it was given, at most eight sentences, rows as wide as the table."""
    known = {e.number for e in given.evidence}
    sentences = [_sound(s, known) for s in written.sentences if s.text.strip()][:MOST_SENTENCES]
    return WrittenSection(sentences=sentences, table=_sound_table(written.table, known) if written.table else None)


def _sound(sentence: CitedSentence, known: Collection[int]) -> CitedSentence:
    cites = [c for c in sentence.cites if parts_of(c)[0] in known]
    quotes = [q for q in sentence.quotes if q.evidence in known and q.text.strip()]
    return CitedSentence(text=" ".join(sentence.text.split()), cites=cites, quotes=quotes)


def _sound_table(table: SectionTable, known: Collection[int]) -> SectionTable | None:
    columns = [" ".join(c.split()) for c in table.columns]
    rows = [
        TableRow(cells=[_sound(c, known) for c in row.cells]) for row in table.rows if len(row.cells) == len(columns)
    ]
    quoted = [row for row in rows if any(cell.rests_on for cell in row.cells)][:MOST_ROWS]
    return SectionTable(columns=columns, rows=quoted) if quoted else None


WRITE_SECTION: Task[WriteSectionInput, WrittenSection] = Task(
    name="write_section", version="4", output=WrittenSection, prompt=prompt, extractive=extractive
)
