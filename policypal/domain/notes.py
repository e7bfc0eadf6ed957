"""Notes of an analyst on the provisions of a document (D15)."""

from dataclasses import dataclass
from datetime import datetime

from policypal.domain.provisions import Provision


@dataclass(frozen=True, slots=True)
class Note:
    """What an analyst wrote on a provision; one without ``text`` marks it only. ``anchor`` identifies the provision by its words,
    ``label`` and ``quote`` are how it was cited and how it began when the note was made."""

    id: str
    anchor: str
    label: str
    quote: str
    text: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class PlacedNote:
    """A note and its ``provision``, None where that is no longer in the text. ``is_reworded``: the provision with this label says
    something else than when the note was made."""

    note: Note
    provision: Provision | None
    is_reworded: bool = False


@dataclass(frozen=True, slots=True)
class PageProvision:
    """A provision on a page, where it stands there (``start`` and ``end`` in code points), and its notes."""

    provision: Provision
    start: int
    end: int
    notes: tuple[PlacedNote, ...] = ()
