"""What extraction gives back, and the limits it works under (D6)."""

from dataclasses import dataclass

from policypal.domain.documents import Page


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """``seconds`` bounds wall-clock and CPU time alike; ``memory_mb`` the reading process's address space."""

    seconds: float = 45.0
    memory_mb: int = 1536
    max_pages: int = 2000
    max_characters: int = 20_000_000


OutlineEntry = tuple[str, int | None]
"""The title of an entry of the document's own table of contents, and its page from 1; None where it points nowhere."""


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """A document as read: every page, those without readable text included (their ``text`` is empty).

    ``title`` is from the file's metadata where that is sensible, else the most prominent heading, else None. ``pictures``
    are the numbers of pages on which something is drawn but no text, ``illegible`` of those with text that has no usable
    character map: text recognition can read both kinds (D7); ``has_images``
    says that one of them holds a photograph or scan. ``guessed_encoding`` is Python's name of the encoding of a text that
    does not tell its own (D14).
    """

    pages: tuple[Page, ...]
    pages_without_text: int
    title: str | None
    outline: tuple[OutlineEntry, ...] = ()
    pictures: tuple[int, ...] = ()
    illegible: tuple[int, ...] = ()
    has_images: bool = False
    guessed_encoding: str = ""

    @property
    def has_text(self) -> bool:
        """Whether any page can be read."""
        return self.pages_without_text < len(self.pages)

    @property
    def unread(self) -> list[int]:
        """The numbers of the pages text recognition may help with, in order."""
        return sorted((*self.pictures, *self.illegible))
