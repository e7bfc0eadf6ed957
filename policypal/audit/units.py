"""What an audit compares: the sentences of a document's provisions, each with the introduction and the heading it stands under (D11, A4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, Provision
from policypal.domain.register import RegisterEntry
from policypal.text.provisions import read_provisions

_SILENT = frozenset({Kind.HEADING, Kind.REFERENCE, Kind.TABLE, Kind.DEFINITION, Kind.EXAMPLE, Kind.RECITAL})
"""What neither claims nor demands anything."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence or list item of ``document`` (its id, "" for a text), as it stands on ``page`` from ``start`` to ``end``."""

    document: str
    text: str
    kind: Kind
    page: int = 1
    start: int = 0
    end: int = 0
    introduction: str = ""
    heading: str = ""
    label: str = ""
    party: str = ""

    @property
    def full(self) -> str:
        """The sentence with the introduction that governs it."""
        return f"{self.introduction} {self.text}".strip()

    @property
    def in_context(self) -> str:
        """The sentence with its introduction and the nearest heading: what it is about."""
        return f"{self.heading} {self.full}".strip()


def claims_of(document: str, provisions: Iterable[Provision]) -> list[Unit]:
    """What a source says: every sentence but headings, definitions, examples, recitals, references and questions."""
    units = [
        Unit(document, s.text, s.kind, s.page, s.start, s.end, s.introduction, p.headings[-1] if p.headings else "", p.label, s.party)
        for p in provisions
        for s in p.sentences
        if s.kind not in _SILENT
    ]  # fmt: skip
    return [u for u in units if any(c.isalpha() for c in u.text) and not u.text.endswith("?")]


def rules_of(document: str, entries: Iterable[RegisterEntry]) -> list[Unit]:
    """What a target demands, recommends or permits: its register as the analyst left it (D12)."""
    return [
        Unit(document, e.text, e.kind, e.page, e.start, e.end, e.introduction, e.heading, e.label, e.party)
        for e in entries
        if not e.is_struck and not e.merged_into
    ]


def read_text(text: str) -> list[Provision]:
    """The provisions of a text that is no stored document, on one page."""
    return read_provisions([Page(1, text)])
