"""The one citation model, for documents and the web alike (C1)."""

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

MAX_QUOTE_CHARACTERS = 300
RELATED = "#### Related provisions"
"""The heading of an answer's Markdown from which on, up to the next section, a page shows the rest on demand only."""
_MARKER = re.compile("([📄🌐])(?=\ufe0f?\\s?\\d)")


class Citation(BaseModel):
    """What a statement rests on. ``start``/``end`` are code points into the page's stored text. ``is_ocr`` says that this text
    was recognised on a picture of the page, with less certainty than a text layer gives (D7). ``provision`` is the label of the provision
    it begins in ("Art. 33(1)"), empty where that has none (D11)."""

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
    is_ocr: bool = False
    provision: str = ""

    @model_serializer(mode="wrap")
    def _as_agreed(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The agreed fields (section K); ``is_ocr`` and ``provision`` only where there is something to say."""
        held: dict[str, Any] = handler(self)
        return {name: value for name, value in held.items() if value or name not in ("is_ocr", "provision")}

    @property
    def marker(self) -> str:
        """The inline marker: 📄1 or 🌐2 (C3)."""
        return f"{'📄' if self.source_type == 'document' else '🌐'}{self.id}"

    @property
    def place(self) -> str:
        """ "Art. 33(1), page 52", "page 52"; empty for a web page."""
        page = f"page {self.page}" if self.page is not None else ""
        return ", ".join(filter(None, [self.provision, page]))

    @property
    def quotation(self) -> str:
        """The quote on one line; an unverified one has no quotation marks and says so (C2)."""
        words = " ".join(self.quote.split())
        return f"“{words}”" if self.verified else f"{words} (not verified)"

    @property
    def display_title(self) -> str:
        """ "Title (Version)" without saying the version twice; of a web page the title."""
        if self.source_type == "document" and self.version and f"({self.version})" not in self.title:
            return f"{self.title} ({self.version})"
        return self.title


_CONSTRUCT = re.compile(
    r"[*`]|\\(?=[!-/:-@\[-`{-~]|$)|(?<![^\W_])_|_(?![^\W_])|\](?=\()|<(?=[A-Za-z/!?])|&(?=#?\w+;)|^(?:[#>+=~|-]|\d{1,9}(?=[.)](?:\s|$)))"
)


def literal(words: str) -> str:
    """Words that others wrote, to stand on one line of an answer's Markdown, where they are shown character by character as
    they are (C2). What would be read as Markdown is escaped, and nothing else, so that words are still found in it."""
    escaped = _CONSTRUCT.sub(lambda found: f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}", words)
    return unmarked(escaped)


def unmarked(text: str) -> str:
    """Text that others wrote, to stand in an answer: it looks the same, but nothing in it is a citation marker (C3, X2)."""
    return _MARKER.sub("\\1\u2060", text)
