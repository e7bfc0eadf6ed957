"""From a page's bytes to its text: boilerplate stripped, normalised, hashed (W4)."""

import hashlib
from dataclasses import dataclass
from typing import Any

from charset_normalizer import from_bytes

from policypal.domain.web import host_of, iso_date
from policypal.errors import PageUnavailable
from policypal.web.fetch import Fetched
from policypal.web.search import MAX_TITLE_CHARACTERS, one_line, readable

MAX_PAGE_CHARACTERS = 100_000
_LEAST_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as it was read. ``published`` is an ISO date or empty; ``content_hash`` is the SHA-256 of ``text`` without
    regard to white space and case, so that copies of one text are recognised."""

    url: str
    title: str
    published: str
    text: str
    content_hash: str


def page_of(fetched: Fetched) -> WebPage:
    """The page's own text. Raises PageUnavailable: there is none."""
    source = _decoded(fetched)
    found = {"text": source} if fetched.media_type == "text/plain" else _main_content(source, fetched.url)
    text = readable(str(found.get("text") or ""))[:MAX_PAGE_CHARACTERS]
    if len(text) < _LEAST_CHARACTERS:
        raise PageUnavailable("no text was found on it")
    title = one_line(str(found.get("title") or ""), MAX_TITLE_CHARACTERS) or host_of(fetched.url)
    return WebPage(fetched.url, title, iso_date(found.get("date")), text, content_hash(text))


def prepare() -> None:
    """Load what pages are read with, which a busy machine needs seconds for: not on the first page's time (W4)."""
    import trafilatura.xml  # noqa: F401


def content_hash(text: str) -> str:
    """SHA-256 of ``text`` in lower case with single spaces, as hexadecimal digits."""
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()


def _decoded(fetched: Fetched) -> str:
    for charset in filter(None, (fetched.charset, "utf-8")):
        try:
            return fetched.body.decode(charset)
        except (LookupError, UnicodeDecodeError):
            continue
    best = from_bytes(fetched.body[:200_000]).best()
    return fetched.body.decode(best.encoding if best else "latin-1", "replace")


def _main_content(source: str, url: str) -> dict[str, Any]:
    """Text, title and date. Blank lines part headings, paragraphs, lists and tables, so that none runs into the next."""
    import trafilatura  # takes a quarter of a second, which only those who read the web should wait for
    from trafilatura.settings import Document
    from trafilatura.xml import xmltotxt

    try:
        found = trafilatura.bare_extraction(
            source, url=url, with_metadata=True, include_comments=False, include_links=False, include_images=False
        )
    except Exception:  # noqa: BLE001 - a parser fed with whatever the web holds fails in ways it does not document
        raise PageUnavailable("its text could not be extracted") from None
    if not isinstance(found, Document):
        return {}
    text = found.text if found.body is None else "\n\n".join(xmltotxt(b, include_formatting=False) for b in found.body)
    return {"text": text, "title": found.title, "date": found.date}
