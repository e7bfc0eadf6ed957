"""Which documents of the library a goal or an answer means, and what its scope can be limited to (W2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TypeVar

from pydantic import Field

from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.research import REPORT_TAG
from policypal.domain.versions import superseded_by
from policypal.request.document_names import KnownDocument
from policypal.request.library import RELATIVE, age, title_stems
from policypal.request.resolver import resolve_references
from policypal.request.words import DRAFTS, split_words, years

_MAX_READ = 2_000
"""Of a long goal, its beginning says which documents it is about."""
_REGULATORY = re.compile(
    r"\b(?:(?:our|my|all) (?:\w+ )?(?:regulators?|supervisors?|(?:supervisory )?authorit(?:y|ies)|laws|regulations|rulebooks|guidelines)|"
    r"(?:the|both) (?:regulators?|supervisors?|authorit(?:y|ies)) (?:requires?|expects?|demands?|says?|wants?)|"
    r"the regulations|regulatory (?:documents|sources|requirements|expectations))\b",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b(?:our|my|all|these|both) (?:(?:own|internal|company|current|existing|group) ){0,2}(?:policies|procedures)|"
    r"(?:our|my) (?:(?:own|internal|company|current|existing|group) ){0,2}(?:policy|procedures?)(?! (?:on|for|about|regarding)\b)|"
    r"(?:company|internal) (?:policies|documents|procedures)\b",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"^\s*all of the above\W*$|\b(?:whole|entire) library\b|\ball (?:our |my |the )?documents\b", re.IGNORECASE
)


AnyDocument = TypeVar("AnyDocument", bound=KnownDocument)


def sources_of(library: Iterable[Document]) -> list[Document]:
    """The documents a report may rest on: all that can be read, but for reports that were filed in the library, which would
    vouch for themselves. One that is named is used all the same."""
    return [d for d in library if d.status is DocumentStatus.READY and REPORT_TAG not in d.tags]


def sources_in_force(library: Iterable[Document], goal: str) -> list[Document]:
    """The sources without superseded editions, unless the goal speaks of an older one: by its year, as "old" or "previous", or
    by asking for several editions (G4)."""
    sources = sources_of(library)
    newer = superseded_by(sources)
    older_years = frozenset[int]().union(*(years(d.version) for d in sources if d.id in newer))
    if years(goal) & older_years or speaks_of_editions(goal):
        return sources
    return [d for d in sources if d.id not in newer]


_OLDER = ("older", "oldest", "previous")
_SEVERAL_EDITIONS = frozenset("editions versions revisions amended superseded repealed history".split())


def speaks_of_editions(text: str) -> bool:
    """Whether ``text`` means an older edition, or several."""
    return any(RELATIVE.get(w.lower) in _OLDER or w.lower in _SEVERAL_EDITIONS for w in split_words(text))


class ResearchDocument(KnownDocument):
    """A document of the library as planning sees it. ``headings``: some of its sections, best those nearest to the goal."""

    headings: list[str] = Field(default_factory=list)


def research_document(document: Document, headings: Iterable[str] = ()) -> ResearchDocument:
    """A document of the library with some of its headings."""
    return ResearchDocument(
        id=document.id, title=document.title, version=document.version, type=document.type.value,
        set_name=document.set_name, aliases=list(document.aliases), headings=list(headings),
    )  # fmt: skip


def scope_choices(library: Sequence[KnownDocument]) -> dict[str, list[str]]:
    """What a report can be limited to, as it is offered, with the ids it stands for: sets, types, single documents."""
    choices: dict[str, list[str]] = {}
    for name in dict.fromkeys(d.set_name for d in library if d.set_name):
        choices[f"Documents of the set {name}"] = [d.id for d in library if d.set_name == name]
    regulatory, company = ([d.id for d in library if d.type == t] for t in ("regulatory", "company"))
    if regulatory and company:
        choices["All regulatory documents of the library"] = regulatory
        choices["All company documents of the library"] = company
    for document in library:
        choices.setdefault(document.display_title, [document.id])
    return choices


def named_documents(text: str, library: Sequence[KnownDocument], today: date) -> list[str]:
    """The ids of the documents that ``text`` means by title, alias, set, type or description; empty where it means none.
    Of several versions the latest, unless ``text`` speaks of versions or names them."""
    text = text[:_MAX_READ]
    found = resolve_references(text, "inquire", [], library, [], today)
    typed: list[KnownDocument] = []
    for pattern, type_ in ((_REGULATORY, "regulatory"), (_COMPANY, "company")):
        if pattern.search(text):
            typed += [d for d in library if d.type == type_ and not (title_stems(d) & DRAFTS and type_ == "company")]
    open_ones = [*found.candidates, *typed]
    meant = {d.id for d in (*found.certain, *(open_ones if speaks_of_editions(text) else latest_versions(open_ones)))}
    return [d.id for d in library if d.id in meant]


def latest_versions(documents: Sequence[AnyDocument]) -> list[AnyDocument]:
    """The documents without those of which there is a later version among them."""
    latest: dict[str, AnyDocument] = {}
    for document in documents:
        key = " ".join(document.title.casefold().split())
        if key not in latest or age(document) > age(latest[key]):
            latest[key] = document
    kept = {d.id for d in latest.values()}
    return [d for d in documents if d.id in kept]


def is_everything(value: str) -> bool:
    """Whether an answer about scope sets no limit."""
    return _EVERYTHING.search(value) is not None


def chosen_documents(values: Sequence[str], library: Sequence[KnownDocument], today: date) -> list[str]:
    """The ids that the answers to a question of scope stand for: an offered choice exactly, own words as in
    :func:`named_documents`. Empty for everything, or where the answer is about something else."""
    if any(map(is_everything, values)):
        return []
    choices = scope_choices(library)
    chosen = {i for v in values for i in (choices[v] if v in choices else named_documents(v, library, today))}
    return [d.id for d in library if d.id in chosen]
