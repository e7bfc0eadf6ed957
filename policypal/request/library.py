"""The documents a message can refer to, and where they stand in the conversation (G11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from policypal.domain.versions import superseded_by, version_families
from policypal.request.document_names import KnownDocument
from policypal.request.words import (
    ANY_DOCUMENT,
    LINKING,
    NOUNS,
    TYPE_NOUNS,
    VERSION_NOUNS,
    fold,
    is_plural,
    split_words,
    stems,
    years,
)

Documents = list[KnownDocument]

RELATIVE = {
    "latest": "newest", "newest": "newest", "current": "newest", "recent": "newest",
    "newer": "newer", "new": "newer", "updated": "newer", "revised": "newer",
    "older": "older", "old": "older", "earlier": "older", "prior": "previous", "previous": "previous", "preceding": "previous",
    "oldest": "oldest", "original": "oldest", "earliest": "oldest",
}  # fmt: skip
"""What words say about which of several versions is meant."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Which of several versions: ``years`` and ``versions`` as written, ``relative`` "newest" | "oldest" | "newer" |
    "older" | "previous", ``every`` for all of them."""

    years: frozenset[int] = frozenset()
    versions: frozenset[str] = frozenset()
    relative: str | None = None
    every: bool = False

    def __bool__(self) -> bool:
        return bool(self.years or self.versions or self.relative or self.every)


class Library:
    """The user's documents seen from one conversation. ``history`` is oldest first."""

    def __init__(self, documents: Sequence[KnownDocument], history: Sequence[str] = ()) -> None:
        self.documents = list(documents)
        self.by_id = {d.id: d for d in self.documents}
        self.conversation = sorted(
            (d for d in self.documents if d.in_conversation), key=lambda d: -1 if d.turn is None else d.turn
        )
        self._places = {d.id: _place(d, history) for d in self.conversation}
        self._editions = version_families(self.documents)
        self._superseded = superseded_by(self.documents)

    def last_turn(self) -> Documents:
        """The documents of the latest turn that used any, in the order they were mentioned."""
        if not self.conversation:
            return []
        latest = self.conversation[-1].turn
        return self._in_order(d for d in self.conversation if d.turn == latest)

    def ordered_conversation(self) -> Documents:
        """All documents of the conversation, oldest mention first."""
        if all(self._places[d.id] is not None for d in self.conversation):
            return self._in_order(self.conversation)
        return list(self.conversation)

    def order_is_known(self, documents: Iterable[KnownDocument]) -> bool:
        """Whether the history tells in which order ``documents`` were mentioned."""
        found = [self._places.get(d.id) for d in documents]
        if all(place is not None for place in found):
            return len(set(found)) == len(found)
        turns = [self.by_id[d.id].turn for d in documents]
        return None not in turns and len(set(turns)) == len(turns)

    def of_noun(self, noun: str) -> Documents:
        """Documents a bare noun may mean: "policy" by type, "rulebook" by title, else by who writes such documents."""
        if noun in ANY_DOCUMENT or noun in VERSION_NOUNS:
            return list(self.documents)
        titled = [d for d in self.documents if noun in title_stems(d)]
        if titled and noun not in TYPE_NOUNS:
            return titled
        return [d for d in self.documents if d.type == NOUNS.get(noun)] or titled

    def described(self, modifiers: Sequence[str], noun: str) -> Documents:
        """Documents whose title, alias, initials or set carry every modifier, and that a ``noun`` may be called."""
        wanted = {m for m in modifiers if m not in LINKING}
        fitting = [d for d in self.documents if wanted <= all_stems(d) and _may_be_called(d, noun)]
        return [d for d in fitting if noun in title_stems(d)] or fitting

    def mentions_any(self, modifiers: Sequence[str]) -> bool:
        """Whether some document's name carries one of the modifiers."""
        return any(m in all_stems(d) for d in self.documents for m in modifiers if m not in LINKING)

    def in_force(self, documents: Documents) -> Documents:
        """``documents`` without those that another one of them supersedes (G4)."""
        given = {d.id for d in documents}
        return [d for d in documents if d.id not in self._superseded or self._superseded[d.id].id not in given]

    def family(self, document: KnownDocument) -> Documents:
        """All versions of a document, oldest first: its editions, the same title but for years, or a shared alias."""
        editions = list(reversed(self._editions.get(document.id, ())))
        title, aliases = _family_title(document), {fold(a) for a in document.aliases}
        same = [d for d in self.documents if _family_title(d) == title or aliases & {fold(a) for a in d.aliases}]
        if all(d in editions for d in same):
            return editions
        return sorted({d.id: d for d in [*editions, *same]}.values(), key=age)

    def oldest_first(self, documents: Documents) -> Documents:
        """In the order of the editions where they are editions of one document, else by year and number."""
        line = list(reversed(self._editions.get(documents[0].id, ()))) if documents else []
        return [d for d in line if d in documents] if all(d in line for d in documents) else sorted(documents, key=age)

    def _in_order(self, documents: Iterable[KnownDocument]) -> Documents:
        return sorted(documents, key=lambda d: (self._places[d.id] is None, self._places[d.id] or 0))


def select(library: Library, documents: Documents, selector: Selector, base: Documents) -> Documents:
    """The documents a selector means; empty where none fits. ``base`` is what "newer" and "older" are relative to; without
    one, to the edition in force: "the old rulebook" is the one before."""
    if selector.every:
        return documents
    if selector.years or selector.versions:
        chosen = [d for d in documents if selector.years & document_years(d) or selector.versions & version_words(d)]
        covered = frozenset[int]().union(*(document_years(d) for d in chosen))
        return chosen if selector.years <= covered else []
    return _relative(library.oldest_first(documents), selector.relative or "", base)


def _relative(documents: Documents, relative: str, base: Documents) -> Documents:
    inside = [d for d in documents if d in base]
    if relative == "newest" or (relative == "newer" and len(inside) != 1):
        return documents[-1:]
    if relative == "oldest" or (relative in ("older", "previous") and len(inside) != 1 and len(documents) == 2):
        return documents[:1]
    if len(inside) != 1:
        return documents[-2:-1] if not inside and len({_family_title(d) for d in documents}) == 1 else []
    position = documents.index(inside[0])
    if relative == "newer":
        return documents[position + 1 :]
    earlier = documents[:position]
    return earlier[-1:] if relative == "previous" else earlier


def age(document: KnownDocument) -> tuple[int, tuple[int, ...]]:
    """A sort key: year first, then the version's numbers."""
    numbers = tuple(int(n) for n in version_numbers(document.version))
    return max(document_years(document), default=0), numbers


@lru_cache(maxsize=5_000)
def version_numbers(version: str) -> tuple[str, ...]:
    return tuple(part for word in stems(version) for part in word.replace("/", ".").split(".") if part.isdecimal())


def document_years(document: KnownDocument) -> frozenset[int]:
    return years(f"{document.title} {document.version}")


def version_words(document: KnownDocument) -> frozenset[str]:
    """The version as one word each way it may be typed: "2.1", "v2.1"."""
    words = {word.removeprefix("v") or word for word in stems(document.version)}
    return frozenset(words | {f"v{word}" for word in words} | {fold(document.version)} - {""})


def speaks_of_editions(message: str, document: KnownDocument) -> bool:
    """Whether ``message`` says anything of which edition is meant: a year, a version, "old", "both editions"."""
    own = version_words(document)
    return any(
        w.lower in RELATIVE or w.lower in ("both", "all", "year's", "years") or w.stem in VERSION_NOUNS or w.stem in own or years(w.text)
        for w in split_words(message)
    )  # fmt: skip


def names_several(message: str) -> bool:
    """Whether ``message`` speaks of documents in the plural: "the documents of the Authority"."""
    return any(w.stem in NOUNS and is_plural(w) for w in split_words(message))


def title_stems(document: KnownDocument) -> frozenset[str]:
    return frozenset(stems(document.title)).union(*(stems(a) for a in document.aliases))


def all_stems(document: KnownDocument) -> frozenset[str]:
    """Every word that may describe the document: title, aliases, initials, set."""
    return title_stems(document) | _set_stems(document.set_name or "") | initials(document.title)


@lru_cache(maxsize=1_000)
def _set_stems(name: str) -> frozenset[str]:
    """ "European Union" is called EU as well."""
    words = stems(name)
    return frozenset(words) | ({"".join(w[0] for w in words)} if len(words) > 1 else set())


@lru_cache(maxsize=5_000)
def initials(title: str) -> frozenset[str]:
    """The acronym of a title of three words or more: "general data protection regulation" → gdpr."""
    letters = [word[0] for word in stems(title) if word not in LINKING and not word[0].isdigit()]
    return frozenset({"".join(letters)}) if len(letters) >= 3 else frozenset()


def _family_title(document: KnownDocument) -> tuple[str, ...]:
    return tuple(word for word in stems(document.title) if not years(word))


def _may_be_called(document: KnownDocument, noun: str) -> bool:
    if noun in title_stems(document) or noun in ANY_DOCUMENT or noun in VERSION_NOUNS:
        return True
    return noun in TYPE_NOUNS and NOUNS[noun] == document.type


def _place(document: KnownDocument, history: Sequence[str]) -> int | None:
    """How far into the user's earlier messages the document is first named; None where it is not."""
    said = stems(" \n ".join(line.removeprefix("user:") for line in history if line.startswith("user:")))
    names = [document.title, *document.aliases]
    spelled = [stems(f"{name} {document.version}") for name in names] + [stems(name) for name in names]
    return next((at for name in spelled if (at := _position(said, name)) is not None), None)


def _position(words: tuple[str, ...], name: tuple[str, ...]) -> int | None:
    size = len(name)
    return next((i for i in range(len(words) - size + 1) if name and words[i : i + size] == name), None)
