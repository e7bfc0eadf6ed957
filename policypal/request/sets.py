"""Sets named in a message: "the Bank Negara documents", "what does Bank Negara require" (D2)."""

from __future__ import annotations

from dataclasses import dataclass

from policypal.request.document_names import KnownDocument
from policypal.request.library import Library
from policypal.request.names import INDEFINITE, SAYING
from policypal.request.words import ANY_DOCUMENT, NOUNS, TYPE_NOUNS, Word, is_plural, stems

_ISSUER_LIMIT = 5
_AUTHORITY = frozenset(["under", "per", "to", "by", "from", "does", "do", "did", "what"])


@dataclass(frozen=True, slots=True)
class NamedSet:
    """A set found in words ``start``…``end`` (exclusive) and those of its documents that are meant."""

    name: str
    start: int
    end: int
    documents: tuple[KnownDocument, ...]


def find_sets(words: list[Word], used: set[int], library: Library) -> list[NamedSet]:
    """Sets that stand for their documents. A set's name inside other words ("the FSA guideline") is left alone."""
    names = sorted({d.set_name for d in library.documents if d.set_name}, key=lambda n: -len(n))
    found: list[NamedSet] = []
    for name in names:
        found += _occurrences(words, used | {i for s in found for i in range(s.start, s.end)}, name, library)
    return found


def _occurrences(words: list[Word], used: set[int], name: str, library: Library) -> list[NamedSet]:
    spelled = stems(name)
    size = len(spelled)
    found = []
    for start in range(len(words) - size + 1):
        span = words[start : start + size]
        free = used.isdisjoint(range(start, start + size))
        if free and tuple(w.stem for w in span) == spelled and any(w.is_capitalised for w in span):
            named = _meant(words, start, start + size, name, library)
            found += [named] if named else []
    return found


def _meant(words: list[Word], start: int, end: int, name: str, library: Library) -> NamedSet | None:
    members = [d for d in library.documents if d.set_name == name]
    before = words[start - 1].lower if start else ""
    if start and before in INDEFINITE - {"what"}:
        return None
    if end < len(words) and (is_plural(words[end]) or words[end].stem == "set") and words[end].stem in {*NOUNS, "set"}:
        documents = _called(members, words[end].stem)
        return NamedSet(name, start, end + 1, tuple(documents)) if documents else None
    if before == "set":  # "the documents of the set Bank Negara"
        return NamedSet(name, _start_of_phrase(words, start - 1), end, tuple(members))
    if start >= 2 and _follows_documents(words, start):
        return NamedSet(name, start, end, tuple(members))
    regulatory = [d for d in members if d.type == "regulatory"]
    after = words[end].lower if end < len(words) else ""
    if regulatory and len(regulatory) <= _ISSUER_LIMIT and (after in SAYING or _is_authority(words, start)):
        return NamedSet(name, start, end, tuple(regulatory))
    return None


def _follows_documents(words: list[Word], start: int) -> bool:
    """ "the documents of Bank Negara", "everything in the Bank Negara set"."""
    near = words[max(0, start - 4) : start]
    return any(is_plural(w) and w.stem in NOUNS for w in near) and near[-1].lower in ("of", "from", "by", "in", "the")


def _start_of_phrase(words: list[Word], at: int) -> int:
    """Where "the documents of the set" begins, so that its "documents" are not taken for others."""
    first = at
    while first and words[first - 1].lower in ("the", "of", "from", "in"):
        first -= 1
    return first - 1 if first and words[first - 1].stem in NOUNS else at


def _is_authority(words: list[Word], start: int) -> bool:
    before = [w.lower for w in words[max(0, start - 3) : start] if w.lower != "the"]
    return before[-2:] == ["according", "to"] or before[-1:] in (["under"], ["per"])


def _called(members: list[KnownDocument], noun: str) -> list[KnownDocument]:
    if noun == "set" or noun in ANY_DOCUMENT:
        return members
    if noun in TYPE_NOUNS:
        return [d for d in members if d.type == NOUNS[noun]]
    titled = [d for d in members if noun in stems(d.title)]
    if len(titled) != 1 or not any(d.type == NOUNS.get(noun) for d in members):
        return titled
    return [d for d in members if d.type == NOUNS[noun]]  # "the EU acts" include a regulation
