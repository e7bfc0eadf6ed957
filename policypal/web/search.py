"""What a web search finds, and who searches (G3, R7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from policypal.domain.web import host_of, iso_date, safe_url
from policypal.web.texts import one_line, readable

MAX_TITLE_CHARACTERS = 120
MAX_EXCERPT_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class WebHit:
    """One result. ``excerpt`` is the provider's own copy of the page's relevant words; ``published`` is an ISO date or
    empty; ``score`` is the provider's relevance in [0, 1], 0 where it gives none."""

    url: str
    title: str
    excerpt: str = ""
    published: str = ""
    score: float = 0.0

    @property
    def host(self) -> str:
        return host_of(self.url)


@dataclass(frozen=True, slots=True)
class PublicQuery:
    """Words that may leave for a search provider (X5). Whoever talks to one takes nothing else, and
    ``research.disclosure`` alone makes one: tests/architecture holds it."""

    text: str


class WebSearch(Protocol):
    """A provider of web search. ``name`` is what its quota is counted under; ``label`` is how people know it."""

    name: str
    label: str

    def search(self, query: PublicQuery, *, max_results: int) -> list[WebHit]:
        """The best results first; empty where nothing was found. Raises WebSearchError: or one of its kinds. One
        attempt; retrying is the caller's."""
        ...


def web_hit(
    url: object, title: object, excerpt: object = "", published: object = "", score: object = 0.0
) -> WebHit | None:
    """A hit out of a provider's untrusted values; None where the address is not one a browser should open."""
    address = safe_url(url)
    if address is None:
        return None
    words = readable(excerpt if isinstance(excerpt, str) else "")[:MAX_EXCERPT_CHARACTERS]
    name = one_line(title if isinstance(title, str) else "", MAX_TITLE_CHARACTERS) or host_of(address)
    return WebHit(address, name, words, iso_date(published), _share(score))


def _share(value: object) -> float:
    return min(1.0, max(0.0, float(value))) if isinstance(value, int | float) else 0.0
