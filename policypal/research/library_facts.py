"""The library as a planning model is shown it: names and headings, never the text."""

from __future__ import annotations

from collections.abc import Sequence

from policypal.research.goal import subject_words
from policypal.research.scope import ResearchDocument
from policypal.search.terms import terms

MAX_LISTED = 40
_HEADINGS = 8
_LINE = 400


def library_facts(goal: str, library: Sequence[ResearchDocument]) -> str:
    """One line per document, those first that share words with the goal; of a large library not all."""
    wanted = set(terms(" ".join(subject_words(goal))))

    def unlike(document: ResearchDocument) -> int:
        names = [document.title, document.version, document.set_name or "", *document.aliases, *document.headings]
        return -len(wanted & set(terms(" ".join(names))))

    shown = sorted(library, key=unlike)[:MAX_LISTED]
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
