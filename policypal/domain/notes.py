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
    """A note and the ``provision`` it stands at in the document ``document_id``, None where that is no longer in its text.
    ``is_reworded``: the provision with this label says something else than when the note was made. ``edition`` is the earlier edition
    it was made on, "" for one of the document's own; it ``is_carried`` where its words stand in the later edition, too."""

    note: Note
    document_id: str
    provision: Provision | None
    is_reworded: bool = False
    edition: str = ""
    is_carried: bool = False

    @property
    def standing(self) -> str:
        """What is to be known of its place, in words; "" where it stands as it was made."""
        if self.edition:
            return f"made on edition {self.edition}" if self.is_carried else f"for the earlier edition {self.edition}"
        if self.provision is None:
            return "no longer in the text"
        return "reworded since" if self.is_reworded else ""


@dataclass(frozen=True, slots=True)
class PageProvision:
    """A provision on a page, where it stands there (``start`` and ``end`` in code points), and its notes."""

    provision: Provision
    start: int
    end: int
    notes: tuple[PlacedNote, ...] = ()
