"""The library as its page shows it: filtered, searched by name and by text, grouped, exported (D3, D10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from policypal.application.container import Container
from policypal.db import index
from policypal.domain.documents import Document, DocumentStatus, DocumentType, TextMatch
from policypal.domain.reading import Piece
from policypal.domain.users import User
from policypal.domain.versions import version_families
from policypal.export.library import library_csv
from policypal.search.containing import excerpt, find_containing

NO_SET = "none"
"""Stands for "in no set" among the ids of sets."""
Families = Mapping[str, tuple[Document, ...]]


class State(StrEnum):
    """What a document can be looked for by, besides what it is called (D4)."""

    READY = "ready"
    FAILED = "failed"
    UNREAD = "unread"

    @property
    def label(self) -> str:
        return {State.READY: "Ready", State.FAILED: "Failed", State.UNREAD: "With unread pages"}[self]

    def fits(self, d: Document) -> bool:
        if self is State.UNREAD:
            return d.pages_without_text > 0
        return d.status is DocumentStatus(self.value)


class Order(StrEnum):
    """How the documents of a set are sorted."""

    TITLE = "title"
    BEST = "best"
    NEWEST = "newest"
    VERSION = "version"
    PAGES = "pages"

    @property
    def label(self) -> str:
        return {
            Order.TITLE: "Title, A–Z", Order.BEST: "Best match", Order.NEWEST: "Newest first", Order.VERSION: "By version",
            Order.PAGES: "Most pages",
        }[self]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filter:
    """What is looked for. An empty part lets everything pass; several values of one part are alternatives."""

    text: str = ""
    set_ids: tuple[str, ...] = ()
    types: tuple[DocumentType, ...] = ()
    states: tuple[State, ...] = ()
    tags: tuple[str, ...] = ()
    latest_only: bool = False
    order: Order = Order.TITLE

    def lets_pass(self, d: Document) -> bool:
        """Whether everything but the text fits."""
        return (
            (not self.set_ids or (d.set_id or NO_SET) in self.set_ids)
            and (not self.types or d.type in self.types)
            and (not self.states or any(s.fits(d) for s in self.states))
            and (not self.tags or any(t in d.tags for t in self.tags))
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """A document of the list. ``latest`` is the version that replaces it, None for the latest one; ``is_below_latest``
    says that the entry before belongs to the same document. ``match`` is where its text holds the words looked for."""

    document: Document
    latest: Document | None = None
    is_below_latest: bool = False
    match: TextMatch | None = None


def find(app: Container, user: User, documents: Sequence[Document], wanted: Filter) -> list[Entry]:
    """The documents that fit, by set (no set last), in the chosen order, versions of one document together. The text is
    looked for in titles, aliases, tags, file names and sets, and in the pages."""
    families = version_families(documents)
    passing = [d for d in documents if wanted.lets_pass(d) and not (wanted.latest_only and _latest(d, families))]
    matches = find_containing(app.db, user.id, wanted.text) if wanted.text else {}
    words = wanted.text.casefold().split()
    fitting = [d for d in passing if d.id in matches or is_named(d, words)]
    fitting = _sorted(fitting, wanted.order, words, matches)
    fitting.sort(key=lambda d: (d.set_name is None, (d.set_name or "").casefold()))
    entries = []
    for _, members in groupby(fitting, key=lambda d: d.set_id):
        entries += _with_versions(list(members), families, matches)
    return entries


def excerpts(app: Container, user: User, entries: Sequence[Entry], words: str) -> dict[str, list[Piece]]:
    """By document id: the words in the passage that was found, for the entries that are shown."""
    wanted = {e.match.passage_id: e.document.id for e in entries if e.match}
    if not wanted:
        return {}
    passages = index.passages_by_id(app.db, user.id, list(wanted))
    return {p.document_id: excerpt(p.text, words) for p in passages}


def export_csv(entries: Sequence[Entry]) -> bytes:
    """The shown list as a file (D10): what is exported equals what is shown."""
    return library_csv([(e.document, e.latest.display_title if e.latest else "") for e in entries])


def is_named(d: Document, words: Sequence[str]) -> bool:
    """Whether all ``words``, in lower case, occur in what the document is called."""
    names = " ".join((d.display_title, d.filename, d.set_name or "", *d.aliases, *d.tags)).casefold()
    return all(w in names for w in words)


def _sorted(
    documents: Sequence[Document], order: Order, words: Sequence[str], matches: Mapping[str, TextMatch]
) -> list[Document]:
    by_title = sorted(documents, key=lambda d: (d.title.casefold(), d.version))
    if order is Order.BEST and words:
        return sorted(
            by_title, key=lambda d: (not is_named(d, words), -matches[d.id].score if d.id in matches else 0.0)
        )
    if order is Order.NEWEST:
        return sorted(by_title, key=lambda d: d.created_at, reverse=True)
    if order is Order.VERSION:
        return sorted(by_title, key=lambda d: d.version, reverse=True)
    return sorted(by_title, key=lambda d: -d.pages) if order is Order.PAGES else by_title


def _latest(d: Document, families: Families) -> Document | None:
    """The version that replaces ``d``; None if it is the latest itself."""
    family = families.get(d.id, (d,))
    return family[0] if family[0].id != d.id else None


def _with_versions(members: list[Document], families: Families, matches: Mapping[str, TextMatch]) -> list[Entry]:
    """Each document where its first version stands in the order, the latest on top and the others below it."""
    present = {d.id: d for d in members}
    entries: list[Entry] = []
    for document in members:
        if document.id not in present:
            continue
        family = [d for d in families.get(document.id, (document,)) if present.pop(d.id, None)]
        for n, version in enumerate(family):
            entries.append(Entry(version, _latest(version, families), n > 0, matches.get(version.id)))
    return entries
