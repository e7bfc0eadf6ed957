"""Task: one section of a research report, every sentence of it quoted (W3, C1, R4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from pydantic import BaseModel, Field

from policypal.answer.evidence import QUOTING_RULES, CitedSentence, Evidence, numbered_evidence
from policypal.answer.material import LONGEST_SUBJECT, NEAR, cite_together, material_of, nearness, speaks_of, together
from policypal.answer.ranking import near_duplicate
from policypal.answer.salience import duty_weight, limit_weight, self_standing
from policypal.answer.section_tables import TABLE_INTROS, SectionKind, SectionTable, TableRow, table_of
from policypal.answer.statements import Statement
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.search.embeddings import Embedder
from policypal.search.terms import terms
from policypal.summary.outline import open_questions

FEWEST_SENTENCES = 2
MOST_SENTENCES = 8
MOST_ROWS = 20
_CHOSEN = 6
_NEAR_BEST = 0.55


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
    """Quotations by relevance to goal and focus, or the table that the kind of section asks for (R4)."""
    if given.kind == "gaps":
        return WrittenSection(unanswered=open_questions(given.focus, given.questions))
    statements = material_of(_admitted(given))
    near = nearness([given.goal, *given.questions], statements, context.embedder)
    if table := table_of(given.kind, statements, near, context.embedder):
        return WrittenSection(sentences=[CitedSentence(text=TABLE_INTROS[given.kind])], table=table)
    fresh = [s for s in statements if not _is_used(s, given.used)]
    at_most = MOST_SENTENCES if given.kind == "findings" else _CHOSEN
    chosen = _chosen(together(_by_relevance(given, fresh, near, context.embedder)), at_most)
    focus = terms(f"{given.focus} {given.goal[:LONGEST_SUBJECT]}")
    return WrittenSection(sentences=[cite_together(group, focus) for group in chosen])


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


def _by_relevance(
    given: WriteSectionInput, statements: Sequence[Statement], near: Mapping[int, float], embedder: Embedder
) -> Iterator[Statement]:
    """What the section is about, by how well it says so and how near it is to the goal, as far as it tells much; all of it
    where a review has objected, and the rest of the evidence where that is too little."""
    about = [s for s in statements if _is_about(given, s, near)] or list(statements)
    said = nearness([given.heading], about, embedder)

    def worth(statement: Statement) -> float:
        own = said.get(id(statement), 0.0) if given.kind == "theme" else 0.0
        return (own + 0.5 * near.get(id(statement), 0.0)) * _weight(statement)

    ranked = sorted(about, key=lambda s: -worth(s))
    telling = [s for s in ranked if worth(s) >= _NEAR_BEST * worth(ranked[0])]
    yield from ranked if given.issues or len(telling) < FEWEST_SENTENCES else telling
    if len(ranked) < FEWEST_SENTENCES:
        yield from sorted((s for s in statements if s not in about), key=lambda s: -_weight(s))


def _is_about(given: WriteSectionInput, statement: Statement, near: Mapping[int, float]) -> bool:
    if given.kind == "obligations":
        return duty_weight(statement) > 0
    return near[id(statement)] >= NEAR if given.kind == "findings" else speaks_of(given.heading, statement)


def _weight(statement: Statement) -> float:
    """Duties and limits that can stand alone tell most."""
    return (0.5 + 0.5 * self_standing(statement)) * (1 + 0.2 * duty_weight(statement) + 0.15 * limit_weight(statement))


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
