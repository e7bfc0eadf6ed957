"""Documents compared without a model: clauses on one subject side by side, and what only one of them speaks of (A3)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from policypal.answer.alignment import NO_COUNTERPART, SAME_SUBJECT, Aligner, Difference, difference
from policypal.answer.evidence import CitedSentence
from policypal.answer.readings import Reading, on_topic
from policypal.compare.rows import SILENT, Comparison, ComparisonRow
from policypal.domain.provisions import Kind
from policypal.domain.text import counted, enumerated
from policypal.search.embeddings import Embedder
from policypal.text.clauses import Clause, topic_of

MOST_DIFFERENCES = 24
MOST_ALIKE = 12
MOST_UNIQUE = 8
"""Per document."""
_TOPIC_CLAUSES = 12
_TOPIC_SAME_SUBJECT = 0.36
_TOPIC_REMAINING = 0.28
_TOPIC_SILENT = 4
_FEWEST_WORDS = 4
_LEFT_OUT = (Kind.RECITAL, Kind.EXAMPLE, Kind.REFERENCE, Kind.TABLE)
_BINDING = (Kind.OBLIGATION, Kind.PROHIBITION, Kind.RECOMMENDATION)


@dataclass(frozen=True, slots=True)
class _Aspect:
    """Clauses on one subject, one place per document, None where it is silent. ``difference`` is the weightiest between two of them."""

    clauses: tuple[Clause | None, ...]
    similarity: float
    difference: int

    @property
    def present(self) -> list[Clause]:
        return [c for c in self.clauses if c is not None]


def compare(readings: Sequence[Reading], topic: str, embedder: Embedder) -> Comparison:
    """Rows of clauses that are each other's nearest, those with other figures first. Without a topic, also what only one document
    speaks of; documents without any subject in common are said to be unrelated."""
    chosen = on_topic(topic, readings) if topic else [r.clauses for r in readings]
    documents = [list(_comparable(clauses)) for clauses in chosen]
    if topic:
        documents = [d[:_TOPIC_CLAUSES] for d in documents]
    aligner = Aligner(documents, embedder)
    aspects = sorted(
        _aspects(documents, aligner, _TOPIC_SAME_SUBJECT if topic else SAME_SUBJECT),
        key=lambda a: (a.difference, -a.similarity),
    )
    if topic:
        aspects += _remaining(documents, aspects, embedder)
        aspects = [*_leading(documents, aspects), *aspects]
        aspects += _one_sided(documents, {id(c) for a in aspects for c in a.present})
        return Comparison(overview=_overview(readings, topic, aspects), rows=list(_rows(aspects, readings, aligner)))
    if not aspects and all(documents):
        return _unrelated(readings)
    differing = [a for a in aspects if a.difference != Difference.NONE]
    alike = [a for a in aspects if a.difference == Difference.NONE and any(c.kind in _BINDING for c in a.present)]
    unique = [s for i, reading in enumerate(readings) for s in _only_in(reading, documents[i], aligner, i)]
    return Comparison(
        overview=_overview(readings, topic, aspects),
        rows=list(_rows([*differing[:MOST_DIFFERENCES], *alike[:MOST_ALIKE]], readings, aligner)),
        unique=unique,
    )


def _comparable(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Whole clauses that say something, each once."""
    seen: set[str] = set()
    for clause in clauses:
        says = clause.kind not in _LEFT_OUT and not clause.introduces and len(clause.words) >= _FEWEST_WORDS
        ends = clause.kind is not Kind.STATEMENT or clause.text.endswith((".", ";"))
        if says and ends and clause.full_text.casefold() not in seen:
            seen.add(clause.full_text.casefold())
            yield clause


def _aspects(documents: Sequence[Sequence[Clause]], aligner: Aligner, at_least: float) -> list[_Aspect]:
    """Each clause stands in one aspect; earlier documents anchor later ones."""
    used: list[set[int]] = [set() for _ in documents]
    aspects: list[_Aspect] = []
    for anchor in range(len(documents) - 1):
        later = range(anchor + 1, len(documents))
        partners = {o: {p.left: p for p in aligner.pairs(anchor, o, at_least) if p.right not in used[o]} for o in later}
        for position, clause in enumerate(documents[anchor]):
            matched = {other: pairs[position] for other, pairs in partners.items() if position in pairs}
            if position in used[anchor] or not matched:
                continue
            places: list[Clause | None] = [None] * len(documents)
            places[anchor] = clause
            for other, pair in matched.items():
                places[other] = documents[other][pair.right]
                used[other].add(pair.right)
            similarity = max(p.similarity for p in matched.values())
            present = [c for c in places if c is not None]
            weightiest = min(difference(a, b, similarity) for a, b in combinations(present, 2))
            aspects.append(_Aspect(tuple(places), similarity, weightiest))
    return aspects


def _remaining(documents: Sequence[Sequence[Clause]], aspects: Sequence[_Aspect], embedder: Embedder) -> list[_Aspect]:
    """What is left of a topic, paired with what resembles it most of what is left."""
    found: list[_Aspect] = []
    while True:
        paired = {id(c) for a in (*aspects, *found) for c in a.present}
        left = [[c for c in d if id(c) not in paired] for d in documents]
        more = _aspects(left, Aligner(left, embedder), _TOPIC_REMAINING) if sum(map(bool, left)) > 1 else []
        if not more:
            return found
        found += more


def _leading(documents: Sequence[Sequence[Clause]], aspects: Sequence[_Aspect]) -> list[_Aspect]:
    """What each document says first on the topic, side by side where no two of them resemble each other."""
    first = tuple(d[0] if d else None for d in documents)
    present = [c for c in first if c is not None]
    paired = {id(c) for a in aspects for c in a.present}
    if len(present) < 2 or any(id(c) in paired for c in present):
        return []
    return [_Aspect(first, 0.0, min(difference(a, b, 0.0) for a, b in combinations(present, 2)))]


def _one_sided(documents: Sequence[Sequence[Clause]], paired: set[int]) -> list[_Aspect]:
    """What only one document says on the topic; ``paired`` are the identities of the clauses already shown."""
    return [
        _Aspect(tuple(clause if i == place else None for i in range(len(documents))), 0.0, Difference.MENTION)
        for place, document in enumerate(documents)
        for clause in [c for c in document if id(c) not in paired][:_TOPIC_SILENT]
    ]


def _rows(aspects: Iterable[_Aspect], readings: Sequence[Reading], aligner: Aligner) -> Iterator[ComparisonRow]:
    names: set[str] = set()
    for aspect in aspects:
        name = aligner.name(aspect.present, names)
        names.add(name)
        cells = [
            CitedSentence(text=SILENT) if clause is None else reading.quote(clause)
            for reading, clause in zip(readings, aspect.clauses, strict=True)
        ]
        yield ComparisonRow(aspect=name, cells=cells, differs=aspect.difference != Difference.NONE)


def _only_in(reading: Reading, clauses: Sequence[Clause], aligner: Aligner, place: int) -> Iterator[CitedSentence]:
    """Sections with binding clauses that nothing in the other documents resembles, those with most of them first; each with the first
    of its clauses and how many more there are."""
    nearest = dict(zip(map(id, clauses), aligner.best_counterparts(place).tolist(), strict=True))
    alone = (c for c in clauses if c.kind in _BINDING and nearest[id(c)] < NO_COUNTERPART)
    found = [(headings, list(run)) for headings, run in groupby(alone, key=lambda c: c.headings)]
    largest = sorted(found, key=lambda section: -len(section[1]))[:MOST_UNIQUE]
    for headings, section in (section for section in found if section in largest):
        name = topic_of(headings[-1]) if headings else ""
        said = reading.quote(section[0], prefix=f"{name} – " if name else "")
        more = f" (and {len(section) - 1:,} more)" if len(section) > 1 else ""
        yield said.model_copy(update={"text": f"{said.text}{more}"})


def _overview(readings: Sequence[Reading], topic: str, aspects: Sequence[_Aspect]) -> list[CitedSentence]:
    """What was compared, counted; nothing else is claimed."""
    read = enumerated([f"“{r.title}” ({len(r.clauses):,} clauses)" for r in readings])
    about = f" on “{topic}”" if topic else ""
    if not aspects:
        return [CitedSentence(text=f"No provisions{about} were found in {read}.")]
    shared = [a for a in aspects if len(a.present) > 1]
    differing = sum(a.difference != Difference.NONE for a in shared)
    told = f"{read} were compared{about}, clause by clause: {counted(len(shared), 'pair')} on one subject, "
    told += f"{differing} of them with other figures, duties or negations."
    if alone := len(aspects) - len(shared):
        told += f" {counted(alone, 'provision')} stand{'s' if alone == 1 else ''} in one document only."
    return [CitedSentence(text=told)]


def _unrelated(readings: Sequence[Reading]) -> Comparison:
    """A list of what each says alone would compare nothing."""
    read = enumerated([f"“{r.title}” ({len(r.clauses):,} clauses)" for r in readings])
    said = (
        f"{read} do not address the same subjects: no clause of one corresponds to a clause of another.",
        "A list of differences would compare nothing. Please name a topic to see what each document says about it.",
    )
    return Comparison(overview=[CitedSentence(text=s) for s in said], unrelated=True)
