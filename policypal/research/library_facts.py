"""The library as planning sees it: names and headings, those nearest to the goal first, never the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from policypal.research.goal import subject_words
from policypal.research.scope import ResearchDocument
from policypal.search.terms import terms

MAX_LISTED = 40
_HEADINGS = 8
_LINE = 400
_LONGEST_HEADING = 60
_NUMBERING = re.compile(
    r"^\W*(?:(?:part|chapter|section|article|annex|appendix|title|schedule|module|paragraph)\b\.?\s*)?"
    r"(?:[\dIVXLC]+(?:\.\w+)*|[A-Z](?=[.)]))?[.):\s–-]+(?=[^\W\d_]{2})",
    re.IGNORECASE,
)  # fmt: skip


def by_nearness(goal: str, library: Sequence[ResearchDocument]) -> list[ResearchDocument]:
    """The library, those documents first whose names and headings share most words with the goal."""
    wanted = set(terms(" ".join(subject_words(goal))))

    def shared(document: ResearchDocument) -> int:
        names = [document.title, document.version, document.set_name or "", *document.aliases, *document.headings]
        return len(wanted & set(terms(" ".join(names))))

    return sorted(library, key=lambda d: -shared(d))


def headings_near(words: Iterable[str], documents: Iterable[ResearchDocument]) -> list[str]:
    """Headings that share words with ``words``, without their numbers ("Part 5 Outsourcing" → "Outsourcing"), those that share
    most first."""
    wanted = set(terms(" ".join(words)))
    found: dict[str, int] = {}
    for heading in (h for d in documents for h in d.headings):
        bare = _NUMBERING.sub("", " ".join(heading.split())).strip(" .:–-")
        if (shared := len(wanted & set(terms(bare)))) and len(bare) <= _LONGEST_HEADING:
            found.setdefault(bare, shared)
    return sorted(found, key=lambda h: -found[h])


def library_facts(goal: str, library: Sequence[ResearchDocument]) -> str:
    """One line per document for a planning model; of a large library not all."""
    shown = by_nearness(goal, library)[:MAX_LISTED]
    lines = [_line(document) for document in shown]
    if len(library) > len(shown):
        lines.append(f"({len(library) - len(shown)} more documents)")
    return "\n".join(lines) or "(empty)"


def _line(document: ResearchDocument) -> str:
    details = [f"id={document.id}", f"title={document.display_title}", f"type={document.type}"]
    if document.set_name:
        details.append(f"set={document.set_name}")
    if document.aliases:
        details.append(f"aliases={', '.join(document.aliases)}")
    if document.headings:
        details.append(f"headings={'; '.join(document.headings[:_HEADINGS])}")
    return " | ".join(" ".join(detail.split()) for detail in details)[:_LINE]
