"""Passages of web pages: evidence like those of documents, but somebody else's (C1)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class WebPassage(BaseModel):
    """A stretch of a page's harvested text, or of the search provider's excerpt where the page could not be read.

    ``published`` is an ISO date or empty; ``start`` the code point of the harvested text (or excerpt) at which ``text``
    begins; ``score`` its relevance to the query in [0, 1].
    """

    model_config = ConfigDict(frozen=True)

    url: str
    title: str
    host: str
    published: str
    start: int
    text: str
    is_excerpt: bool = False
    score: float = 0.0

    @property
    def label(self) -> str:
        """How answers name the page: "Title (example.org, 2025-03-04)"."""
        return f"{self.title} ({self.origin})"

    @property
    def origin(self) -> str:
        """Host and date: "example.org, 2025-03-04"."""
        return ", ".join(filter(None, (self.host, self.published)))

    def scored(self, score: float) -> WebPassage:
        return self.model_copy(update={"score": round(score, 4)})
