"""The keyless view of an answer: the best few provisions in their own words, the asked value on top (A2, R4).

What answers stands in a provision or beside it; so provisions are shown, a short one whole, of a long one the lines that match with
their introduction and their neighbours.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from policypal.answer.evidence import Evidence
from policypal.answer.lines import Line, ShownProvision, is_meaning, lines_of, matched, opens_list, subject_terms
from policypal.answer.questions import Question
from policypal.answer.values import Value, asked_value
from policypal.domain.provisions import Kind
from policypal.search.terms import terms

AT_ONCE_CHARACTERS = 900
MOST_PROVISIONS = 5
NEAREST = 3
FIRST_CHARACTERS = 1200
OTHER_CHARACTERS = 700
NEIGHBOUR_CHARACTERS = 600
LIST_CHARACTERS = 2600
SECTION_CHARACTERS = 2000
WHOLE_CHARACTERS = 4000
"""How much is shown of the best provision, of the others, of one with its neighbours, of other lists, of a section that is asked for by its subject,
and of a provision that is asked for by number or as a list."""


@dataclass(frozen=True, slots=True)
class View:
    """What answers a question, best first: as much as is read at a glance, then what is ``related``, one click away; and the value it
    asked for where one stands in the best provisions."""

    provisions: tuple[ShownProvision, ...]
    value: Value | None = None
    related: tuple[ShownProvision, ...] = ()

    @property
    def everything(self) -> tuple[ShownProvision, ...]:
        return self.provisions + self.related


def view(question: Question, evidence: Sequence[Evidence], most: int = MOST_PROVISIONS) -> View:
    """The provisions that are named by number as they stand, else the ``most`` best ones, as far as there is room. Beside a section that is
    all about what is asked only what speaks of it is shown."""
    named = [e for e in evidence if e.is_named]
    if named:
        return View(tuple(_named(named)))
    topics = topic_headings(question, [(e.document, e.heading or "") for e in evidence])
    shown: list[ShownProvision] = []
    room = WHOLE_CHARACTERS + OTHER_CHARACTERS
    for best, score in _ranked(question, evidence):
        if len(shown) == most or room <= 0:
            break
        if any(_holds(s, best) for s in shown) or (topics and shown and not _speaks_of(question.topic, best)):
            continue
        heading = topics.get(best.document, "")
        is_on_topic = best.provision and heading and heading in (best.heading or "").splitlines()
        shown.append(
            _opening(best, score, evidence, heading) if is_on_topic else _shown(best, score, evidence, question, shown)
        )
        room -= _size(shown[-1].lines)
    value = asked_value(question, shown)
    at_once = _at_once(shown)
    if value and (holder := next(p for p in shown if value.line in p.lines)) not in shown[:at_once]:
        shown = [holder, *(p for p in shown if p is not holder)]
        at_once = _at_once(shown)
    return View(tuple(shown[:at_once]), value, tuple(shown[at_once:]))


def topic_headings(question: Question, headings: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By document: the line of its ``headings`` that names all a question is about and least besides; documents without one are left
    out. With words that only ask ("duties of") where a heading has these, too."""
    lines = [(document, line, set(terms(line))) for document, above in headings for line in above.splitlines()]
    for wanted in (set(subject_terms(question)), set(question.topic)) if question.topic else ():
        naming = sorted((len(held), document, line) for document, line, held in lines if wanted <= held)
        if naming:
            return {document: line for _, document, line in reversed(naming)}
    return {}


def _speaks_of(topic: Collection[str], evidence: Evidence) -> bool:
    return not set(topic).isdisjoint(terms(f"{evidence.heading or ''} {evidence.text}"))


def _at_once(shown: Sequence[ShownProvision]) -> int:
    """How many of the best provisions are read at a glance: the first, and the next ones that fit beside it."""
    read = 0
    for n, provision in enumerate(shown):
        read += _size(provision.lines)
        if n and read > AT_ONCE_CHARACTERS:
            return n
    return len(shown)


def _holds(shown: ShownProvision, evidence: Evidence) -> bool:
    places = {_place(line) for line in shown.lines if line.evidence.provision}
    return (evidence.document, evidence.provision) in places or evidence is shown.evidence


def _place(line: Line) -> tuple[str, int]:
    return line.evidence.document, line.evidence.provision


def _named(evidence: Sequence[Evidence]) -> Iterator[ShownProvision]:
    """Each document's named provisions in one piece, as far as there is room."""
    for document in dict.fromkeys(e.document for e in evidence):
        lines = [line for e in evidence if e.document == document for line in lines_of(e)]
        kept = _within(lines, WHOLE_CHARACTERS)
        yield ShownProvision(tuple(kept), kept[0], 1.0, goes_on=len(kept) < len(lines))


_PER_UNIT = 6.0
"""The scale of a search's scores: they are exponentials of a linear score (:mod:`policypal.search.reranking`)."""
_LIST, _RECITAL, _APPARATUS = 1.5, -1.5, -4.0
_NOT_THE_LAW = frozenset({Kind.REFERENCE, Kind.TABLE, Kind.HEADING})


def _ranked(question: Question, evidence: Sequence[Evidence]) -> list[tuple[Evidence, float]]:
    scored = [(e, e.score * math.exp(_bonus(question, e) / _PER_UNIT)) for e in evidence]
    return sorted(
        scored,
        key=lambda e: (bool(e[0].superseded_by), not _gives_meaning(question, *lines_of(e[0])), -e[1], e[0].number),
    )


def _gives_meaning(question: Question, *lines: Line) -> bool:
    return question.definiendum is not None and any(is_meaning(question.definiendum, line) for line in lines)


def _bonus(question: Question, evidence: Evidence) -> float:
    """What its kind adds to a passage's score: a list where several things are asked for; less for recitals and apparatus."""
    kinds = set(evidence.kinds)
    if kinds and kinds <= _NOT_THE_LAW:
        return _APPARATUS
    if wants_list(question) and _is_list(evidence):
        return _LIST
    return _RECITAL if kinds == {Kind.RECITAL} else 0.0


def wants_list(question: Question) -> bool:
    """Whether it asks for several things, or for what something contains."""
    return question.enumerates or question.contents or bool(question.category)


def _is_list(evidence: Evidence) -> bool:
    return bool(evidence.introduction) or any(map(opens_list, lines_of(evidence)[:-1]))


def _shown(
    best: Evidence, score: float, evidence: Sequence[Evidence], question: Question, before: Sequence[ShownProvision]
) -> ShownProvision:
    """The provision of a part as far as there is room; of a short one also what stands beside it under the same heading and is not
    shown ``before``."""
    first = not before
    provisions = _section(best, evidence)
    at = next(n for n, lines in enumerate(provisions) if any(line.evidence is best for line in lines))
    own = provisions[at]
    chief = max((line for line in own if line.evidence is best), key=lambda line: matched(question, line.text))
    limit = FIRST_CHARACTERS if first else OTHER_CHARACTERS
    if wants_list(question) and _is_list(best):
        limit = WHOLE_CHARACTERS if first else LIST_CHARACTERS
    is_defined = _gives_meaning(question, chief)
    if is_defined and not opens_list(chief):
        limit = len(chief.text)
    kept = _around(own, own.index(chief), limit)
    if len(kept) == len(own) and not is_defined:
        kept = _with_neighbours(provisions, at, {_place(line) for other in before for line in other.lines})
    return ShownProvision(tuple(kept), chief, score, goes_on=kept[-1].span != own[-1].span and len(kept) < len(own))


def _opening(best: Evidence, score: float, evidence: Sequence[Evidence], heading: str) -> ShownProvision:
    """The section under a heading that the best provision stands in, from its first provision on."""
    section = [line for lines in _section(best, evidence, heading) for line in lines]
    kept = _within(section, SECTION_CHARACTERS)
    chief = next((line for line in kept if line.evidence is best), kept[0])
    return ShownProvision(tuple(kept), chief, score, goes_on=len(kept) < len(section))


def _section(best: Evidence, evidence: Sequence[Evidence], heading: str = "") -> list[list[Line]]:
    """The lines of the provisions that stand together with one under its headings, or under a ``heading`` further out, in reading
    order, as far as they are among the evidence."""
    if not best.provision:
        return [lines_of(best)]

    def is_beside(e: Evidence) -> bool:
        return heading in (e.heading or "").splitlines() if heading else e.heading == best.heading

    beside = [e for e in evidence if e.provision and e.document == best.document and is_beside(e)]
    beside.sort(key=lambda e: (e.page or 0, e.start))
    ordinals = {e.provision for e in beside}
    first = last = best.provision
    while first - 1 in ordinals:
        first -= 1
    while last + 1 in ordinals:
        last += 1
    return [[line for e in beside if e.provision == n for line in lines_of(e)] for n in range(first, last + 1)]


def _with_neighbours(provisions: Sequence[Sequence[Line]], at: int, known: Collection[tuple[str, int]]) -> list[Line]:
    """A provision with those beside it, the next ones first, as long as all of them are short and none is known."""
    first = last = at
    room = NEIGHBOUR_CHARACTERS - _size(provisions[at])
    for step in (1, -1):
        while 0 <= (n := (last if step > 0 else first) + step) < len(provisions) and _size(provisions[n]) <= room:
            if _place(provisions[n][0]) in known:
                break
            first, last = min(first, n), max(last, n)
            room -= _size(provisions[n])
    return [line for lines in provisions[first : last + 1] for line in lines]


def _size(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _within(lines: Sequence[Line], limit: int) -> list[Line]:
    kept: list[Line] = []
    for line in lines:
        if kept and _size(kept) + len(line.text) > limit:
            break
        kept.append(line)
    return kept


def _around(lines: Sequence[Line], at: int, limit: int) -> list[Line]:
    """The line at a place with the lines beside it that fit in ``limit`` characters, and the line that introduces its list."""
    opening = next((n for n in range(at - 1, -1, -1) if opens_list(lines[n])), at)
    first = last = at
    room = limit - len(lines[at].text) - (len(lines[opening].text) if opening != at else 0)
    is_open = {1: True, -1: True}
    while any(is_open.values()):
        for step in (1, -1):
            n = (last if step > 0 else first) + step
            is_open[step] = is_open[step] and 0 <= n < len(lines) and len(lines[n].text) <= room
            if is_open[step]:
                first, last = min(first, n), max(last, n)
                room -= len(lines[n].text)
    order = sorted({opening, *range(first, last + 1)})
    return [
        Line(lines[n].evidence, lines[n].span, follows=i == 0 or order[i - 1] == n - 1) for i, n in enumerate(order)
    ]
