"""A plan in words where no model writes it: constraints, deliverable, steps (W2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Literal

from policypal.domain.research import Aspect, PlanAnswer
from policypal.research.estimate import SECTIONS
from policypal.research.scope import ResearchDocument, is_everything
from policypal.research.timeframe import in_words

Depth = Literal["short", "standard", "deep"]

_SHORT = re.compile(r"\b(?:short|brief(?:ly)?|overview|concise|one[- ]page|in a nutshell|summary)\b", re.IGNORECASE)
_DEEP = re.compile(
    r"\b(?:in[- ]depth|deep[- ]dive|detailed|comprehensive|exhaustive|thorough|every|clause[- ]by[- ]clause|full analysis)\b", re.IGNORECASE
)  # fmt: skip
_STANDARD = re.compile(r"\bstandard\b", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:compar\w+|differ\w*|versus|vs|contrast|table|matrix)\b", re.IGNORECASE)
_CHANGES = re.compile(
    r"\b(?:what|which|how)\b.*\bchange\b|\bgap\b|\bgaps\b|\b(?:update|revise|amend|comply|compliant|meet)\b",
    re.IGNORECASE,
)
_LABELS: dict[Aspect, str] = {"scope": "Scope", "timeframe": "Period", "depth": "Depth", "use": "Use"}
_SHOWN = 3
_LINE = 300


def depth_of(goal: str, answers: Sequence[str]) -> Depth:
    """How deep a report is to go by the answers, else by the goal; standard where neither says."""
    for text in (" ".join(answers), goal):
        if _STANDARD.search(text) and text is not goal:
            return "standard"
        if _DEEP.search(text):
            return "deep"
        if _SHORT.search(text):
            return "short"
    return "standard"


def constraints_of(goal: str, answers: Sequence[PlanAnswer], since: str) -> list[str]:
    """One line per answer; the period of the goal where no answer gives one."""
    lines = [f"{_LABELS[a.aspect]}: {'; '.join(_said(a.values))}"[:_LINE] for a in answers if _said(a.values)]
    if since and not any(a.aspect == "timeframe" for a in answers):
        lines.append(f"{_LABELS['timeframe']}: since {in_words(date.fromisoformat(since))}")
    return lines


def deliverable_of(goal: str, depth: Depth, answers: Sequence[str]) -> str:
    """What there will be at the end, in one sentence."""
    asked = " ".join([goal, *answers])
    if _COMPARES.search(asked):
        kind = "comparison with a table of the differences"
    elif _CHANGES.search(goal):
        kind = "report on what has to change, with the requirement behind each change"
    else:
        kind = "report"
    extent = {"short": "A short", "standard": "A", "deep": "An in-depth"}[depth]
    return f"{extent} {kind}, in about {SECTIONS[depth]} sections, with a checked quotation for every statement."


def steps_of(documents: Sequence[ResearchDocument], in_library: int, queries: int, since: str, *, has_web: bool) -> list[str]:  # fmt: skip
    """What is going to happen, in order."""
    return list(_steps(documents, in_library, queries, since, has_web))


def _steps(documents: Sequence[ResearchDocument], in_library: int, queries: int, since: str, has_web: bool) -> Iterator[str]:  # fmt: skip
    if in_library:
        yield f"Search {_named(documents, in_library)} with {queries} queries."
    if has_web:
        period = f", those since {in_words(date.fromisoformat(since))} first" if since else ""
        yield f"Search the web with the same queries{period}, and read the pages that may be read."
    elif not in_library:
        yield "Nothing can be searched: the library is empty and no web search is set up."
    yield "Choose the sources by relevance, recency and authority, each one once."
    yield "Write an outline, then each section from quoted passages."
    yield "Check every statement against its source, and list where sources contradict each other."
    yield "Review the report for missing citations, outdated sources and missing disclaimers, and repair it once."


def _named(documents: Sequence[ResearchDocument], in_library: int) -> str:
    if not documents:
        return f"all {in_library} documents of the library" if in_library > 1 else "the document of the library"
    shown = [d.display_title for d in documents[:_SHOWN]]
    more = len(documents) - len(shown)
    names = ", ".join(shown)
    return f"{names} and {more} more" if more else names


def _said(values: Sequence[str]) -> list[str]:
    lines = (" ".join(value.split()) for value in values)
    return ["no limit" if is_everything(line) else line for line in lines if line]
