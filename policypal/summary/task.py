"""Task: summarize documents (A1)."""

import re
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, Field

from policypal.answer.evidence import (
    CITING_RULES,
    CitedSentence,
    EachOnce,
    Evidence,
    documents_given,
    numbered_sentences,
    says_something,
    uncited,
)
from policypal.answer.readings import Reading, on_topic
from policypal.domain.provisions import Kind
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.search.embeddings import Embedder
from policypal.summary.register_view import PARTIES, PER_PARTY, bound_parties, central, points_back
from policypal.summary.relevance import relevance
from policypal.text.clauses import Clause
from policypal.text.lexicon import is_purpose

KEY_POINTS = 3
_SHARE_OF_DUTIES = 0.2
_MARK = re.compile(r"^d\d+ = ")
_SCOPE = re.compile(
    r"\W*(?:this|these|the present)\s+(?:\w+\s+){1,4}?(?:appl(?:y|ies)\b|sets?\s+out|lays?\s+down|aims?\b|covers?\b|establish(?:es)?\b|"
    r"governs?\b|binds?\b)|\W*the\s+(?:purpose|objective|aim|scope)\s+of\s+(?:this|these)\b",
    re.IGNORECASE,
)


class SummarizeInput(BaseModel):
    """``evidence`` is grouped by ``document`` in ``titles`` order; ``request`` is the user's message. ``excerpted`` are the titles of which
    only the passages that matter are given. ``readings`` are what is summarized without a model: all clauses of each document, numbered after the
    evidence; ``topic`` limits it."""

    request: str
    titles: list[str]
    evidence: list[Evidence] = Field(default_factory=list)
    excerpted: list[str] = Field(default_factory=list)
    readings: list[Reading] = Field(default_factory=list)
    topic: str = ""


class Duty(CitedSentence):
    """A duty or prohibition; ``party`` is who it binds, as the evidence names them, empty where it names nobody."""

    party: str = ""


class DocumentSummary(BaseModel):
    """One document's section; ``key_points`` first, then who is bound, and to what."""

    document: str
    key_points: EachOnce[CitedSentence] = Field(default_factory=list)
    who_is_bound: EachOnce[CitedSentence] = Field(default_factory=list)
    obligations: EachOnce[Duty] = Field(default_factory=list)


class Summary(BaseModel):
    documents: list[DocumentSummary]
    relevance: EachOnce[CitedSentence] = Field(default_factory=list)


_INSTRUCTIONS = f"""\
You summarize policies and regulations for a compliance team. The evidence is whole documents in reading order, or the
passages chosen from them where EXTENT says so.

{CITING_RULES}
Sections, one set per document, in the order of the titles given, with exactly those titles:
- key_points: three to six sentences on purpose, scope and the main content.
- who_is_bound: one sentence per bound party, the most burdened first, on what it is bound to.
- obligations: the most important duties and prohibitions, each with its bound party as the evidence names it.
A table of all deadlines and limits is shown beside your summary: do not list them.
Do not begin sentences with the document's title or page: the section and the citation show both.
Then relevance: at most four sentences on what this means for the user's company, industry and country, only where the
evidence supports it; an empty list when no profile is given or nothing in the evidence concerns it.
"""


def prompt(given: SummarizeInput) -> Prompt:
    """What a model is sent; everything untrusted is fenced (X2)."""
    parts = [
        numbered_sentences(given.evidence),
        *documents_given(given.titles, given.excerpted),
        fenced("request", given.request),
    ]
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def complaint(given: SummarizeInput, summary: Summary) -> str:
    """Each document that there is evidence of has a section with a statement, under its own title, and nothing else has."""
    spoken = {title_key(d.document) for d in summary.documents if any(map(says_something, _statements(d)))}
    evidenced = {e.document for e in given.evidence}
    missing = [t for t in given.titles if t in evidenced and title_key(t) not in spoken]
    foreign = [
        d.document for d in summary.documents if title_key(d.document) not in {title_key(t) for t in given.titles}
    ]
    unfounded = uncited((s for d in summary.documents for s in _statements(d)), given.evidence)
    return "\n".join(
        [unfounded] * bool(unfounded)
        + [f"- documents: no section with statements for “{t}”" for t in missing]
        + [f"- documents: “{t[:100]}” is not one of the titles given" for t in foreign]
    )


def title_key(title: str) -> str:
    """A title as a model may repeat it: whatever its case and spaces, with or without the mark of its evidence."""
    return _MARK.sub("", " ".join(title.split())).casefold()


def _statements(document: DocumentSummary) -> Iterator[CitedSentence]:
    yield from (*document.key_points, *document.who_is_bound, *document.obligations)


def extractive(given: SummarizeInput, context: TaskContext) -> Summary:
    """What each document is for and its key obligations by party, quoted; and what mentions the user's profile."""
    embedder = context.embedder
    chosen = on_topic(given.topic, given.readings) if given.topic else [r.clauses for r in given.readings]
    return Summary(
        documents=[_section(r, _in_order(r, of_it), embedder) for r, of_it in zip(given.readings, chosen, strict=True)],
        relevance=[] if given.topic else relevance(context.profile, given.readings),
    )


def _in_order(reading: Reading, clauses: Sequence[Clause]) -> list[Clause]:
    kept = {id(c) for c in clauses}
    return [c for c in reading.clauses if id(c) in kept]


def _section(reading: Reading, clauses: Sequence[Clause], embedder: Embedder) -> DocumentSummary:
    parties = bound_parties(clauses)[:PARTIES]
    duties = [(b.party, c) for b in parties for c in central(b.duties, embedder, PER_PARTY)]
    points = _purpose(clauses)
    if sum(c.counts for c in clauses) < _SHARE_OF_DUTIES * len(
        clauses
    ):  # a policy says what is done rather than what must be
        stated = [c for c in clauses if c.kind is Kind.STATEMENT and c.text.endswith(".") and c not in points]
        points += central(stated, embedder, 2 * KEY_POINTS)
    return DocumentSummary(
        document=reading.title,
        key_points=[reading.quote(c) for c in points],
        obligations=[Duty(party=party, **reading.quote(c).model_dump()) for party, c in duties],
    )


def _purpose(clauses: Sequence[Clause]) -> list[Clause]:
    """What the document says it is for, and for whom: its sections on purpose and scope, else the sentences that say so."""
    told = [c for c in clauses if c.kind not in (Kind.EXAMPLE, Kind.REFERENCE, Kind.TABLE) and not c.introduces]
    headed = [c for c in told if any(map(is_purpose, c.headings))]
    return (headed or [c for c in told if _SCOPE.match(c.text) and not points_back(c)])[:KEY_POINTS]


SUMMARIZE: Task[SummarizeInput, Summary] = Task(
    name="summarize", version="8", output=Summary, prompt=prompt, extractive=extractive, complaint=complaint, length=3
)
