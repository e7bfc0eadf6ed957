"""What an audit compares: the sentences of a document's provisions, each with the introduction and the heading it stands under (D11, A4)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from policypal.db import provisions as provisions_db
from policypal.db.pool import Database
from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.domain.register import RegisterEntry
from policypal.request.focus import concerns
from policypal.text.limits import limits_by_name
from policypal.text.line_shapes import is_contents_entry
from policypal.text.provisions import read_provisions

_SILENT = frozenset({Kind.HEADING, Kind.REFERENCE, Kind.TABLE, Kind.DEFINITION, Kind.EXAMPLE, Kind.RECITAL})
"""What neither claims nor demands anything."""
_ENDS = tuple('.;:!?”"')
_FINITE = re.compile(
    r"\b(?:must|shall|will|may|can|cannot|should|is|are|be|been|was|were|has|have|had|does|do|did|agrees?|undertakes?|ensures?|needs?|"
    r"requires?|provides?|makes?|takes?|keeps?|gives?)\b",
    re.I,
)


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
    def asserts(self) -> bool:
        """Whether it is a sentence or an item of an introduced list, not a caption."""
        return bool(
            self.kind is not Kind.STATEMENT or self.introduction or self.text[-1:] in _ENDS or _FINITE.search(self.text)
        )

    @property
    def in_context(self) -> str:
        """The sentence with its introduction and the nearest heading: what it is about."""
        return f"{self.heading} {self.full}".strip()


def claims_of(document: str, provisions: Iterable[Provision]) -> list[Unit]:
    """What a source says: every sentence but headings, definitions, examples, recitals, references, questions, and what stands before its
    table of contents."""
    units = [
        Unit(document, s.text, s.kind, s.page, s.start, s.end, s.introduction, p.headings[-1] if p.headings else "", p.label, s.party)
        for p, s in _without_front([(p, s) for p in provisions for s in p.sentences])
        if s.kind not in _SILENT
    ]  # fmt: skip
    return [u for u in units if any(c.isalpha() for c in u.text) and not u.text.endswith("?")]


_Read = list[tuple[Provision, ProvisionSentence]]


def _without_front(read: _Read) -> _Read:
    """Without what a document says of itself between its title and its table of contents: who owns it, who approved it, its number. A
    section of its own before the contents stays."""
    opens = next((n for n, (_, s) in enumerate(read) if s.kind is not Kind.HEADING), 0)
    ends = next((n for n, (_, s) in enumerate(read) if n > opens and s.kind is not Kind.STATEMENT), 0)
    return read[ends:] if _begins_contents(read[ends:]) else read


def _begins_contents(read: _Read) -> bool:
    """Whether what follows is a table of contents: lines with the number of a page, or headings that all stand further below again."""
    if not read or read[0][1].kind is Kind.REFERENCE:
        return bool(read) and is_contents_entry(read[0][1].text)
    listed = list(takewhile(lambda text: text, (s.text if s.kind is Kind.HEADING else "" for _, s in read)))
    again = {text for text, times in Counter(s.text for _, s in read if s.kind is Kind.HEADING).items() if times > 1}
    return len(listed) > 1 and again.issuperset(listed[:-1])


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


def provisions_of(db: Database, user_id: str, document_id: str) -> list[Provision]:
    """As they are stored; read at once for a document that waits for its first reading."""
    stored = provisions_db.load_provisions(db, user_id, document_id)
    return stored or read_provisions(*provisions_db.load_reading(db, user_id, document_id))


_QUALIFIED = (
    r"^(?:(?:the|each|every|any|all|a|an|that|lead|national|competent|relevant|european|federal|other|such|concerned|those|these)\s+)*"
    r"(?:supervisory |competent |judicial |regulatory |data protection )*"
)
_REGULATOR = re.compile(
    rf"{_QUALIFIED}(?:authorit(?:y|ies)|regulators?|(?:european )?commission$|member states?|courts?|minist(?:er|ry)|parliament|"
    r"governments?|central bank|central government|secretar(?:y|ies) (?:of state|general)|secretary-general|edpb|european data protection)\b",
    re.I,
)
_PUBLIC_OFFICE = re.compile(rf"{_QUALIFIED}(?:commissioner|agency|ombudsman|council|secretariat)\b", re.I)
"""Companies have such offices, too; they are public where the document also binds an authority."""


def without_authorities(rules: Sequence[Unit]) -> list[Unit]:
    """The rules of one document but those that bind authorities and legislators, which no policy can meet."""
    public = any(_REGULATOR.match(r.party) for r in rules)
    return [r for r in rules if not _REGULATOR.match(r.party) and not (public and _PUBLIC_OFFICE.match(r.party))]


def in_scope(rules: Sequence[Unit], focus: str = "") -> list[Unit]:
    """The rules of one document that a policy can meet and that concern ``focus`` (all, where it is empty)."""
    return [r for r in without_authorities(rules) if speaks_of(focus, r, r.heading)]


def speaks_of(focus: str, rule: Unit, place: str) -> bool:
    """Whether a rule concerns ``focus``, by what it and its ``place`` say and by what its limits are called."""
    return not focus or concerns(focus, rule.full, place, limits_by_name(rule.full))
