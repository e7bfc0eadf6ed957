"""Task: summarize sampled passages of documents (A1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import BaseModel, Field

from policypal.services.embeddings import Embedder
from policypal.services.llm.task import Prompt, Task, TaskContext, fenced
from policypal.services.llm.tasks.alignment import capitalised
from policypal.services.llm.tasks.evidence import QUOTING_RULES, CitedSentence, Evidence, numbered_evidence
from policypal.services.llm.tasks.parties import by_party, party_of
from policypal.services.llm.tasks.quoting import cite
from policypal.services.llm.tasks.ranking import central_order, near_duplicate
from policypal.services.llm.tasks.relevance import relevance
from policypal.services.llm.tasks.statements import Statement, has_verb, statements_of
from policypal.services.obligations import Modality, modality_of
from policypal.services.quantities import Bound, Quantity, QuantityKind, find_quantities

KEY_POINTS = 5
OBLIGATIONS = 5
DEADLINES = 8
PARTIES = 5
_READABLE = range(6, 60)
_SCOPE = re.compile(
    r"\b(?:this|these|the present)\s+(?:\w+\s+){1,4}?(?:appl(?:y|ies)\b|sets?\s+out|lays?\s+down|address(?:es)?\b|aims?\b|covers?\b|"
    r"establish(?:es)?\b|governs?\b|binds?\b)|\b(?:purpose|objective|aim|scope)\s+of\s+(?:this|these)\b",
    re.IGNORECASE,
)
_LEANS_ON_CONTEXT = re.compile(
    r"^(?:it|they|he|she|those|that|such|these|moreover|however|furthermore|therefore|in addition|in particular|in turn|likewise|"
    r"similarly|also|where such|the same|without prejudice|by way of derogation|notwithstanding|this (?:should|shall|must|may|is|includes?|means?|had))\b",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(r"^[A-Z][\w/ ()]{2,60}?\s[–—-]\s|\bmeans\b|^[‘“\"]")
_FOOTNOTE = re.compile(r"(?:^|\n)\s*\d{1,2}\s+[“\"]?[A-Z]|www\.|https?://|©")
_ILLUSTRATES = re.compile(r"^(?:for example|for instance|illustration|explanation|note\b|see\b|eg\b)", re.IGNORECASE)
_MEASURED = {QuantityKind.DURATION, QuantityKind.FREQUENCY, QuantityKind.PERCENT, QuantityKind.MONEY, QuantityKind.DATE}


class SummarizeInput(BaseModel):
    """``evidence`` is grouped by ``document`` in ``titles`` order; ``request`` is the user's message."""

    request: str
    titles: list[str]
    evidence: list[Evidence]


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
You summarize policies and regulations for a compliance team, from passages sampled evenly over each document.

{QUOTING_RULES}
Sections, one set per document, in the order of the titles given, with exactly those titles:
- key_points: three to six sentences on purpose, scope and the main content.
- who_is_bound: one sentence per bound party, the most burdened first, on what it is bound to.
- obligations: the most important duties and prohibitions, each with its bound party as the evidence names it.
- deadlines_and_thresholds: every deadline, period, amount, percentage or limit that binds somebody; value is the figure
  with its bound ("at least 5 years"), party who has to keep it.
Then relevance: at most four sentences on what this means for the user's company, industry and country, only where the
evidence supports it; an empty list when no profile is given or nothing in the evidence concerns it.
"""


def prompt(given: SummarizeInput) -> Prompt:
    """What a model is sent; everything untrusted is fenced (X2)."""
    parts = [
        fenced("documents", "\n".join(given.titles)),
        numbered_evidence(given.evidence),
        fenced("request", given.request),
    ]
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def extractive(given: SummarizeInput, context: TaskContext) -> Summary:
    """Each document's central statements, duties and measured limits, quoted; and what mentions the user's profile."""
    by_document = {title: [e for e in given.evidence if e.document == title] for title in given.titles}
    statements = {
        title: [s for s in statements_of(evidence) if not s.is_illustration] for title, evidence in by_document.items()
    }
    return Summary(
        documents=[_section(title, found, context.embedder) for title, found in statements.items()],
        relevance=relevance(context.profile, [s for found in statements.values() for s in found if _is_readable(s)]),
    )


def _section(title: str, statements: Sequence[Statement], embedder: Embedder) -> DocumentSummary:
    usable = [s for s in statements if _is_readable(s)]
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

    limits = pick(_measure, DEADLINES, 0.15)
    duties = pick(_duty, OBLIGATIONS, 0.3)
    return DocumentSummary(
        document=title,
        key_points=[cite(s) for s in pick(_gist, KEY_POINTS, 0.3)],
        who_is_bound=list(_who_is_bound(usable, used)),
        obligations=[Duty(party=party_of(s), **cite(s).model_dump()) for s in duties],
        deadlines_and_thresholds=[Limit(value=_value(s), party=party_of(s), **cite(s).model_dump()) for s in limits],
    )


def _who_is_bound(statements: Sequence[Statement], used: Sequence[Statement]) -> Iterator[CitedSentence]:
    """The parties with the most duties, each with one that no other section has where there is one."""
    for party, duties in list(by_party(statements).items())[:PARTIES]:
        shown = next((s for s in duties if not any(near_duplicate(s, other) for other in used)), duties[0])
        yield cite(shown, prefix=f"{capitalised(party)} – ")


def _value(statement: Statement) -> str:
    """The figures of a limit with the bounds the text states."""
    limits = [q for q in find_quantities(statement.text) if _is_limit(q)]
    values = [" ".join(filter(None, [_bound(q), q.text])) for q in limits]
    return "; ".join(dict.fromkeys(values))


def _bound(quantity: Quantity) -> str:
    if quantity.kind is QuantityKind.DATE and quantity.bound is Bound.AT_MOST:
        return "by"
    return "" if quantity.bound is Bound.UNSTATED else quantity.bound.value


def _is_readable(statement: Statement) -> bool:
    return (
        statement.complete
        and not statement.is_row
        and len(statement.text.split()) in _READABLE
        and has_verb(statement.full_text)
        and (statement.intro is not None or not statement.text[0].islower())
        and not _ILLUSTRATES.match(statement.text)
        and not statement.text.endswith(("?", ":"))
        and not _FOOTNOTE.search(statement.evidence.text[slice(*statement.span)])
    )


def _gist(statement: Statement) -> float:
    """Statements of purpose and scope first, whole sentences before list items."""
    weight = 1.5 if _SCOPE.search(statement.text) else 1.0
    if modality_of(statement.text) in (None, Modality.RECOMMENDED):
        weight *= 0.85
    if _GLOSSARY.search(statement.text):
        weight *= 0.7
    return weight * _self_standing(statement)


def _self_standing(statement: Statement) -> float:
    """Less for list items and for sentences that lean on the one before them ("Such a report …")."""
    return (0.7 if statement.intro is not None else 1.0) * (0.6 if _LEANS_ON_CONTEXT.match(statement.text) else 1.0)


def _duty(statement: Statement) -> float:
    """What binds: duties and prohibitions; recommendations only where nothing is stronger."""
    modality = modality_of(statement.full_text)
    if modality in (Modality.REQUIRED, Modality.PROHIBITED):
        return _self_standing(statement)
    return 0.35 * _self_standing(statement) if modality is Modality.RECOMMENDED else 0.0


def _measure(statement: Statement) -> float:
    """Deadlines and thresholds: measured quantities, more so with a stated bound or a duty."""
    quantities = [q for q in find_quantities(statement.text) if _is_limit(q)]
    if not quantities:
        return 0.0
    weight = 1.0 + 0.5 * any(q.bound is not Bound.UNSTATED for q in quantities)
    weight += 0.4 * any(q.kind in (QuantityKind.MONEY, QuantityKind.PERCENT) for q in quantities)
    return weight * (1.3 if modality_of(statement.full_text) in (Modality.REQUIRED, Modality.PROHIBITED) else 1.0)


def _is_limit(quantity: Quantity) -> bool:
    if quantity.kind is not QuantityKind.NUMBER:
        return quantity.kind in _MEASURED
    bounded = quantity.bound not in (Bound.UNSTATED, Bound.BELOW)
    return bounded and quantity.value > 1 and len(quantity.unit) > 3


def _in_reading_order(statements: Iterable[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda s: (s.source, s.span))


SUMMARIZE: Task[SummarizeInput, Summary] = Task(
    name="summarize", version="3", output=Summary, prompt=prompt, extractive=extractive
)
