"""Task: differences and similarities per theme (A3)."""

from pydantic import BaseModel, Field

from policypal.answer.evidence import (
    CITING_RULES,
    Evidence,
    documents_given,
    numbered_sentences,
    says_something,
    uncited,
)
from policypal.answer.readings import Reading
from policypal.compare import side_by_side
from policypal.compare.rows import SILENT, Comparison
from policypal.llm.task import Prompt, Task, TaskContext, fenced


class CompareInput(BaseModel):
    """``topic`` is set for a focused comparison. ``evidence`` is grouped by ``document`` in ``titles`` order; ``request`` is
    the user's message. ``excerpted`` are the titles of which only the passages that matter are given. ``readings`` are what is compared without a
    model: all clauses of each document, numbered after the evidence. ``changes`` are what code has found to differ between two editions of one document, by the numbers of
    their sentences."""

    titles: list[str]
    evidence: list[Evidence] = Field(default_factory=list)
    readings: list[Reading] = Field(default_factory=list)
    topic: str | None = None
    request: str = ""
    excerpted: list[str] = Field(default_factory=list)
    changes: list[str] = Field(default_factory=list)


_INSTRUCTIONS = f"""\
You compare policies and regulations for a compliance team. The evidence is whole documents in reading order, or the passages
chosen from them where EXTENT says so.

{CITING_RULES}
Output
- overview: two to four sentences on what the documents have in common and where they differ most, each citing the sentences of
  every document it speaks of.
- rows: one aspect each (a short noun phrase), with exactly one cell per document in the order of the titles given. A cell
  states what that document says and cites sentences of that document and no other; where a document is silent the text is
  "{SILENT}" and cites is empty. A row that cites nothing is left out.
  differs is true when numbers, dates, deadlines, modal verbs (must, shall, may, should), negations or bound parties
  differ. List rows with different numbers or deadlines first, then other differences, then similarities.
- CHANGES, where they are given, are all sentences that differ between two editions of one document, older edition first, as a program
  found them. Every difference you name is among them; explain what the weightiest mean. The list itself is shown beside your answer.
- With a topic: only rows on that topic. Without: three to five themes, as many aspects as the evidence supports.
- unrelated is true where the documents do not speak of the same subjects at all; the overview then says what each is about,
  and everything else is empty.
- unique: statements of one document without counterpart in the others, of documents given whole only. implications: what
  the differences mean in practice, each citing the sentences it follows from.
"""


def prompt(given: CompareInput) -> Prompt:
    """What a model is sent; everything untrusted is fenced (X2)."""
    parts = [numbered_sentences(given.evidence), *documents_given(given.titles, given.excerpted)]
    if given.changes:
        parts.append("CHANGES:\n" + "\n".join(given.changes))
    if given.topic:
        parts.append(fenced("topic", given.topic))
    parts.append(fenced("request", given.request))
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def complaint(given: CompareInput, comparison: Comparison) -> str:
    """Something is compared, or it is said that there is nothing to compare."""
    said = [
        *comparison.overview,
        *(c for row in comparison.rows for c in row.cells),
        *comparison.unique,
        *comparison.implications,
    ]
    if comparison.rows or comparison.unique:
        return uncited(said, given.evidence)
    if (comparison.unrelated or given.topic) and any(map(says_something, comparison.overview)):
        return uncited(said, given.evidence)
    return "- rows: no aspect was compared; if there is nothing to compare, say so in the overview and set unrelated to true"


def extractive(given: CompareInput, context: TaskContext) -> Comparison:
    """Clauses of the documents paired by subject; differing figures first, each cell quoted (A3)."""
    return side_by_side.compare(given.readings, given.topic or "", context.embedder)


COMPARE: Task[CompareInput, Comparison] = Task(
    name="compare", version="7", output=Comparison, prompt=prompt, extractive=extractive, complaint=complaint, length=3
)
