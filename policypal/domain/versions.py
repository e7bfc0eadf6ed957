"""Versions of a document: who follows whom, and which edition is in force (D8, G4)."""

import calendar
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeVar


class Edition(Protocol):
    """What tells editions apart: a document of the library, or what the resolver knows of it."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def previous_version_id(self) -> str | None: ...


E = TypeVar("E", bound=Edition)


class _Numbering(NamedTuple):
    """A version read as a number: only versions of one ``scheme`` can be put in order."""

    scheme: tuple[str, ...]
    number: tuple[int, ...]


def version_families(documents: Sequence[E]) -> dict[str, tuple[E, ...]]:
    """By document id: all versions of the document, the latest first. Documents without other versions are left out.

    Versions are what the analyst has linked, and documents of one title and type whose versions can be put in order: years
    with years, numbers with numbers. Of documents that nothing puts in order the one given later is the later one.
    """
    known = {d.id: d for d in documents}
    found: dict[str, tuple[E, ...]] = {}
    for members in _families(documents, known):
        order, place = _Order(members, known), {d.id: n for n, d in enumerate(members)}
        ordered = tuple(sorted(members, key=lambda d: (order(d), place[d.id]), reverse=True))
        found.update((d.id, ordered) for d in ordered)
    return found


def superseded_by(documents: Sequence[E]) -> dict[str, E]:
    """By the id of each superseded edition: the edition in force (G4). Editions that nothing puts in order supersede nothing.

    Only what is given counts, so leave out documents that cannot be read.
    """
    known = {d.id: d for d in documents}
    found: dict[str, E] = {}
    for members in _families(documents, known):
        order = _Order(members, known)
        newest = max(members, key=order)
        found.update((d.id, newest) for d in members if order(d) < order(newest))
    return found


def in_force(documents: Sequence[E]) -> frozenset[str]:
    """The ids of the documents that no newer edition among ``documents`` supersedes (G4)."""
    return frozenset(d.id for d in documents) - superseded_by(documents).keys()


def lineage(document: E, known: dict[str, E]) -> list[E]:
    """The document, the version before it, and so on to the first one that is known."""
    line = [document]
    while (previous := known.get(line[-1].previous_version_id or "")) is not None and previous not in line:
        line.append(previous)
    return line


def _families(documents: Sequence[E], known: dict[str, E]) -> list[list[E]]:
    """The families of two documents or more, each in the order given."""
    family = {d.id: lineage(d, known)[-1].id for d in documents}
    same: dict[tuple[object, ...], list[E]] = {}
    for d in documents:
        if (numbering := _numbering(d.version)) is not None:
            same.setdefault((_name(d.title), d.type, numbering.scheme), []).append(d)
    for titled in same.values():
        if len({_numbering(d.version) for d in titled}) > 1:
            joined = {family[d.id] for d in titled}
            family.update((i, family[titled[0].id]) for i, root in family.items() if root in joined)
    grouped: dict[str, list[E]] = {}
    for d in documents:
        grouped.setdefault(family[d.id], []).append(d)
    return [members for members in grouped.values() if len(members) > 1]


class _Order:
    """The sort key of a family, older first: by the versions where all of them can be put in order and no link says otherwise,
    else by the links, and by the numbers of the version where these leave it open."""

    def __init__(self, members: Sequence[E], known: dict[str, E]) -> None:
        numbered = {d.id: _numbering(d.version) for d in members}
        schemes = {n.scheme if n else None for n in numbered.values()}
        self._numbers = {i: n.number if n else () for i, n in numbered.items()}
        self._depth = {d.id: len(lineage(d, known)) for d in members}
        linked = [(d.previous_version_id, d.id) for d in members if d.previous_version_id in numbered]
        self._by_version = (
            len(schemes) == 1
            and None not in schemes
            and all(self._numbers[before or ""] <= self._numbers[after] for before, after in linked)
        )

    def __call__(self, document: Edition) -> tuple[int, tuple[int, ...], int]:
        depth, number = self._depth[document.id], self._numbers[document.id]
        return (0, number, depth) if self._by_version else (depth, number, 0)


_MONTHS = tuple(month.casefold() for month in calendar.month_name[1:])
_PREFIX = re.compile(r"^(?:versions?|ver|v|edition|ed)$")
_PIECE = re.compile(r"\d{1,9}|[^\W\d_]+")


@lru_cache(maxsize=5_000)
def _numbering(version: str) -> _Numbering | None:
    """A version as a number; None where it holds none. "2024 draft" is of another scheme than "2024", "4.1" than "2024":
    neither pair can be put in order."""
    pieces = _PIECE.findall(version.casefold())
    months = [month for p in pieces if (month := _month(p))]
    words = tuple(p for p in pieces if not p.isdecimal() and not _month(p) and not _PREFIX.match(p))
    numbers = tuple(int(p) for p in pieces if p.isdecimal())
    if not numbers:
        return None
    year = next((n for n in numbers if 1900 <= n < 2100), None)
    if year is None:
        return _Numbering(("number", *words), numbers)
    at = numbers.index(year)
    if months:
        return _Numbering(("year", *words), (year, months[0], *(n for n in numbers if n != year)))
    return _Numbering(("year", *words), (year, *numbers[at + 1 :], *numbers[:at]))


def _month(word: str) -> int:
    """The month a word names, in full or by three letters or more; 0 for any other word."""
    return next((n for n, month in enumerate(_MONTHS, 1) if len(word) > 2 and month.startswith(word)), 0)


def _name(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))
