"""Task: differences and similarities per theme (A3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from policypal.answer.alignment import (
    NO_COUNTERPART,
    SAME_SUBJECT,
    Aligner,
    Difference,
    Reading,
    capitalised,
    difference,
)
from policypal.answer.evidence import (
    QUOTING_RULES,
    CitedSentence,
    Evidence,
    documents_given,
    numbered_evidence,
    says_something,
)
from policypal.answer.quoting import cite, quote
from policypal.answer.ranking import rank_by_topic
from policypal.answer.statements import Statement, has_verb, statements_of
from policypal.llm.task import Prompt, Task, TaskContext, fenced
from policypal.text.obligations import Modality, modality_of
from policypal.text.quantities import Quantity, QuantityKind, find_quantities

MOST_DIFFERENCES = 40
MOST_SIMILARITIES = 6
MOST_UNIQUE = 6
"""Per document."""
SILENT = "No corresponding passage found"

_TOPIC_STATEMENTS = 12
_TOPIC_SAME_SUBJECT = 0.36
_TOPIC_SILENT = 4
_TELLS_MORE = 0.06
_NAMED_ASPECTS = 5
_MOST_STATEMENTS = 3000


class CompareInput(BaseModel):
    """``topic`` is set for a focused comparison. ``evidence`` is grouped by ``document`` in ``titles`` order; ``request`` is
    the user's message. ``sampled`` are the titles of which it is not the whole document."""

    titles: list[str]
    evidence: list[Evidence]
    topic: str | None = None
    request: str = ""
    sampled: list[str] = Field(default_factory=list)


class ComparisonRow(BaseModel):
    """One aspect; ``cells`` in ``titles`` order, each quoted or empty where the document is silent."""

    aspect: str
    cells: list[CitedSentence]
    differs: bool


class Comparison(BaseModel):
    """``unrelated``: the documents have no subject in common, and the overview says so."""

    overview: list[CitedSentence] = Field(default_factory=list)
    rows: list[ComparisonRow] = Field(default_factory=list)
    unique: list[CitedSentence] = Field(default_factory=list)
    implications: list[CitedSentence] = Field(default_factory=list)
    unrelated: bool = False


_INSTRUCTIONS = f"""\
You compare policies and regulations for a compliance team. The evidence is whole documents in reading order, or a sample of
passages where EXTENT says so.

{QUOTING_RULES}
Output
- overview: two to four sentences on what the documents have in common and where they differ most.
- rows: one aspect each (a short noun phrase), with exactly one cell per document in the order of the titles given. A cell
  states what that document says, with quotes of that document and no other; where a document is silent the text is
  "{SILENT}" and quotes are empty. A row without any quote is left out.
  differs is true when numbers, dates, deadlines, modal verbs (must, shall, may, should), negations or bound parties
  differ. List rows with different numbers or deadlines first, then other differences, then similarities.
- With a topic: only rows on that topic. Without: three to five themes, as many aspects as the evidence supports.
- unrelated is true where the documents do not speak of the same subjects at all; the overview then says what each is about,
  and everything else is empty.
- unique: statements of one document without counterpart in the others, of documents given whole only. implications: what
  the differences mean in practice, each with the quotes it follows from.
"""


def prompt(given: CompareInput) -> Prompt:
    """What a model is sent; everything untrusted is fenced (X2)."""
    parts = [numbered_evidence(given.evidence), *documents_given(given.titles, given.sampled)]
    if given.topic:
        parts.append(fenced("topic", given.topic))
    parts.append(fenced("request", given.request))
    return Prompt(_INSTRUCTIONS, "\n".join(parts))


def complaint(given: CompareInput, comparison: Comparison) -> str:
    """Something is compared, or it is said that there is nothing to compare."""
    if comparison.rows or comparison.unique:
        return ""
    if (comparison.unrelated or given.topic) and any(map(says_something, comparison.overview)):
        return ""
    return "- rows: no aspect was compared; if there is nothing to compare, say so in the overview and set unrelated to true"


@dataclass(frozen=True, slots=True)
class Aspect:
    """Statements on one subject, one place per document, None where it is silent."""

    statements: tuple[Statement | None, ...]
    similarity: float
    difference: int

    @property
    def present(self) -> list[Statement]:
        return [s for s in self.statements if s is not None]


def extractive(given: CompareInput, context: TaskContext) -> Comparison:
    """Statements of the documents paired by subject; differing numbers and deadlines first, each cell quoted (A3)."""
    documents = [_comparable(given.evidence, title) for title in given.titles]
    if given.topic:
        documents = [_on_topic(given.topic, d, context) for d in documents]
    unread = {title: len(d) for title, d in zip(given.titles, documents, strict=True) if len(d) > _MOST_STATEMENTS}
    documents = [d[:_MOST_STATEMENTS] for d in documents]
    aligner = Aligner(documents, context.embedder)
    aspects = _aspects(documents, aligner, _TOPIC_SAME_SUBJECT if given.topic else SAME_SUBJECT)
    if not given.topic and not aspects and all(documents):
        return _unrelated(given, documents)
    if given.topic:
        rows = _topic_rows(given.topic, documents, aspects, aligner)
        unique: list[CitedSentence] = []
    else:
        rows = _rows(_shown(aspects), aligner)
        unique = [cite(s) for i, d in enumerate(documents) for s in _unique(d, aligner.best_counterparts(i).tolist())]
    return Comparison(
        overview=[*_overview(given, rows, unique), *_bound(unread)],
        rows=rows,
        unique=unique,
        implications=_implications(rows),
    )


def _bound(statements: Mapping[str, int]) -> list[CitedSentence]:
    """What is left out of documents with more statements than are compared (A0)."""
    return [
        CitedSentence(text=f"Of the {number:,} statements of “{title}”, the first {_MOST_STATEMENTS:,} were compared.")
        for title, number in statements.items()
    ]


def _unrelated(given: CompareInput, documents: Sequence[Sequence[Statement]]) -> Comparison:
    """Documents of which no passage corresponds to one of another: a list of what each says alone would compare nothing."""
    names = _listed([f"“{t}”" for t in given.titles])
    read = _listed([str(len(d)) for d in documents])
    said = (
        f"{names} do not address the same subjects: of the {read} statements read, none corresponds to one of another document.",
        "A list of differences would compare nothing. Please name a topic to see what each document says about it.",
    )
    return Comparison(overview=[CitedSentence(text=s) for s in said], unrelated=True)


def _comparable(evidence: Iterable[Evidence], title: str) -> list[Statement]:
    """The document's statements, each once although passages overlap."""
    found: dict[str, Statement] = {}
    for statement in statements_of([e for e in evidence if e.document == title]):
        readable = (
            statement.complete and not statement.is_row and len(statement.terms) >= 3 and not statement.is_illustration
        )
        if readable and has_verb(statement.full_text):
            found.setdefault(statement.full_text.lower(), statement)
    return list(found.values())


def _on_topic(topic: str, statements: Sequence[Statement], context: TaskContext) -> list[Statement]:
    """The statements on the topic; of those that suit it alike, the ones that bind or measure come first."""
    ranked = rank_by_topic(topic, statements, context.embedder)
    ranked.sort(key=lambda r: -(r.score + _TELLS_MORE * (_binds(r.statement) + bool(_limits(r.statement)))))
    return [r.statement for r in ranked[:_TOPIC_STATEMENTS]]


def _limits(statement: Statement) -> list[Quantity]:
    return [q for q in find_quantities(statement.text) if q.kind is not QuantityKind.NUMBER]


def _aspects(documents: Sequence[Sequence[Statement]], aligner: Aligner, at_least: float) -> list[Aspect]:
    """Rows of paired statements. Each statement stands in one row; earlier documents anchor later ones."""
    used: list[set[int]] = [set() for _ in documents]
    aspects: list[Aspect] = []
    for anchor in range(len(documents) - 1):
        partners = {
            other: {p.left: p for p in aligner.pairs(anchor, other, at_least) if p.right not in used[other]}
            for other in range(anchor + 1, len(documents))
        }
        for position in range(len(documents[anchor])):
            matched = {other: pairs[position] for other, pairs in partners.items() if position in pairs}
            if position in used[anchor] or not matched:
                continue
            places: list[Statement | None] = [None] * len(documents)
            places[anchor] = documents[anchor][position]
            for other, pair in matched.items():
                places[other] = documents[other][pair.right]
                used[other].add(pair.right)
            similarity = max(p.similarity for p in matched.values())
            aspects.append(Aspect(tuple(places), similarity, _difference(places, similarity)))
    return aspects


def _difference(places: Sequence[Statement | None], similarity: float) -> int:
    """The weightiest difference between any two of the documents that speak."""
    readings = [Reading(s) for s in places if s is not None]
    return min(
        (difference(a, b, similarity) for i, a in enumerate(readings) for b in readings[i + 1 :]),
        default=Difference.NONE,
    )


def _shown(aspects: Sequence[Aspect]) -> list[Aspect]:
    """Differing values first, then other differences, then a few similarities; most alike subjects are surest."""
    ordered = sorted(aspects, key=lambda a: (a.difference, -a.similarity))
    differing = [a for a in ordered if a.difference != Difference.NONE][:MOST_DIFFERENCES]
    alike = [a for a in ordered if a.difference == Difference.NONE and _binds(a.present[0])][:MOST_SIMILARITIES]
    return [*differing, *alike]


def _rows(aspects: Iterable[Aspect], aligner: Aligner) -> list[ComparisonRow]:
    rows: list[ComparisonRow] = []
    for aspect in aspects:
        rows.append(_row(aspect, aligner.name(aspect.present, {r.aspect for r in rows})))
    return rows


def _row(aspect: Aspect, name: str) -> ComparisonRow:
    return ComparisonRow(
        aspect=name,
        cells=[_cell(s) for s in aspect.statements],
        differs=aspect.difference != Difference.NONE,
    )


def _cell(statement: Statement | None) -> CitedSentence:
    return CitedSentence(text=SILENT) if statement is None else quote(statement)


def _topic_rows(
    topic: str, documents: Sequence[Sequence[Statement]], aspects: Sequence[Aspect], aligner: Aligner
) -> list[ComparisonRow]:
    """What each document says on the topic; rows with silent cells where only one of them does."""
    rows = _rows(sorted(aspects, key=lambda a: (a.difference, -a.similarity)), aligner)
    paired = {id(s) for a in aspects for s in a.present}
    leading = tuple(d[0] if d else None for d in documents)
    if sum(s is not None for s in leading) > 1 and not any(id(s) in paired for s in leading if s is not None):
        rows.insert(0, _row(Aspect(leading, 0.0, _difference(leading, 0.0)), capitalised(topic)))
        paired |= {id(s) for s in leading if s is not None}
    return [*rows, *_rows(_one_sided(documents, paired), aligner)]


def _one_sided(documents: Sequence[Sequence[Statement]], paired: Collection[int]) -> list[Aspect]:
    """What only one document says on the topic; ``paired`` are the identities of the statements already shown."""
    return [
        Aspect(tuple(statement if i == place else None for i in range(len(documents))), 0.0, Difference.MENTION)
        for place, document in enumerate(documents)
        for statement in [s for s in document if id(s) not in paired][:_TOPIC_SILENT]
    ]


def _unique(statements: Sequence[Statement], counterparts: Sequence[float]) -> list[Statement]:
    """Statements nothing in the other documents resembles: those that bind or measure, in reading order."""
    alone = [(c, s) for c, s in zip(counterparts, statements, strict=True) if c < NO_COUNTERPART and _binds(s)]
    chosen = sorted(alone, key=lambda pair: (not _limits(pair[1]), pair[0]))[:MOST_UNIQUE]
    return sorted((s for _, s in chosen), key=lambda s: (s.source, s.span))


def _binds(statement: Statement) -> bool:
    return modality_of(statement.full_text) in (Modality.REQUIRED, Modality.PROHIBITED, Modality.RECOMMENDED)


def _overview(
    given: CompareInput, rows: Sequence[ComparisonRow], unique: Sequence[CitedSentence]
) -> list[CitedSentence]:
    names = _listed([f"“{t}”" for t in given.titles])
    about = f" on “{given.topic}”" if given.topic else ""
    if not rows:
        return [CitedSentence(text=f"No corresponding passages were found in {names}{about}.")]
    said = [f"{names} were compared{about}, passage by passage."]
    if differing := _named(r for r in rows if r.differs and _all_speak(r)):
        said.append(f"Differences were found on: {differing}.")
    else:
        said.append(
            "No differences in numbers, deadlines, obligations or negations were found in the passages compared."
        )
    if alike := _named(r for r in rows if not r.differs and _all_speak(r)):
        said.append(f"Corresponding provisions were found on: {alike}.")
    if one_sided := _named(r for r in rows if not _all_speak(r)):
        said.append(f"Not every document addresses: {one_sided}.")
    if unique:
        said.append("Statements listed as unique have no counterpart in the passages compared.")
    return [CitedSentence(text=s) for s in said]


def _all_speak(row: ComparisonRow) -> bool:
    return all(cell.quotes for cell in row.cells)


def _named(rows: Iterable[ComparisonRow]) -> str:
    names = list(dict.fromkeys(r.aspect for r in rows))
    more = ["further aspects listed below"] if len(names) > _NAMED_ASPECTS else []
    return _listed([*names[:_NAMED_ASPECTS], *more])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def _implications(rows: Sequence[ComparisonRow]) -> list[CitedSentence]:
    if not (differing := _named(r for r in rows if r.differs)):
        return []
    return [
        CitedSentence(text=f"Procedures that follow one document require review against the other on: {differing}."),
        CitedSentence(
            text="Please confirm which document takes precedence before adopting a value on which they differ."
        ),
    ]


COMPARE: Task[CompareInput, Comparison] = Task(
    name="compare", version="3", output=Comparison, prompt=prompt, extractive=extractive, complaint=complaint, length=3
)
