"""The one citation model, for documents and the web alike (C1)."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_QUOTE_CHARACTERS = 300
_MARKER = re.compile("([📄🌐])(?=\ufe0f?\\s?\\d)")


class Citation(BaseModel):
    """What a statement rests on. ``start``/``end`` are code points into the page's stored text."""

    model_config = ConfigDict(frozen=True)

    id: int
    source_type: Literal["document", "web"] = "document"
    title: str
    version: str = ""
    page: int | None = None
    url: str | None = None
    quote: str = Field(max_length=MAX_QUOTE_CHARACTERS)
    verified: bool
    document_id: str | None = None
    start: int | None = None
    end: int | None = None

    @property
    def marker(self) -> str:
        """The inline marker: 📄1 or 🌐2 (C3)."""
        return f"{'📄' if self.source_type == 'document' else '🌐'}{self.id}"


def unmarked(text: str) -> str:
    """Text that others wrote, to stand in an answer: it looks the same, but nothing in it is a citation marker (C3, X2)."""
    return _MARKER.sub("\\1\u2060", text)
