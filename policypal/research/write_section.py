"""Task: one section of a research report, every sentence of it quoted (W3, C1, R4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from pydantic import BaseModel, Field

from policypal.answer.evidence import QUOTING_RULES, CitedSentence, Evidence, numbered_evidence
from policypal.answer.ranking import near_duplicate
from policypal.answer.statements import Statement
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.research.material import LONGEST_SUBJECT, NEAR, cite_together, material_of, nearness, together
from policypal.research.outline import open_questions
from policypal.research.section_tables import TABLE_INTRO, SectionKind, SectionTable, TableRow, limits_table
from policypal.search.terms import terms

FEWEST_SENTENCES = 2
MOST_SENTENCES = 8
MOST_ROWS = 20
_CHOSEN = 6
_TOUCHES = 0.35


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
    unanswered: list[str] = Field(default_factory=list)


_INSTRUCTIONS = f"""\
You write one section of a research report for a compliance team.

{QUOTING_RULES}
Section
- Two to {MOST_SENTENCES} sentences that establish the focus, the most important first; each with at least one quote. Where sources
  agree, say so once and quote each; where they differ, say who requires what, with both quotes. Rest on several sources where
  several speak. No introduction, no transition, no conclusion: a sentence without a quote is removed.
- Do not repeat what the quotations under <used> already say in other sections.
- kind deadlines: a table with the columns Deadline or threshold, Requirement, Source. kind bound: Bound party, Duty, Source.
  kind findings: the direct answer to the goal. kind differences: Subject, One source, Another source. Every row quotes its evidence. Otherwise table is null, unless a table tells more.
- kind gaps: no sentences; unanswered lists the <questions> that the focus names, word for word. In other sections unanswered is
  empty.
- Name sources as the evidence names them. <issues> are what a reviewer found in the last version of the section: repair them
  from the evidence, or leave the sentence out.
"""


def prompt(given: WriteSectionInput) -> Prompt:
    """What a model is sent; everything untrusted is fenced (X2)."""
    named = {"goal": given.goal, "heading": given.heading, "focus": given.focus}
    lists = {"questions": given.questions, "used": given.used, "issues": given.issues}
    parts = [f"Kind: {given.kind}", *(fenced(label, text) for label, text in named.items())]
    parts += [fenced(label, "\n".join(lines)) for label, lines in lists.items() if lines]
    return Prompt(_INSTRUCTIONS, "\n".join([*parts, numbered_evidence(given.evidence)]))


def extractive(given: WriteSectionInput, context: TaskContext) -> WrittenSection:
    """The quotations nearest to the focus, the best of each source first, or the table of limits (R4)."""
    if given.kind == "gaps":
        return WrittenSection(unanswered=open_questions(given.focus, given.questions))
    statements = material_of(_admitted(given))
    near = nearness(_subjects(given), statements, context.embedder)
    if given.kind == "deadlines" and (table := limits_table(statements, near)):
        return WrittenSection(sentences=[CitedSentence(text=TABLE_INTRO)], table=table)
    fresh = sorted((s for s in statements if not _is_used(s, given.used)), key=lambda s: -near[id(s)])
    telling = [s for s in fresh if near[id(s)] >= (NEAR if given.kind == "findings" else _TOUCHES)]
    if given.issues or len(telling) < FEWEST_SENTENCES:  # all of it where a review has objected
        telling = fresh
    chosen = _chosen(together(telling), MOST_SENTENCES if given.kind == "findings" else _CHOSEN)
    focus = terms(f"{given.focus} {given.goal[:LONGEST_SUBJECT]}")
    return WrittenSection(sentences=[cite_together(group, focus) for group in chosen])


def _subjects(given: WriteSectionInput) -> list[str]:
    """What the quotations have to be near to: of the opening and of limits the goal with all questions, else the focus."""
    return [given.focus] if given.kind not in ("findings", "deadlines") else [given.goal, *given.questions]


def _admitted(given: WriteSectionInput) -> list[Evidence]:
    """The evidence without the sources that a review has objected to by name, as long as others are left."""
    objected = {e.document for e in given.evidence if any(f"“{e.document}”" in issue for issue in given.issues)}
    return [e for e in given.evidence if e.document not in objected] or list(given.evidence)


def _is_used(statement: Statement, used: Sequence[str]) -> bool:
    """Whether a quotation of another section holds the statement's beginning, or the statement that quotation."""
    own = _words(statement.text)
    return any((said := _words(quote)) and (own.startswith(said[:_OPENING]) or own in said) for quote in used)


_OPENING = 80


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _chosen(groups: Sequence[list[Statement]], at_most: int) -> list[list[Statement]]:
    """The best of each source first, then the next ones; in the order of the sources and of their reading."""
    turns: list[tuple[int, int]] = []
    heard: Counter[str] = Counter()
    kept: list[Statement] = []
    for position, group in enumerate(groups):
        sources = {s.evidence.document for s in group}
        if not any(near_duplicate(group[0], other) for other in kept):
            kept += group
            turns.append((min(heard[s] for s in sources), position))
            heard.update(sources)
    chosen = [groups[position] for _, position in sorted(turns)[:at_most]]
    return sorted(chosen, key=lambda group: (group[0].source, group[0].span))


def sound_section(written: WrittenSection, given: WriteSectionInput) -> WrittenSection:
    """A model's section with what holds of it: quotes of evidence it was given, at most eight sentences, rows as wide as the
    table, and open questions that the plan asked."""
    if given.kind == "gaps":
        return WrittenSection(unanswered=open_questions(given.focus, given.questions))
    known = {e.number for e in given.evidence}
    sentences = [_sound(s, known) for s in written.sentences if s.text.strip()][:MOST_SENTENCES]
    return WrittenSection(sentences=sentences, table=_sound_table(written.table, known) if written.table else None)


def _sound(sentence: CitedSentence, known: Collection[int]) -> CitedSentence:
    quotes = [q for q in sentence.quotes if q.evidence in known and q.text.strip()]
    return CitedSentence(text=" ".join(sentence.text.split()), quotes=quotes)


def _sound_table(table: SectionTable, known: Collection[int]) -> SectionTable | None:
    columns = [" ".join(c.split()) for c in table.columns]
    rows = [
        TableRow(cells=[_sound(c, known) for c in row.cells]) for row in table.rows if len(row.cells) == len(columns)
    ]
    quoted = [row for row in rows if any(cell.quotes for cell in row.cells)][:MOST_ROWS]
    return SectionTable(columns=columns, rows=quoted) if quoted else None


WRITE_SECTION: Task[WriteSectionInput, WrittenSection] = Task(
    name="write_section", version="1", output=WrittenSection, prompt=prompt, extractive=extractive
)
