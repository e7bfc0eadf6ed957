"""What flows through the research graph: plain data only, so that a checkpoint holds nothing but data (X3).

Every key of a fan-in has a reducer that merges by a stable key: the order in which parts arrive, or that one arrives
twice, makes no difference. What a fork may edit has none, so that the edit replaces it. A subgraph sees what it needs and
gives back what it changes; what only it works with stays in it, and is not copied into every later checkpoint.
"""

from operator import or_
from typing import Annotated, Any, TypedDict


def parts(held: dict[str, Any]) -> list[Any]:
    """The parts of a fan-in in their stable order."""
    return [held[key] for key in sorted(held)]


class Totals(TypedDict, total=False):
    """What every stage may change."""

    counts: Annotated[
        dict[str, int], or_
    ]  # queries, hits, pages, read, kept, sections, statements, removed …: for the progress
    notices: list[str]
    cancelled: bool
    tokens_used: int
    cost_usd: str
    models: list[str]
    unaided: list[dict[str, Any]]  # what the rules did because a model failed


class Goal(Totals, total=False):
    goal: str
    mode: str  # Mode
    document_ids: list[str]  # of the library that may be used; all if empty
    plan: dict[str, Any] | None  # Plan
    excluded: list[str]  # keys of sources that must not be used
    question: dict[str, Any] | None  # of the stage that just ran, asked by the confirm node after it


class PlannerOutput(Totals, total=False):
    gate: dict[str, Any] | None  # Gate
    planner_questions: list[dict[str, Any]]  # PlanQuestion
    planner_answers: list[dict[str, Any]]  # PlanAnswer
    plan: dict[str, Any] | None
    question: dict[str, Any] | None


class PlannerState(Goal, PlannerOutput, total=False):
    headings: dict[str, list[str]]  # of documents, nearest to the goal first


class ResearchOutput(Totals, total=False):
    queries: list[str]
    sources: list[dict[str, Any]]  # Source, best first
    passages: list[dict[str, Any]]  # SourcePassage, numbered by their place
    reading: list[dict[str, Any]]  # Extent of each document that was read whole; none where passages were searched for
    common: list[Any]  # how many passages the library has, and how many hold each word of the queries
    question: dict[str, Any] | None


class HarvestState(Goal, ResearchOutput, total=False):
    searches_web: bool
    found: Annotated[dict[str, Any], or_]  # in the library, by query
    web_hits: Annotated[dict[str, Any], or_]  # by query
    to_read: list[dict[str, Any]]  # the pages to harvest: web hits, best first
    pages: Annotated[dict[str, Any], or_]  # by address: what came of reading it


class WriterOutput(Totals, total=False):
    outlined: dict[str, Any] | None  # Outline
    sections: Annotated[dict[str, Any], or_]  # by "pass.number"
    draft: dict[str, Any] | None  # Draft


class _Evidence(Goal, total=False):
    sources: list[dict[str, Any]]
    reading: list[dict[str, Any]]
    passages: list[dict[str, Any]]
    common: list[Any]


class WriterState(_Evidence, WriterOutput, total=False):
    issues: list[str]
    repairs: int
    quote_checks: dict[str, int]  # citations verified, unverified (C2)


class FactCheckOutput(Totals, total=False):
    draft: dict[str, Any] | None
    contradictions: list[dict[str, Any]]
    read_again: dict[str, bool]  # whether what is said in other words is carried, by its key: the second reading
    claims_compared: str  # SHA-256 of the quotations among which they were looked for


class FactCheckState(_Evidence, FactCheckOutput, total=False):
    """What the check of the facts sees."""


class ResearchState(Goal, PlannerOutput, ResearchOutput, WriterOutput, FactCheckOutput, total=False):
    """The parent graph's."""

    issues: list[str]  # what the red-team gate holds against the draft
    repairs: int  # how often the writer was sent back
    sent_back: bool  # whether it is to be, now
    report: dict[str, Any] | None  # Report, once published
    response: str
    engine: str


def beginning(goal: str, mode: str, document_ids: list[str]) -> dict[str, Any]:
    """The input of a new thread."""
    return {
        "goal": goal, "mode": mode, "document_ids": document_ids, "gate": None, "planner_questions": [],
        "planner_answers": [], "question": None, "plan": None, "excluded": [], "queries": [], "sources": [],
        "passages": [], "reading": [], "common": [0, {}], "outlined": None, "sections": {}, "draft": None, "contradictions": [], "read_again": {}, "claims_compared": "", "issues": [], "repairs": 0, "sent_back": False,
        "report": None, "response": "", "engine": "", "counts": {}, "notices": [], "cancelled": False, "tokens_used": 0,
        "cost_usd": "0", "models": [], "unaided": [],
    }  # fmt: skip
