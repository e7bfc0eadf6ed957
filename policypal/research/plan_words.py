"""A plan in words where no model writes it: constraints, deliverable, steps (W2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from policypal.domain.research import Aspect, PlanAnswer
from policypal.research.estimate import SECTIONS
from policypal.research.goal import Depth
from policypal.research.scope import ResearchDocument, is_everything
from policypal.research.timeframe import in_words

_LABELS: dict[Aspect, str] = {"scope": "Scope", "timeframe": "Period", "depth": "Depth", "use": "Use"}
_SHOWN = 3
_LINE = 300


def constraints_of(answers: Sequence[PlanAnswer], since: str) -> list[str]:
    """One line per answer; the period of the goal where no answer gives one."""
    lines = [f"{_LABELS[a.aspect]}: {'; '.join(_said(a.values))}"[:_LINE] for a in answers if _said(a.values)]
    if since and not any(a.aspect == "timeframe" for a in answers):
        lines.append(f"{_LABELS['timeframe']}: since {in_words(date.fromisoformat(since))}")
    return lines


def deliverable_of(depth: Depth) -> str:
    """What there will be at the end, in one sentence."""
    extent = {"short": "A short", "standard": "A", "deep": "An in-depth"}[depth]
    return f"{extent} report in about {SECTIONS[depth]} sections, with a checked quotation for every statement."


def steps_of(
    documents: Sequence[ResearchDocument], in_library: int, queries: int, since: str, *, has_web: bool
) -> Iterator[str]:
    """What is going to happen, in order."""
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
    names = ", ".join(d.display_title for d in documents[:_SHOWN])
    return f"{names} and {len(documents) - _SHOWN} more" if len(documents) > _SHOWN else names


def _said(values: Sequence[str]) -> list[str]:
    lines = (" ".join(value.split()) for value in values)
    return ["no limit" if is_everything(line) else line for line in lines if line]
