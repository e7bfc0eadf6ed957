"""From pages and excerpts to the passages an answer can quote, the most relevant first."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from policypal.domain.documents import Page
from policypal.domain.web import WebPassage, host_of
from policypal.search.among import passage_among, ranked_among
from policypal.text.chunks import chunk_pages
from policypal.web.harvest import Harvested
from policypal.web.page_text import WebPage, content_hash
from policypal.web.search import WebHit

PER_PAGE = 2
_LEAST_CHARACTERS = 40


def web_passages(query: str, hits: Sequence[WebHit], harvested: Sequence[Harvested], *, limit: int) -> list[WebPassage]:
    """At most two passages per page, relevant to ``query``, best first. A page that could not be read speaks through the
    provider's excerpt; copies of one text speak once."""
    pages = {h.url: h.page for h in harvested if h.page is not None}
    said = {content_hash(p.text): p for hit in reversed(hits) for p in reversed(passages_of(hit, pages.get(hit.url)))}
    candidates = list(reversed(said.values()))
    (found,) = ranked_among([query], [passage_among(n, p.url, p.title, p.text) for n, p in enumerate(candidates)])
    scored = [p.scored(hit.coverage) for p, hit in zip(candidates, found, strict=True) if hit.coverage > 0]
    of_page: Counter[str] = Counter()
    chosen = []
    for passage in sorted(scored, key=lambda p: -p.score):
        of_page[passage.url] += 1
        chosen += [passage] if of_page[passage.url] <= PER_PAGE else []
    return chosen[:limit]


def passages_of(hit: WebHit, page: WebPage | None) -> list[WebPassage]:
    """What ``hit`` says: the page's passages, or the provider's excerpt where there is no page."""
    if page is None:
        return [
            _passage(hit.url, hit.title, hit.published, at, text, is_excerpt=True)
            for at, text in _paragraphs(hit.excerpt)
        ]
    title = hit.title if hit.title != hit.host else page.title
    published, at = hit.published or page.published, _after_title(page.text, (title, page.title))
    return [
        _passage(page.url, title, published, at + c.start, c.text)
        for c in chunk_pages([Page(1, page.text[at:])])
        if len(c.text.strip()) >= _LEAST_CHARACTERS
    ]


def _after_title(text: str, titles: Iterable[str]) -> int:
    """The offset of what a page says below its own title, which names every passage and supports nothing (C2). The title that a
    page is listed under may go on with the name of its site."""
    line, _, rest = text.partition("\n")
    told = f" {_words(line)} "
    is_title = bool(told.strip()) and any(f" {_words(title)} ".startswith(told) for title in titles)
    return len(text) - len(rest.lstrip()) if is_title and len(rest.strip()) >= _LEAST_CHARACTERS else 0


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _passage(url: str, title: str, published: str, start: int, text: str, *, is_excerpt: bool = False) -> WebPassage:
    return WebPassage(
        url=url, title=title, host=host_of(url), published=published, start=start, text=text, is_excerpt=is_excerpt
    )


def _paragraphs(excerpt: str) -> list[tuple[int, str]]:
    """The excerpt's parts with their offsets: they need not follow one another on the page."""
    found, at = [], 0
    for part in excerpt.split("\n\n"):
        if len(part.strip()) >= _LEAST_CHARACTERS:
            found.append((at, part))
        at += len(part) + 2
    return found
