"""What of its documents a result rests on (A0)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict


class Extent(BaseModel):
    """How much of one document was read. ``passages`` is 0 where nobody counted them: in reports of older versions."""

    model_config = ConfigDict(frozen=True)

    document_id: str
    title: str
    pages_read: int
    pages: int
    passages_read: int = 0
    passages: int = 0

    @property
    def pages_unread(self) -> int:
        return self.pages - self.pages_read

    @property
    def is_whole(self) -> bool:
        """Whether all text of the document was read; pages without text may be left."""
        return self.passages_read >= self.passages


def reading_line(extents: Sequence[Extent]) -> str:
    """Pages read of pages, in plain text: what was read in part first, with its passages; "" for no documents."""
    whole = [_pages(e) for e in extents if e.is_whole]
    parts = [
        f"Read {e.passages_read:,} of {e.passages:,} passages ({e.pages_read:,} of {_count(e.pages)}) of {e.title}: "
        "what stands elsewhere in it was not seen."
        for e in extents
        if not e.is_whole
    ]
    if whole:
        parts.append(f"Read in full: {'; '.join(whole)}.")
    return " ".join(parts)


def share_read(extents: Sequence[Extent]) -> float:
    """The share of all passages that was read, in [0, 1]; 1 where none were counted."""
    total = sum(e.passages for e in extents)
    return sum(e.passages_read for e in extents) / total if total else 1.0


def _pages(extent: Extent) -> str:
    if not extent.pages_unread:
        return f"{extent.title}, {_count(extent.pages)}"
    return f"{extent.title}, {extent.pages_read:,} of {_count(extent.pages)} (the others hold no text)"


def _count(pages: int) -> str:
    return f"{pages:,} page{'' if pages == 1 else 's'}"
