"""What of its documents a result rests on (A0)."""

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict

from policypal.domain.documents import Document
from policypal.domain.text import counted


class Extent(BaseModel):
    """How much of one document was read. ``pages_read`` counts the pages of which anything was. ``passages`` is 0 where nobody counted them: in reports of older versions.
    ``parts``: in how many parts it was read where it is too large for one request, None where it was not; ``chosen`` is how many of its
    passages the result then rests on."""

    model_config = ConfigDict(frozen=True)

    document_id: str
    title: str
    pages_read: int
    pages: int
    passages_read: int = 0
    passages: int = 0
    parts: int | None = None
    chosen: int = 0

    @classmethod
    def of(cls, document: Document, pages_read: int, passages_read: int) -> Self:
        """How much of a document of the library was read."""
        return cls(
            document_id=document.id, title=document.display_title, pages_read=pages_read, pages=document.pages,
            passages_read=passages_read, passages=document.chunks,
        )  # fmt: skip

    @property
    def pages_unread(self) -> int:
        return self.pages - self.pages_read

    @property
    def is_whole(self) -> bool:
        """Whether all text of the document was read; pages without text may be left."""
        return self.passages_read >= self.passages


def read_in_part(extents: Sequence[Extent]) -> str:
    """What was not read as a whole, as a sentence for each document; "" where there is none."""
    return " ".join(
        f"Read {e.passages_read:,} of {e.passages:,} passages (on {e.pages_read:,} of {counted(e.pages, 'page')}) of {e.title}: "
        "what stands elsewhere in it was not seen."
        for e in extents
        if not e.is_whole
    )


def read_in_full(extents: Sequence[Extent]) -> str:
    """What was read as a whole, in a sentence; "" where there is none."""
    whole = [_pages(e) for e in extents if e.is_whole]
    return f"Read in full: {'; '.join(whole)}." if whole else ""


def reading_line(extents: Sequence[Extent]) -> str:
    """Both, the more important first; "" for no documents."""
    return " ".join(filter(None, [read_in_part(extents), read_in_full(extents)]))


def _pages(extent: Extent) -> str:
    title, pages = extent.title, counted(extent.pages, "page")
    told = (
        f"{title}, {extent.pages_read:,} of {pages} (the others hold no text)"
        if extent.pages_unread
        else f"{title}, {pages}"
    )
    return told + _how(extent)


def _how(extent: Extent) -> str:
    if extent.parts is None:
        return ""
    read = f"in {counted(extent.parts, 'part')}" if extent.parts else "sentence by sentence beside the other edition"
    chosen = f"{counted(extent.chosen, 'passage')} {'chosen there' if extent.parts else 'that changed'}"
    return f" ({read}; what is said of it rests on {chosen})"
