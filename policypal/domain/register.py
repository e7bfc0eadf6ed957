"""The register of obligations of a document: who must do what, until when, how much, quoted (D12)."""

from dataclasses import dataclass

from policypal.domain.documents import Document
from policypal.domain.notes import PlacedNote
from policypal.domain.provisions import Kind, Limit


@dataclass(frozen=True, slots=True)
class RegisterChange:
    """What an analyst made of an entry. ``entry`` identifies it by its words; ``kind`` and ``party`` are None where they stay as read.
    ``merged_into`` is the entry it was merged into, "" where it stands for itself."""

    entry: str
    text: str
    is_added: bool = False
    is_struck: bool = False
    merged_into: str = ""
    kind: Kind | None = None
    party: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelMark:
    """What a model reads otherwise than the rules in one entry: that it obliges nobody, or whom it binds (None: as read). Both are said by
    number; ``reason`` is the model's."""

    obliges: bool
    party: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """One obligation or prohibition; recommendations and permissions are listed beside them and count only where an analyst says so.
    ``text`` is quoted from ``page`` (0 for what was added), ``introduction`` governs it. ``limits`` are the deadlines and figures it
    sets. ``is_changed`` says that an analyst changed it; ``model_says`` why a model reads it otherwise than the rules, "" where it does not."""

    entry: str
    label: str
    heading: str
    page: int
    start: int
    end: int
    text: str
    introduction: str
    kind: Kind
    party: str
    limits: tuple[Limit, ...] = ()
    is_struck: bool = False
    is_added: bool = False
    is_changed: bool = False
    merged_into: str = ""
    note: str = ""
    model_says: str = ""

    @property
    def full(self) -> str:
        """The obligation with the introduction that governs it."""
        return f"{self.introduction} {self.text}".strip()

    @property
    def counts(self) -> bool:
        """Whether it is an obligation in scope: it binds and was neither struck nor merged into another one."""
        return self.kind.binds and not self.is_struck and not self.merged_into


@dataclass(frozen=True, slots=True)
class Register:
    """A document's register. ``is_current`` is False while a newer reader has still to read it again. ``notes`` are those on the document's
    provisions, where they are to leave with its files. ``models`` have read it again, "" where none has."""

    document: Document
    entries: tuple[RegisterEntry, ...]
    is_current: bool = True
    notes: tuple[PlacedNote, ...] = ()
    models: str = ""

    @property
    def counting(self) -> tuple[RegisterEntry, ...]:
        """The obligations in scope."""
        return tuple(e for e in self.entries if e.counts)

    @property
    def parties(self) -> tuple[str, ...]:
        """Whom its entries bind, the most often named first."""
        named: dict[str, int] = {}
        for entry in self.entries:
            if entry.party:
                named[entry.party] = named.get(entry.party, 0) + 1
        return tuple(sorted(named, key=lambda party: (-named[party], party.casefold())))
