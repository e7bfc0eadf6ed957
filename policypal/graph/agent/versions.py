"""Two versions of one document in a comparison: their change list, cited (A3, D8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from policypal.compare.redline.changes import (
    LINKED_VERSIONS_SHARE,
    VERSIONS_SHARE,
    Alignment,
    FoundChange,
    align,
    shared_sentences,
)
from policypal.db import documents as documents_db
from policypal.domain.changes import MOST_CHANGES, Change, ChangeKind, ChangeList
from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.domain.documents import Document, Page, Passage
from policypal.gate.numbering import sentence_spans
from policypal.graph.agent.readings import Reading, passage_at
from policypal.graph.citing import Citer
from policypal.graph.context import NodeContext
from policypal.request.focus import concerns
from policypal.text.clauses import Place

_CONTEXT = 140
"""Characters of a long clause that are quoted before its first difference."""


@dataclass(frozen=True, slots=True)
class Versions:
    """An old and a new version with their pages, clause by clause."""

    old: Document
    new: Document
    pages: dict[str, Sequence[Page]]
    alignment: Alignment

    def about(self, topic: str) -> Versions:
        """Only the changes that speak of ``topic``, their headings counting."""
        kept = [
            f for f in self.alignment.changes if concerns(topic, f.change.heading, *(p.text for p in f.change.parts))
        ]
        return replace(self, alignment=replace(self.alignment, changes=tuple(kept)))


def versions_among(readings: Sequence[Reading], context: NodeContext) -> Versions | None:
    """The two documents as versions of one, if the library, their titles or their sentences say so; None otherwise."""
    if len(readings) != 2:
        return None
    both = [r.document for r in readings]
    linked = _are_linked(*both)
    old, new = sorted(readings, key=lambda r: _age(r.document, both))
    if not linked and shared_sentences(old.clauses, new.clauses) < VERSIONS_SHARE / 2:
        return None
    alignment = align(old.clauses, new.clauses)
    if alignment.shared < (LINKED_VERSIONS_SHARE if linked else VERSIONS_SHARE):
        return None
    pages = {d.id: documents_db.load_pages(context.services.db, context.run.user_id, d.id) for d in both}
    return Versions(old.document, new.document, dict(pages), alignment)


def places_of(versions: Versions) -> list[tuple[str, Place]]:
    """Where both editions differ, as the id of a document and a place in it: what changed a figure, a duty or a negation first, both
    sides of a change together."""
    weighty = sorted(
        versions.alignment.changes, key=lambda f: (not f.change.marks, f.change.kind is not ChangeKind.CHANGED)
    )
    return [
        (document.id, place)
        for found in weighty
        for document, places in ((versions.old, found.old), (versions.new, found.new))
        for place in places
    ]


def numbered_changes(versions: Versions, passages: Sequence[Passage]) -> list[str]:
    """The changes as a prompt tells them, by the numbers of the sentences in these passages: "changed: [3.2] → [41.5] (number)"."""
    lines = []
    for found in versions.alignment.changes[:MOST_CHANGES]:
        sides = (_numbers(found.old, versions.old, passages), _numbers(found.new, versions.new, passages))
        if any("[" in side for side in sides):
            marks = f" ({', '.join(found.change.marks)})" if found.change.marks else ""
            lines.append(f"{found.change.kind}: {' → '.join(sides)}{marks}")
    return lines


def _numbers(places: Sequence[Place], document: Document, passages: Sequence[Passage]) -> str:
    numbers = (
        f"[{n}.{at}]"
        for place in places
        for n, p in enumerate(passages, 1)
        if p.document_id == document.id and p.page == place.page and p.start < place.end and place.start < p.end
        for at, (start, end) in enumerate(sentence_spans(p.text), 1)
        if p.start + start < place.end and place.start < p.start + end
    )
    return " ".join(dict.fromkeys(numbers)) or ("not shown" if places else "nothing")


def _are_linked(one: Document, other: Document) -> bool:
    same_title = one.title.casefold() == other.title.casefold()
    return same_title or one.id == other.previous_version_id or other.id == one.previous_version_id


def _age(document: Document, both: Sequence[Document]) -> tuple[bool, list[int], float]:
    """Sorts the older version first: by the library's link, else by the numbers of the version, else by upload."""
    replaces = any(document.previous_version_id == other.id for other in both)
    return replaces, [int(n) for n in re.findall(r"\d+", document.version)], document.created_at.timestamp()


def cited_changes(versions: Versions, citer: Citer) -> ChangeList:
    """The changes with the numbers of their citations, whose quotes are looked up like all others (C2)."""
    return ChangeList(
        old_title=versions.old.display_title,
        new_title=versions.new.display_title,
        changes=tuple(_cited(found, versions, citer) for found in versions.alignment.changes[:MOST_CHANGES]),
        unchanged=versions.alignment.unchanged,
    )


def _cited(found: FoundChange, versions: Versions, citer: Citer) -> Change:
    differing = {op: [p.text.strip() for p in found.change.parts if p.op == op] for op in ("removed", "added")}
    old = _citation(found.old, differing["removed"], versions.old, versions, citer)
    new = _citation(found.new, differing["added"], versions.new, versions, citer)
    return found.change.model_copy(update={"old_citation": old, "new_citation": new})


def _citation(
    places: Sequence[Place], words: Sequence[str], document: Document, versions: Versions, citer: Citer
) -> int | None:
    if not places:
        return None
    texts = {page.number: page.text for page in versions.pages[document.id]}
    place = next((p for p in places if words and words[0] in texts[p.page][p.start : p.end]), places[0])
    passage = passage_at(document, place, texts[place.page][place.start : place.end])
    citation = citer.cite_words(passage, _around(passage.text, words))
    return citation.id if citation else None


def _around(text: str, words: Sequence[str]) -> str:
    """At most 300 characters of the clause, with the first of the differing ``words`` among them."""
    if len(text) <= MAX_QUOTE_CHARACTERS:
        return text
    at = max(text.find(words[0]), 0) if words else 0
    start = text.rfind(" ", 0, max(at - _CONTEXT, 0)) + 1
    end = text.rfind(" ", start, start + MAX_QUOTE_CHARACTERS)
    return text[start : end if end > at else start + MAX_QUOTE_CHARACTERS]
