"""The library as planning sees it: which documents a goal or an answer means, and their names and headings, never their text (W2)."""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from pydantic import Field

from policypal.domain.documents import Document, DocumentStatus
from policypal.domain.versions import superseded_by
from policypal.request.binding import bind
from policypal.request.library import KnownDocument, Library
from policypal.request.words import RELATIVE, split_words, years
from policypal.research.disclosure import subject_terms
from policypal.research.goal import subject_words
from policypal.search.terms import terms
from policypal.text.clauses import topic_of

_MAX_READ = 2_000
"""Of a long goal, its beginning says which documents it is about."""
_REGULATORS = re.compile(r"\b(?:our|my|all|both) (?:\w+ )?(?:regulators|supervisors|authorities)\b", re.IGNORECASE)
MAX_LISTED = 40
_HEADINGS = 8
_LINE = 400
_LONGEST_HEADING = 60
_EVERYTHING = re.compile(
    r"^\s*all of the above\W*$|\b(?:whole|entire) library\b|\ball (?:our |my |the )?documents\b", re.IGNORECASE
)


def sources_of(library: Iterable[Document]) -> list[Document]:
    """The documents a report may rest on: all that can be read."""
    return [d for d in library if d.status is DocumentStatus.READY]


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
    """A document of the library as planning sees it. ``headings``: some of its sections, best those nearest to the goal; ``passages`` is
    how many it has."""

    headings: list[str] = Field(default_factory=list)
    passages: int = 0


def research_document(document: Document, headings: Iterable[str] = ()) -> ResearchDocument:
    """A document of the library with some of its headings."""
    return ResearchDocument(
        id=document.id, title=document.title, version=document.version, type=document.type.value,
        set_name=document.set_name, aliases=list(document.aliases), headings=list(headings), passages=document.chunks,
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
    found = bind(text, "inquire", [], Library(library), today)
    regulatory = [d for d in library if d.type == "regulatory"] if _REGULATORS.search(text) else []
    open_ones = [*found.candidates, *regulatory]
    older = {} if speaks_of_editions(text) else superseded_by(open_ones)
    meant = {d.id for d in found.certain} | {d.id for d in open_ones if d.id not in older}
    said = years(text)  # "between the 2023 and the 2025 rulebook" names both
    for edition, newest in superseded_by(library).items():
        both = [years(d.version) & said for d in library if d.id in (edition, newest.id)]
        meant |= {edition} if newest.id in meant and all(both) else set()
    return [d.id for d in library if d.id in meant]


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


def by_nearness(goal: str, library: Sequence[ResearchDocument]) -> list[ResearchDocument]:
    """The library, those documents first whose names and headings share most words with the goal."""
    wanted = set(terms(" ".join(subject_words(goal))))

    def shared(document: ResearchDocument) -> int:
        names = [document.title, document.version, document.set_name or "", *document.aliases, *document.headings]
        return len(wanted & set(terms(" ".join(names))))

    return sorted(library, key=lambda d: -shared(d))


def headings_near(words: Iterable[str], documents: Iterable[ResearchDocument]) -> list[str]:
    """Headings that say half of what ``words`` say and not much else, without their numbers, those that share most first, none that only
    narrows another; all headings where there are no words."""
    wanted = set(terms(" ".join(words)))
    found: dict[str, int] = {}
    for heading in (h for d in documents for h in d.headings):
        bare = topic_of(heading.strip().rpartition("\n")[2])
        own = subject_terms(bare)
        shared = len(wanted & own)
        is_near = not wanted or (2 * shared >= len(wanted) and 3 * shared >= len(own))
        if own - wanted and is_near and len(bare) <= _LONGEST_HEADING:
            found.setdefault(bare, shared)
    ranked = sorted(found, key=lambda h: -found[h])
    return [h for n, h in enumerate(ranked) if not any(set(terms(other)) < set(terms(h)) for other in ranked[:n])]


def is_headed(subject: str, documents: Iterable[ResearchDocument]) -> bool:
    """Whether a heading of the documents names a word of the subject."""
    wanted = set(terms(subject))
    return any(wanted & set(terms(h)) for d in documents for h in d.headings)


def library_facts(goal: str, library: Sequence[ResearchDocument]) -> str:
    """One line per document for a planning model; of a large library not all."""
    shown = by_nearness(goal, library)[:MAX_LISTED]
    lines = [_line(document) for document in shown]
    if len(library) > len(shown):
        lines.append(f"({len(library) - len(shown)} more documents)")
    return "\n".join(lines) or "(empty)"


def _line(document: ResearchDocument) -> str:
    details = [f"id={document.id}", f"title={document.display_title}", f"type={document.type}"]
    if document.set_name:
        details.append(f"set={document.set_name}")
    if document.aliases:
        details.append(f"aliases={', '.join(document.aliases)}")
    if document.headings:
        details.append(f"headings={'; '.join(document.headings[:_HEADINGS])}")
    return " | ".join(" ".join(detail.split()) for detail in details)[:_LINE]
