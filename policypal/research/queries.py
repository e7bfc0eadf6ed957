"""What a report's subject is searched for with: its own words, what the documents call it, and its usual sides (W3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from policypal.answer.rewrite_query import clean
from policypal.domain.users import Profile
from policypal.research.disclosure import public_queries, request_without_draft, without_names, without_private_names
from policypal.research.estimate import MAX_QUERIES, MIN_QUERIES
from policypal.research.goal import read_goal, subject_words
from policypal.research.library_facts import headings_near
from policypal.research.scope import ResearchDocument
from policypal.search.terms import terms

_MAX_OWN, _MAX_HEADINGS, _MAX_TITLES = 3, 3, 3
_MAX_WORDS = 10
_SIDES = (
    "obligations and requirements",
    "deadlines, thresholds and notification",
    "roles, responsibilities and governance",
    "scope, definitions and exemptions",
    "records, controls and evidence",
)
_NEWS = "latest amendments and supervisory guidance"


@dataclass(frozen=True, slots=True)
class Searched:
    """What queries are made from. ``documents`` are those the report is about, of the ``library``; ``topics`` are what the
    answers limit it to."""

    goal: str
    documents: Sequence[ResearchDocument]
    library: Sequence[ResearchDocument]
    profile: Profile
    topics: Sequence[str] = ()
    has_web: bool = False

    @property
    def public(self) -> list[ResearchDocument]:
        """The company's own documents and their headings are nobody else's business."""
        return [d for d in self.documents if d.type == "regulatory"]


def queries_of(searched: Searched, most: int) -> list[str]:
    """Three to ``most`` different queries, the most telling first; none names the company, its documents or words of a
    draft, as every one may be asked on the web."""
    asked = without_private_names(request_without_draft(searched.goal), searched.library, searched.profile)
    subjects = _subjects(asked, searched)
    own = different([*_own(asked, searched.goal), *subjects])
    topics = [f"{subjects[0]} {topic}" for topic in searched.topics]
    scoped = different([*own, *topics, *(query for subject in subjects for query in _scoped(subject, searched))])
    most = min(max(most, len(own) + len(topics)), MAX_QUERIES)
    room = max(most - 2, len(own) + max(len(topics), 1))
    queries = [*scoped[:room], *_sides(subjects, searched)]
    public = public_queries(queries, searched.library, searched.profile, searched.goal)
    return different(public)[: max(most, MIN_QUERIES)]


def different(queries: Iterable[str]) -> list[str]:
    """Queries that do not ask for the same words as one before."""
    found: dict[frozenset[str], str] = {}
    for query in queries:
        if key := frozenset(terms(query)):
            found.setdefault(key, query)
    return list(found.values())


def _subjects(asked: str, searched: Searched) -> list[str]:
    """The goal's subject in its bare words, without the names of documents; one for each of several unrelated questions."""
    plain = without_names(asked, _names(searched.public))
    read = read_goal(plain)
    pieces = read.questions[:_MAX_OWN] if read.subjects > 1 else (plain,)
    words = [subject_words(piece)[:_MAX_WORDS] for piece in pieces]
    return [" ".join(w) for w in words if w] or [" ".join(subject_words(asked)[:_MAX_WORDS])]


def _own(asked: str, goal: str) -> list[str]:
    """The goal's own words, as long as they are sentences: with a name cut out, its subject alone says it better."""
    if " ".join(asked.split()).rstrip(".?") not in " ".join(goal.split()):
        return []
    return [clean(part).rstrip("?. ") for part in (read_goal(asked).questions or (asked,))[:_MAX_OWN]]


def _scoped(subject: str, searched: Searched) -> Iterator[str]:
    """What the documents call the subject."""
    words = subject.split()
    titles = dict.fromkeys(d.title for d in searched.public)
    for name in [*headings_near(words, searched.public)[:_MAX_HEADINGS], *list(titles)[:_MAX_TITLES]]:
        said = set(terms(name))
        yield " ".join([name, *(w for w in words if not set(terms(w)) <= said)])


def _sides(subjects: Sequence[str], searched: Searched) -> Iterator[str]:
    yield from (f"{subject} {_SIDES[0]}" for subject in subjects)
    if searched.has_web and subjects[0]:
        yield " ".join(filter(None, (subjects[0], _NEWS, searched.profile.country, searched.profile.industry)))
    yield from (f"{subject} {side}" for side in _SIDES[1:] for subject in subjects)


def _names(documents: Sequence[ResearchDocument]) -> set[str]:
    return {name for d in documents for name in (d.display_title, f"{d.title} {d.version}", d.title, *d.aliases)}
