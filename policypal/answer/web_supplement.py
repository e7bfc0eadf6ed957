"""Task: what web pages add to an answer that rests on documents (A1, G3)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from policypal.answer.evidence import QUOTING_RULES, CitedSentence, Evidence, numbered_evidence
from policypal.answer.questions import Question
from policypal.answer.quoting import cite
from policypal.answer.ranking import near_duplicate, rank
from policypal.answer.statements import Statement, has_verb, statements_of
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.search.terms import terms

MOST_STATEMENTS = 4
_PER_PAGE = 2
_READABLE = range(6, 70)
_LEAST_COVERAGE = 0.2
_NEAR_BEST = 0.6


class WebSupplementInput(BaseModel):
    """``evidence`` is of web pages only; ``query`` is what they were found with."""

    query: str
    titles: list[str]
    evidence: list[Evidence] = Field(default_factory=list)


class WebSupplement(BaseModel):
    """``sentences`` is empty where the pages add nothing."""

    sentences: list[CitedSentence]


_INSTRUCTIONS = f"""\
You add what web pages report to an answer about the documents of a compliance team: amendments, enforcement, guidance and
dates that concern these documents. At most four sentences; each names the page it rests on. Leave out what is not about
the documents; an empty list is a good answer.

{QUOTING_RULES}"""


def prompt(given: WebSupplementInput) -> Prompt:
    """What a model is sent; everything is fenced (X2)."""
    parts = [
        fenced("documents", "\n".join(given.titles)),
        numbered_evidence(given.evidence),
        fenced("query", given.query),
    ]
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def extractive(given: WebSupplementInput, context: TaskContext) -> WebSupplement:
    """The statements that speak most of the query, at most two per page, quoted."""
    readable = [s for s in statements_of(given.evidence) if _is_readable(s)]
    chosen: list[Statement] = []
    for statement in _on_topic(given.query, readable, context):
        of_page = sum(c.evidence.document == statement.evidence.document for c in chosen)
        if of_page < _PER_PAGE and not any(near_duplicate(statement, other) for other in chosen):
            chosen.append(statement)
        if len(chosen) == MOST_STATEMENTS:
            break
    return WebSupplement(sentences=[cite(s, terms(given.query)) for s in chosen])


def _on_topic(query: str, statements: Sequence[Statement], context: TaskContext) -> list[Statement]:
    """The statements nearly as much about the query as the best one is. A search engine has chosen their pages already, so
    less is asked of them than of passages nobody has looked at."""
    question = Question(text=query, terms=tuple(dict.fromkeys(terms(query))))
    ranked = rank(question, statements, context.embedder)
    needed = max(_LEAST_COVERAGE, _NEAR_BEST * max((r.coverage for r in ranked), default=0.0))
    return [r.statement for r in ranked if r.coverage >= needed]


def _is_readable(statement: Statement) -> bool:
    return statement.complete and len(statement.text.split()) in _READABLE and has_verb(statement.full_text)


WEB_SUPPLEMENT: Task[WebSupplementInput, WebSupplement] = Task(
    name="web_supplement", version="1", output=WebSupplement, prompt=prompt, extractive=extractive
)
