"""From pages and excerpts to the passages an answer can quote, the most relevant first."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from policypal.domain.documents import Page
from policypal.domain.web import WebPassage, host_of
from policypal.search.terms import terms
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
    candidates = _without_copies(p for hit in hits for p in passages_of(hit, pages.get(hit.url)))
    ranked = _ranked(query, candidates)
    chosen: list[WebPassage] = []
    for passage in ranked:
        if sum(p.url == passage.url for p in chosen) < PER_PAGE and len(chosen) < limit:
            chosen.append(passage)
    return chosen


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


def _without_copies(passages: Iterable[WebPassage]) -> list[WebPassage]:
    known: dict[str, WebPassage] = {}
    for passage in passages:
        known.setdefault(content_hash(passage.text), passage)
    return list(known.values())


def _ranked(query: str, passages: Sequence[WebPassage]) -> list[WebPassage]:
    """By the idf-weighted share of the query's terms in each, [0, 1]; those with none of them are left out."""
    held = [set(terms(f"{p.title} {p.text}")) for p in passages]
    frequency = Counter(t for found in held for t in found)
    weights = {t: math.log(1 + (len(passages) + 1) / (frequency[t] + 0.5)) for t in set(terms(query))}
    total = sum(weights.values()) or 1.0
    scored = [
        p.scored(sum(w for t, w in weights.items() if t in found) / total)
        for p, found in zip(passages, held, strict=True)
    ]
    return sorted((p for p in scored if p.score > 0), key=lambda p: -p.score)
