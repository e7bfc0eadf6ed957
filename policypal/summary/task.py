"""Task: summarize documents (A1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import BaseModel, Field

from policypal.answer.alignment import capitalised
from policypal.answer.evidence import (
    QUOTING_RULES,
    CitedSentence,
    Evidence,
    documents_given,
    numbered_evidence,
    says_something,
)
from policypal.answer.parties import by_party, party_of
from policypal.answer.quoting import quote
from policypal.answer.ranking import central_order, near_duplicate
from policypal.answer.relevance import relevance
from policypal.answer.salience import duty_weight, is_readable, limit_value, limit_weight, self_standing
from policypal.answer.statements import Statement, statements_of
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.search.embeddings import Embedder
from policypal.text.obligations import Modality, modality_of

KEY_POINTS = 5
OBLIGATIONS = 5
DEADLINES = 8
PARTIES = 5
_SCOPE = re.compile(
    r"\b(?:this|these|the present)\s+(?:\w+\s+){1,4}?(?:appl(?:y|ies)\b|sets?\s+out|lays?\s+down|address(?:es)?\b|aims?\b|covers?\b|"
    r"establish(?:es)?\b|governs?\b|binds?\b)|\b(?:purpose|objective|aim|scope)\s+of\s+(?:this|these)\b",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(r"^[A-Z][\w/ ()]{2,60}?\s[–—-]\s|\bmeans\b|^[‘“\"]")


class SummarizeInput(BaseModel):
    """``evidence`` is grouped by ``document`` in ``titles`` order; ``request`` is the user's message. ``sampled`` are the
    titles of which it is not the whole document."""

    request: str
    titles: list[str]
    evidence: list[Evidence]
    sampled: list[str] = Field(default_factory=list)


class Duty(CitedSentence):
    """A duty or prohibition; ``party`` is who it binds, as the evidence names them, empty where it names nobody."""

    party: str = ""


class Limit(CitedSentence):
    """A deadline, period, amount or other threshold; ``value`` is the figure alone ("at least 45 days")."""

    value: str = ""
    party: str = ""


class DocumentSummary(BaseModel):
    """One document's section; ``key_points`` first, then who is bound, duties, deadlines and thresholds."""

    document: str
    key_points: list[CitedSentence] = Field(default_factory=list)
    who_is_bound: list[CitedSentence] = Field(default_factory=list)
    obligations: list[Duty] = Field(default_factory=list)
    deadlines_and_thresholds: list[Limit] = Field(default_factory=list)


class Summary(BaseModel):
    documents: list[DocumentSummary]
    relevance: list[CitedSentence] = Field(default_factory=list)


_INSTRUCTIONS = f"""\
You summarize policies and regulations for a compliance team. The evidence is whole documents in reading order, or a sample
of passages where EXTENT says so.

{QUOTING_RULES}
Sections, one set per document, in the order of the titles given, with exactly those titles:
- key_points: three to six sentences on purpose, scope and the main content.
- who_is_bound: one sentence per bound party, the most burdened first, on what it is bound to.
- obligations: the most important duties and prohibitions, each with its bound party as the evidence names it.
- deadlines_and_thresholds: every deadline, period, amount, percentage or limit that binds somebody; value is the figure
  with its bound ("at least 5 years"), party who has to keep it.
Do not begin sentences with the document's title or page: the section and the citation show both.
Then relevance: at most four sentences on what this means for the user's company, industry and country, only where the
evidence supports it; an empty list when no profile is given or nothing in the evidence concerns it.
"""


def prompt(given: SummarizeInput) -> Prompt:
    """What a model is sent; everything untrusted is fenced (X2)."""
    parts = [
        numbered_evidence(given.evidence),
        *documents_given(given.titles, given.sampled),
        fenced("request", given.request),
    ]
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def complaint(given: SummarizeInput, summary: Summary) -> str:
    """Each document that there is evidence of has a section with a statement, under its own title, and nothing else has."""
    spoken = {_key(d.document) for d in summary.documents if any(map(says_something, _statements(d)))}
    evidenced = {e.document for e in given.evidence}
    missing = [t for t in given.titles if t in evidenced and _key(t) not in spoken]
    foreign = [d.document for d in summary.documents if _key(d.document) not in {_key(t) for t in given.titles}]
    return "\n".join(
        [f"- documents: no section with statements for “{t}”" for t in missing]
        + [f"- documents: “{t[:100]}” is not one of the titles given" for t in foreign]
    )


def _key(title: str) -> str:
    return " ".join(title.split()).casefold()


def _statements(document: DocumentSummary) -> Iterator[CitedSentence]:
    yield from (*document.key_points, *document.who_is_bound, *document.obligations, *document.deadlines_and_thresholds)


def extractive(given: SummarizeInput, context: TaskContext) -> Summary:
    """Each document's central statements, duties and measured limits, quoted; and what mentions the user's profile."""
    by_document = {title: [e for e in given.evidence if e.document == title] for title in given.titles}
    statements = {
        title: [s for s in statements_of(evidence) if not s.is_illustration] for title, evidence in by_document.items()
    }
    return Summary(
        documents=[_section(title, found, context.embedder) for title, found in statements.items()],
        relevance=relevance(context.profile, [s for found in statements.values() for s in found if is_readable(s)]),
    )


def _section(title: str, statements: Sequence[Statement], embedder: Embedder) -> DocumentSummary:
    usable = [s for s in statements if is_readable(s)]
    if not usable:
        return DocumentSummary(document=title)
    vectors = embedder.embed([s.full_text for s in usable])
    used: list[Statement] = []

    def pick(quality: Callable[[Statement], float], at_most: int, diversity: float) -> list[Statement]:
        weights = {position: weight for position, s in enumerate(usable) if (weight := quality(s)) > 0}
        positions = list(weights)
        chosen: list[Statement] = []
        for index in central_order(vectors, list(weights.values()), among=positions, diversity=diversity):
            statement = usable[index]
            if not any(near_duplicate(statement, other) for other in used):
                chosen.append(statement)
                used.append(statement)
            if len(chosen) == at_most:
                break
        return _in_reading_order(chosen)

    limits = pick(limit_weight, DEADLINES, 0.15)
    duties = pick(duty_weight, OBLIGATIONS, 0.3)
    return DocumentSummary(
        document=title,
        key_points=[quote(s) for s in pick(_gist, KEY_POINTS, 0.3)],
        who_is_bound=list(_who_is_bound(usable, used)),
        obligations=[Duty(party=party_of(s), **quote(s).model_dump()) for s in duties],
        deadlines_and_thresholds=[
            Limit(value=limit_value(s), party=party_of(s), **quote(s).model_dump()) for s in limits
        ],
    )


def _who_is_bound(statements: Sequence[Statement], used: Sequence[Statement]) -> Iterator[CitedSentence]:
    """The parties with the most duties, each with one that no other section has where there is one."""
    for party, duties in list(by_party(statements).items())[:PARTIES]:
        shown = next((s for s in duties if not any(near_duplicate(s, other) for other in used)), duties[0])
        yield quote(shown, prefix=f"{capitalised(party)} – ")


def _gist(statement: Statement) -> float:
    """Statements of purpose and scope first, whole sentences before list items."""
    weight = 1.5 if _SCOPE.search(statement.text) else 1.0
    if modality_of(statement.text) in (None, Modality.RECOMMENDED):
        weight *= 0.85
    if _GLOSSARY.search(statement.text):
        weight *= 0.7
    return weight * self_standing(statement)


def _in_reading_order(statements: Iterable[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda s: (s.source, s.span))


SUMMARIZE: Task[SummarizeInput, Summary] = Task(
    name="summarize", version="4", output=Summary, prompt=prompt, extractive=extractive, complaint=complaint, length=3
)
