"""The documents a message can refer to, what they are called, and where they stand in the conversation (G4, G11)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, Field
from rapidfuzz import fuzz

from policypal.domain.versions import superseded_by, version_families
from policypal.request.foreign import translated
from policypal.request.words import (
    ANY_DOCUMENT,
    LINKING,
    NOUNS,
    RELATIVE,
    TYPE_NOUNS,
    VERSION_NOUNS,
    alike,
    fold,
    singular,
    split_words,
    stems,
    years,
)

NORMS = frozenset(
    "policy procedure sop manual handbook guide code charter standard framework instruction guideline".split()
)
"""What a company's own rules are called: nobody calls a report or an e-mail of the library "our policy"."""
_TWINS = frozenset(("policy", "procedure", "sop"))
"""The two nouns for one thing: documents are called by either, whatever their title says."""
FUZZY_THRESHOLD = 85.0
"""The similarity from which a name counts as a document's (G4), in percent."""
_MARGIN = 4.0
_OFFERED = 3
_SUBJECT_OF = re.compile(r"\s(?:on|for|of|concerning|über|zu|sur|sobre)\s")
_CODE = re.compile(r"(?=.{5})([A-Za-z]+)[ _-]?(\d+)")
"""A file's name that people call the document by: "bcbs239.pdf", "ISO_27001.docx"."""
_PART = re.compile(r"\s*[–—:]\s+|\s+-\s+|[()]")


class KnownDocument(BaseModel):
    """A document the resolver may choose. ``in_conversation`` marks those of the ``conversation_docs`` registry;
    ``turn`` is the latest turn that used it (higher is later), None if none did; ``place`` its place in the registry, in the order
    documents were named. ``previous_version_id`` is the version that
    the analyst said comes before it (D8)."""

    id: str
    title: str
    version: str = ""
    type: Literal["regulatory", "company"] = "regulatory"
    set_name: str | None = None
    aliases: list[str] = Field(default_factory=list)
    in_conversation: bool = False
    turn: int | None = None
    place: int | None = None
    previous_version_id: str | None = None
    filename: str = ""

    @property
    def display_title(self) -> str:
        """ "Title (Version)" (D3)."""
        return f"{self.title} ({self.version})" if self.version else self.title


Documents = list[KnownDocument]


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
    """The user's documents seen from one conversation."""

    def __init__(self, documents: Sequence[KnownDocument]) -> None:
        self.documents = list(documents)
        self.by_id = {d.id: d for d in self.documents}
        self.conversation = sorted((d for d in self.documents if d.in_conversation), key=lambda d: d.place or 0)
        """In the order in which they were named."""
        self.editions = version_families(self.documents)
        self._superseded = superseded_by(self.documents)

    def last_turn(self) -> Documents:
        """The documents of the latest turn that used any, in the order they were mentioned."""
        latest = max((d.turn or 0 for d in self.conversation), default=0)
        return [d for d in self.conversation if (d.turn or 0) == latest]

    def of_noun(self, noun: str) -> Documents:
        """Documents a bare noun may mean: "policy" by type, "rulebook" by title, else by who writes such documents."""
        if noun in ANY_DOCUMENT | VERSION_NOUNS:
            return list(self.documents)
        titled = [d for d in self.documents if title_stems(d).intersection((noun, *translated(noun)))]
        if titled and noun not in TYPE_NOUNS:
            return titled
        speaker = "company" if noun == "richtlinie" else NOUNS.get(noun)
        typed = [d for d in self.documents if d.type == speaker]
        if speaker == "company":
            typed = [d for d in typed if title_stems(d) & NORMS or noun in title_stems(d)] or typed
        return typed or titled

    def described(self, modifiers: Sequence[str], noun: str) -> Documents:
        """Documents whose title, alias, initials or set carry every modifier, misspelled if need be, and that a ``noun`` may be
        called."""
        wanted = [w for m in modifiers if m not in LINKING for w in translated(m)]
        fitting = [d for d in self.documents if may_be_called(d, noun) and set(wanted) <= all_stems(d)]
        if not fitting:
            fitting = [d for d in self.documents if may_be_called(d, noun) and carries(d, wanted)]
        return [d for d in fitting if noun in title_stems(d)] or fitting

    def in_force(self, documents: Documents) -> Documents:
        """``documents`` without those that another one of them supersedes (G4)."""
        given = {d.id for d in documents}
        return [d for d in documents if d.id not in self._superseded or self._superseded[d.id].id not in given]

    def family(self, document: KnownDocument) -> Documents:
        """All versions of a document, oldest first."""
        return list(reversed(self.editions.get(document.id, ())))

    def select(self, documents: Documents, selector: Selector, base: Documents) -> Documents:
        """The documents a selector means; empty where none fits. ``base`` is what "newer" and "older" are relative to; without
        one, to the edition in force: "the old rulebook" is the one before."""
        if selector.every:
            return documents
        if selector.years or selector.versions:
            chosen = [d for d in documents
                      if selector.years & document_years(d) or selector.versions & version_words(d)]  # fmt: skip
            covered = frozenset[int]().union(*(document_years(d) for d in chosen))
            return chosen if selector.years <= covered else []
        line = list(reversed(self.editions.get(documents[0].id, ()))) if documents else []
        ordered = (
            [d for d in line if d in documents] if all(d in line for d in documents) else sorted(documents, key=age)
        )
        return _relative(ordered, selector.relative or "", base)

    def nearest(self, documents: Documents, said: Documents, words: Iterable[str] = ()) -> Documents:
        """The one of ``documents`` whose subject is that of ``said`` or of the ``words`` beside it, too: of three policies the one on
        complaints beside a rule on complaints. All of them where none is nearer than the others."""
        subject = frozenset(words).union(*(subject_stems(d) for d in said))
        shared = [len(subject_stems(d) & subject) for d in documents]
        best = max(shared, default=0)
        return [documents[shared.index(best)]] if best and shared.count(best) == 1 else documents


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
    numbers = (part for word in stems(document.version) for part in word.replace("/", ".").split("."))
    return max(document_years(document), default=0), tuple(int(n) for n in numbers if n.isdecimal())


def document_years(document: KnownDocument) -> frozenset[int]:
    return years(f"{document.title} {document.version}")


def version_words(document: KnownDocument) -> frozenset[str]:
    """The version as one word each way it may be typed: "2.1", "v2.1", the "2" of "2.0"."""
    words = {word.removeprefix("v") for word in stems(document.version)}
    words |= {word.split(".")[0] for word in words if re.fullmatch(r"\d\.[\d.]+", word)}
    return frozenset(words | {f"v{word}" for word in words} | {fold(document.version)} - {""})


def speaks_of_editions(message: str, document: KnownDocument) -> bool:
    """Whether ``message`` says anything of which edition is meant: a year, a version, "old", "both editions"."""
    own = version_words(document)
    return any(
        w.lower in RELATIVE or w.lower in ("both", "all", "year's", "years") or w.stem in VERSION_NOUNS or w.stem in own or years(w.text)
        for w in split_words(message)
    )  # fmt: skip


def match_name(name: str, documents: Sequence[KnownDocument]) -> Documents:
    """The documents a ``name`` that stands nowhere in the library may mean, typing errors forgiven (G4, stage 3); several where it
    does not decide between them. Years and numbers must agree: "Rulebook 2023" never means "Rulebook (2025)"."""
    wanted = tuple(w for w in stems(name) if w not in LINKING)
    scored = [(d, _similarity(wanted, d)) for d in documents if versions_agree(name, d)]
    best = max((score for _, score in scored), default=0.0)
    return [d for d, score in scored if score >= max(FUZZY_THRESHOLD, best - _MARGIN)]


def called_most_alike(names: Sequence[str], documents: Sequence[KnownDocument], message: str) -> Documents:
    """The documents in force that come nearest to names no document has, best first: by the words of the names that their titles
    and aliases share, then by those of the ``message``, then by spelling. They are offered, never taken; none without names."""
    superseded = superseded_by(documents)

    def likeness(document: KnownDocument) -> tuple[int, int, float]:
        own = [document.display_title, *document.aliases]
        said = {w for n in own for w in stems(n)} - LINKING
        shared = [len(said.intersection(stems(words))) for words in (" ".join(names), message)]
        return shared[0], shared[1], max(fuzz.token_set_ratio(fold(n), fold(o)) for n in names for o in own)

    held = [d for d in documents if d.id not in superseded] if names else []
    return sorted(sorted(held, key=lambda d: d.display_title), key=likeness, reverse=True)[:_OFFERED]


def versions_agree(name: str, document: KnownDocument) -> bool:
    """Whether every year and number in ``name`` is one of the document's own."""
    own = {part for n in (document.title, document.version, *document.aliases) for w in stems(n) for part in (w, *re.split(r"[./]", w))}  # fmt: skip
    return {w for w in stems(name) if w[0].isdigit() or re.fullmatch(r"[ivx]+", w)} <= own


def _similarity(wanted: tuple[str, ...], document: KnownDocument) -> float:
    plain = [document.title, *document.aliases]
    own = [stems(n) for n in (*plain, *(f"{n} {document.version}" for n in plain if document.version))]
    return max((_alike_names(wanted, tuple(w for w in n if w not in LINKING)) for n in own), default=0.0)


def _alike_names(wanted: tuple[str, ...], own: tuple[str, ...]) -> float:
    if "".join(wanted) == "".join(own):
        return 100.0
    for words, others in ((wanted, own), (own, wanted)):
        if not all(w in others or any(alike(w, o) for o in others) for w in words):
            return 0.0
    left, right = " ".join(wanted), " ".join(own)
    return max(fuzz.ratio(left, right), fuzz.token_sort_ratio(left, right))


def forms(document: KnownDocument) -> frozenset[tuple[str, ...]]:
    """Every way the document may be called, as stems: title, its parts, aliases, file name, initials; with and without the
    year, and as one word."""
    return _forms(document.title, document.version, tuple(document.aliases), document.filename)


@lru_cache(maxsize=5_000)
def _forms(title: str, version: str, aliases: tuple[str, ...], filename: str) -> frozenset[tuple[str, ...]]:
    parts = [p for p in _PART.split(title) if len(p.split()) > 2 or re.search(r"\d\D*\d|[A-Z]\S*[A-Z]", p)]
    numbered = [n for n in (_SUBJECT_OF.split(title)[0],) if n != title and re.search(r"\d", n)]  # "Rule 7 on Mooring"
    spelled: set[tuple[str, ...]] = set()
    code = _CODE.fullmatch(filename.rpartition(".")[0])
    codes = [code[0], f"{code[1]} {code[2]}"] if code and not years(code[2]) else []
    for name in filter(None, (title, *aliases, filename, *numbered, *codes, *parts)):
        plain = stems(name)
        spelled |= {plain, plain[1:] if plain[:1] in (("the",), ("a",)) else plain, ("".join(plain),)}
        undated = tuple(word for word in plain if not years(word))
        spelled |= {undated} if 1 < len(undated) < len(plain) else set()
        spelled |= {("".join(plain + stems(version)),)} | {(letters,) for letters in initials(name)}
    short = {stems(alias) for alias in aliases if alias.isupper()}  # "QM", as the analyst has called it
    return frozenset(s for s in spelled if s and (len("".join(s)) > 2 or s in short))


def title_stems(document: KnownDocument) -> frozenset[str]:
    return frozenset(stems(document.title)).union(*(stems(a) for a in document.aliases))


def all_stems(document: KnownDocument) -> frozenset[str]:
    """Every word that may describe the document: title, aliases, initials, set."""
    return title_stems(document) | _set_stems(document.set_name or "") | initials(document.title)


def subject_stems(document: KnownDocument) -> frozenset[str]:
    """What the title is about: its words but for those that documents are called by, and numbers."""
    return frozenset(
        s for s in stems(document.title) if s not in NOUNS and s not in LINKING and s.isalpha() and len(s) > 3
    )


@lru_cache(maxsize=1_000)
def _set_stems(name: str) -> frozenset[str]:
    """ "European Union" is called EU as well."""
    words = stems(name)
    return frozenset(words) | ({"".join(w[0] for w in words)} if len(words) > 1 else set())


@lru_cache(maxsize=5_000)
def initials(title: str) -> frozenset[str]:
    """The acronym of a title of three words or more: "general data protection regulation" → gdpr."""
    letters = [word[0] for word in stems(title) if word not in LINKING and not word[0].isdigit()]
    return frozenset({singular("".join(letters))} if len(letters) >= 3 else ())  # as it is read: "ASVS" is "asv"


def may_be_called(document: KnownDocument, noun: str) -> bool:
    """Whether somebody may call the document a ``noun``: its title does, its type fits, or it is a procedure called
    a policy or the other way round: the "Privacy Procedures" are somebody's privacy policy."""
    own = title_stems(document)
    if (
        own.intersection((noun, *translated(noun)))
        or noun in ANY_DOCUMENT | VERSION_NOUNS
        or (noun in _TWINS and own & _TWINS)
    ):
        return True
    return noun in TYPE_NOUNS and NOUNS[noun] in ("any", document.type)


def carries(document: KnownDocument, words: Iterable[str]) -> bool:
    """Whether a name of ``document`` holds every one of the stems, misspelled if need be."""
    return all(any(word == own or alike(word, own) for own in all_stems(document)) for word in words)


def _family_title(document: KnownDocument) -> tuple[str, ...]:
    return tuple(word for word in stems(document.title) if not years(word))
