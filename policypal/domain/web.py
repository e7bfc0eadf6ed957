"""Passages of web pages: evidence like those of documents, but somebody else's (C1)."""

from __future__ import annotations

import re
from datetime import date
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

MAX_URL_CHARACTERS = 2000
_MARKUP = re.compile("[<>\"'`|^{}]")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


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


def safe_url(url: object) -> str | None:
    """The address if it is a plain http(s) one without credentials, white space or control characters; else None. What
    could be read as markup is percent-encoded."""
    if not isinstance(url, str) or not 0 < len(url) <= MAX_URL_CHARACTERS or not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    if not usable or "@" in parts.netloc or "\\" in url:
        return None
    return _MARKUP.sub(lambda m: f"%{ord(m[0]):02X}", url)


def host_of(url: str) -> str:
    """The host as people write it: lower case, without "www."."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def iso_date(value: object) -> str:
    """The ISO date at the beginning of ``value``; empty where there is none (of the calendar)."""
    found = _DATE.match(value.strip()) if isinstance(value, str) else None
    if found is None:
        return ""
    try:
        return date.fromisoformat(found.group()).isoformat()
    except ValueError:
        return ""
