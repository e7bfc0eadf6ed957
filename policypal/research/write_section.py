"""Task: one section of a research report, every sentence of it quoted (W3, C1, R4)."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from policypal.answer.evidence import CITING_RULES, CitedSentence, Evidence, numbered_sentences
from policypal.answer.questions import Question
from policypal.answer.quoting import quote
from policypal.answer.view import ShownProvision
from policypal.gate.numbering import parts_of
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.research.material import found_for, together
from policypal.research.outline import MOST_OF_QUESTION, open_questions, opening_of
from policypal.research.section_tables import TABLE_INTRO, SectionKind, SectionTable, TableRow, limits_table

MOST_SENTENCES = 8
MOST_ROWS = 20


class WriteSectionInput(BaseModel):
    """``evidence`` is what the outline gave to the section, with its numbers. ``questions`` are the plan's, for the section
    on what stays open; ``used`` are quotations that other sections have; ``issues`` are what a review found in the last version."""

    goal: str
    heading: str
    focus: str
    kind: SectionKind = "theme"
    evidence: list[Evidence] = Field(default_factory=list)
    questions: list[str] = Field(default_factory=list)
    used: list[str] = Field(default_factory=list)
    issues: list[str] = Field(default_factory=list)


class WrittenSection(BaseModel):
    """Two to eight sentences, a table where one tells more, and what the evidence does not answer, in a few words each.
    All empty where there is nothing to write from."""

    sentences: list[CitedSentence] = Field(default_factory=list)
    table: SectionTable | None = None
    unanswered: SkipJsonSchema[list[str]] = Field(default_factory=list)
    """Of the section on what stays open: the plan's own questions, which nobody has to write."""


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
- Name sources as the evidence names them. <issues> are what a reviewer found in the last version of the section: repair them
  from the evidence, or leave the sentence out.
"""


def prompt(given: WriteSectionInput) -> Prompt:
    """What a model is sent; everything untrusted is fenced (X2)."""
    named = {"goal": given.goal, "heading": given.heading, "focus": given.focus}
    lists = {"used": given.used, "issues": given.issues}
    parts = [f"Kind: {given.kind}", *(fenced(label, text) for label, text in named.items())]
    parts += [fenced(label, "\n".join(lines)) for label, lines in lists.items() if lines]
    return Prompt(_INSTRUCTIONS, "\n".join([*parts, numbered_sentences(given.evidence)]))


def extractive(given: WriteSectionInput, context: TaskContext) -> WrittenSection:
    """The provisions about the focus, quoted, in the order of the sources and of their reading; or the table of limits (R4)."""
    if given.kind == "gaps":
        return WrittenSection(unanswered=open_questions(given.focus, given.questions))
    evidence = _admitted(given)
    if given.kind == "deadlines":
        every = found_for([given.goal, *given.questions], evidence, len(evidence), per_source=len(evidence))
        if table := limits_table(every):
            return WrittenSection(sentences=[CitedSentence(text=TABLE_INTRO)], table=table)
    is_opening = given.kind in ("findings", "deadlines")
    found = opening_of(given.goal, evidence) if is_opening else found_for([given.focus], evidence, MOST_OF_QUESTION)[0]
    groups = [g for g in together(found.provisions) if not _is_used(g[0].best.text, given.used)]
    groups.sort(key=lambda g: (g[0].best.evidence.number, g[0].best.span))
    return WrittenSection(sentences=list(_cited(found.question, groups[:MOST_SENTENCES])))


def _cited(question: Question, groups: Iterable[Sequence[ShownProvision]]) -> Iterator[CitedSentence]:
    """What is quoted, behind the name of its document where that is another one than before (U2d)."""
    before = ""
    for group in groups:
        said = quote(question, group)
        named = "; ".join(dict.fromkeys(shown.best.evidence.document for shown in group))
        yield said if named == before else said.model_copy(update={"text": f"{named}: {said.text}"})
        before = named


def _admitted(given: WriteSectionInput) -> list[Evidence]:
    """The evidence without the sources that a review has objected to by name, as long as others are left."""
    objected = {e.document for e in given.evidence if any(f"“{e.document}”" in issue for issue in given.issues)}
    return [e for e in given.evidence if e.document not in objected] or list(given.evidence)


def _is_used(said: str, used: Sequence[str]) -> bool:
    """Whether a quotation of another section holds the beginning of what is said, or is held by it."""
    own = _words(said)
    return any((told := _words(quote)) and (own.startswith(told[:_OPENING]) or own in told) for quote in used)


_OPENING = 80


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def sound_section(written: WrittenSection, given: WriteSectionInput) -> WrittenSection:
    """A section with what holds of it: citations of evidence it was given, at most eight sentences, rows as wide as the table, and open
    questions that the plan asked."""
    if given.kind == "gaps":
        return WrittenSection(unanswered=open_questions(given.focus, given.questions))
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
    name="write_section", version="3", output=WrittenSection, prompt=prompt, extractive=extractive
)
