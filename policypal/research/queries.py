"""What a report's subject is searched for with: its own words, what the documents call it, and its usual sides (W3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from policypal.answer.rewrite_query import clean
from policypal.domain.users import Profile
from policypal.research.disclosure import public_queries, request_without_draft, without_names, without_private_names
from policypal.research.estimate import MAX_QUERIES, MIN_QUERIES
from policypal.research.goal import subject_words
from policypal.research.library_facts import headings_near
from policypal.research.scope import ResearchDocument
from policypal.search.terms import terms
from policypal.text.sentences import split_sentences

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
    subject = _subject(asked, searched)
    own = different([*_own(asked, searched), subject])
    topics = [f"{subject} {topic}" for topic in searched.topics]
    scoped = different([*own, *topics, *_scoped(subject, searched)])
    most = min(max(most, len(own) + len(topics)), MAX_QUERIES)
    room = max(most - 2, len(own) + max(len(topics), 1))
    public = public_queries(
        [*scoped[:room], *_sides(subject, searched)], searched.library, searched.profile, searched.goal
    )
    return different(public)[: max(most, MIN_QUERIES)]


def different(queries: Iterable[str]) -> list[str]:
    """Queries that do not ask for the same words as one before."""
    found: dict[frozenset[str], str] = {}
    for query in queries:
        if key := frozenset(terms(query)):
            found.setdefault(key, query)
    return list(found.values())


def _subject(asked: str, searched: Searched) -> str:
    """The goal's subject in its bare words, without the names of documents where something is left."""
    bare = subject_words(without_names(asked, _names(searched.public))) or subject_words(asked)
    return " ".join(bare[:_MAX_WORDS])


def _scoped(subject: str, searched: Searched) -> Iterator[str]:
    """What the documents call the subject."""
    words = subject.split()
    titles = list(dict.fromkeys(d.title for d in searched.public))
    yield from (_joined(heading, words) for heading in headings_near(words, searched.public)[:_MAX_HEADINGS])
    yield from (_joined(title, words) for title in titles[:_MAX_TITLES])


def _own(asked: str, searched: Searched) -> Iterator[str]:
    """The goal's own questions, as long as they are sentences: with a name cut out, its words alone say it better."""
    if " ".join(asked.split()).rstrip(".?") not in " ".join(searched.goal.split()):
        return
    for sentence in split_sentences(asked)[:_MAX_OWN]:
        if subject_words(sentence.text):
            yield clean(sentence.text).rstrip("?. ")


def _sides(subject: str, searched: Searched) -> Iterator[str]:
    yield f"{subject} {_SIDES[0]}"
    if searched.has_web and subject:
        yield " ".join(filter(None, (subject, _NEWS, searched.profile.country, searched.profile.industry)))
    yield from (f"{subject} {side}" for side in _SIDES[1:])


def _joined(name: str, words: Sequence[str]) -> str:
    """``name`` and those of ``words`` that it does not say itself."""
    said = set(terms(name))
    return " ".join([name, *(w for w in words[:_MAX_WORDS] if not set(terms(w)) <= said)])


def _names(documents: Sequence[ResearchDocument]) -> set[str]:
    return {name for d in documents for name in (d.display_title, f"{d.title} {d.version}", d.title, *d.aliases)}
