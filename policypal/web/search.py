"""What a web search finds, and who searches (G3, R7)."""

import re
from dataclasses import dataclass
from typing import Protocol

import requests

from policypal.domain.text import storable
from policypal.domain.web import host_of, iso_date, safe_url
from policypal.errors import WebSearchError

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


TAVILY_URL = "https://api.tavily.com"
EXA_URL = "https://api.exa.ai"


def answers(base_url: str, *, timeout_seconds: float = 5.0) -> bool:
    """Whether an HTTP server answers there, whatever it says. No key is sent: only a search would show that it is good,
    and a search costs one."""
    try:
        requests.head(base_url, timeout=timeout_seconds, allow_redirects=False).close()
    except requests.RequestException:
        return False
    return True


def refused_with(status: int | None, label: str) -> WebSearchError:
    """What an HTTP status of a provider means; None where none was told."""
    if status is None or status >= 500:
        return WebSearchError()
    return WebSearchError(f"{label} did not accept the search (status {status}).", retryable=False)


_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MARKERS = re.compile("[📄🌐]\ufe0f?")
"""Our own citation markers: a page that writes them would point at a source that never said it."""
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_MARKDOWN = re.compile(r"[*_`#<>\[\]|~]")


def readable(text: str) -> str:
    """``text`` without characters nobody sees, control characters and citation markers; white space within lines is
    single, and at most one line stays blank."""
    shown = _MARKERS.sub("", _CONTROL.sub(" ", _INVISIBLE.sub("", storable(text).replace("\r\n", "\n"))))
    lines = (" ".join(line.split()) for line in shown.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def one_line(text: str, limit: int) -> str:
    """A title: one line of at most ``limit`` characters, without markup."""
    words = " ".join(_MARKDOWN.sub(" ", _TAG.sub("", readable(text))).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"
