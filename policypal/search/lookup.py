"""Provisions that a question names, by label or by the heading they stand under (A2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from policypal.db import documents as documents_db
from policypal.db.pages import pages_with_line
from policypal.db.pool import Database
from policypal.domain.documents import Page, RetrievedPassage
from policypal.search.labels import Label, line_pattern
from policypal.search.provisions import MOST_PAGES, Provision, headed, labelled, names_topic
from policypal.search.terms import terms
from policypal.text.chunks import find_headings

MOST_DOCUMENTS = 3
"""In so many documents a provision is shown."""
_SPREAD_PAGES = 3
"""On more pages a number without a name begins lines that start anew in every section."""
_ONE_WORD_SHARE = 0.34
"""How much of a heading a single word must be to be what the section is about."""
_BEFORE = 2


@dataclass(frozen=True, slots=True)
class Found:
    """A provision of a document; ``share`` in (0, 1] is how exactly it is what was asked for."""

    document_id: str
    provision: Provision
    share: float = 1.0


def by_label(db: Database, user_id: str, label: Label, document_ids: Sequence[str] | None) -> list[Found]:
    """The provision with the ``label`` in each document that has one. "Article 17" found as such leaves out documents in
    which only a paragraph 17 is found."""
    places = pages_with_line(db, user_id, line_pattern(label), document_ids)
    found = [f for document, pages in _by_document(places) if (f := _of_document(db, user_id, document, pages, label))]
    named = [f for f in found if f.provision.is_named]
    return named or found


def by_heading(db: Database, user_id: str, topic: str, hits: Sequence[RetrievedPassage]) -> list[Found]:
    """The section of each document whose heading names the ``topic``, among those over and in the passages found, best
    first."""
    best: dict[str, Found] = {}
    for hit in hits:
        for heading, share in _naming(hit, topic):
            known = best.get(hit.passage.document_id)
            if known is None or share > known.share:
                provision = _under(db, user_id, hit, heading)
                if provision is not None:
                    best[hit.passage.document_id] = Found(hit.passage.document_id, provision, share)
    return sorted(best.values(), key=lambda f: -f.share)


def _by_document(places: Iterable[tuple[str, int]]) -> Iterator[tuple[str, list[int]]]:
    by_document: dict[str, list[int]] = {}
    for document, page in places:
        by_document.setdefault(document, []).append(page)
    return iter(by_document.items())


def _of_document(db: Database, user_id: str, document_id: str, pages: Sequence[int], label: Label) -> Found | None:
    wanted = [(document_id, n) for page in pages for n in range(page, page + MOST_PAGES)]
    texts = documents_db.load_page_texts(db, user_id, sorted(set(wanted)))
    found = [p for page in pages if (p := labelled(_following(texts, document_id, page), label))]
    best = max(found, key=lambda p: (p.is_named, p.size), default=None)
    if best is None or (not best.is_named and "." not in label.number and len(found) > _SPREAD_PAGES):
        return None
    return Found(document_id, best)


def _following(texts: dict[tuple[str, int], str], document_id: str, page: int) -> list[Page]:
    numbers = range(page, page + MOST_PAGES)
    return [Page(n, texts[document_id, n]) for n in numbers if (document_id, n) in texts]


def _naming(hit: RetrievedPassage, topic: str) -> Iterator[tuple[str, float]]:
    passage = hit.passage
    inside = [h.text for h in find_headings(Page(passage.page, passage.text))]
    for heading in dict.fromkeys(filter(None, [passage.heading, *inside])):
        share = names_topic(heading, topic)
        if share >= (_ONE_WORD_SHARE if len(set(terms(topic))) == 1 else 0.01):
            yield heading, share


def _under(db: Database, user_id: str, hit: RetrievedPassage, heading: str) -> Provision | None:
    """The section under a heading that begins on the passage's page, or shortly before it."""
    document, page = hit.passage.document_id, hit.passage.page
    wanted = [(document, n) for n in range(max(1, page - _BEFORE), page + MOST_PAGES)]
    texts = documents_db.load_page_texts(db, user_id, wanted)
    for first in range(page, max(0, page - _BEFORE - 1), -1):
        pages = _following(texts, document, first)
        if pages and pages[0].number == first and (provision := headed(pages, heading)):
            return provision
    return None
