"""Names of documents: which document a name means, typing errors forgiven, versions not (G4, stage 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field
from rapidfuzz import fuzz

from policypal.request.words import LINKING, NOUNS, numerals, stems, years

FUZZY_THRESHOLD = 85.0
"""The similarity from which a name counts as a document's (G4), in percent."""
_MARGIN = 4.0
_WORD_SIMILARITY = 78.0
_SHORT_WORD = 4


class KnownDocument(BaseModel):
    """A document the resolver may choose. ``in_conversation`` marks those of the ``conversation_docs`` registry;
    ``turn`` is the latest turn that used it (higher is later), None if none did. ``previous_version_id`` is the version that
    the analyst said comes before it (D8)."""

    id: str
    title: str
    version: str = ""
    type: Literal["regulatory", "company"] = "regulatory"
    set_name: str | None = None
    aliases: list[str] = Field(default_factory=list)
    in_conversation: bool = False
    turn: int | None = None
    previous_version_id: str | None = None
    filename: str = ""

    @property
    def display_title(self) -> str:
        """ "Title (Version)" (D3)."""
        return f"{self.title} ({self.version})" if self.version else self.title


@dataclass(frozen=True, slots=True)
class Match:
    """A document a name may mean; ``score`` is in percent."""

    id: str
    score: float


def match_name(name: str, documents: Sequence[KnownDocument], threshold: float = FUZZY_THRESHOLD) -> list[Match]:
    """The documents ``name`` means, best first; several where the name does not decide between them
    (two versions of one title), none where nothing is at least ``threshold`` percent similar.

    Years and version numbers in the name must agree: "Rulebook 2023" never means "Rulebook (2025)" (G4).
    """
    wanted = _significant(stems(name))
    if not wanted:
        return []
    scored = [Match(d.id, _similarity(name, wanted, d)) for d in documents if versions_agree(name, d)]
    found = sorted((m for m in scored if m.score >= threshold), key=lambda m: -m.score)
    return [m for m in found if m.score >= found[0].score - _MARGIN]


def versions_agree(name: str, document: KnownDocument) -> bool:
    """Whether every year, number and numeral in ``name`` is one of the document's own."""
    labels = " ".join([document.title, document.version, *document.aliases])
    named, own = years(name), years(labels)
    if named - own and (own or document.version):
        return False
    asked = {n for n in numerals(name) if not years(n)}
    return asked <= numerals(labels) | {part for n in numerals(labels) for part in n.replace("/", ".").split(".")}


def names_of(document: KnownDocument) -> list[str]:
    """Every way the document is called: title, aliases, and each with the version."""
    plain = [document.title, *document.aliases]
    return plain + [f"{n} {document.version}" for n in plain if document.version]


def _similarity(name: str, wanted: tuple[str, ...], document: KnownDocument) -> float:
    return max((_name_similarity(wanted, _significant(stems(own))) for own in names_of(document)), default=0.0)


def _name_similarity(wanted: tuple[str, ...], own: tuple[str, ...]) -> float:
    if not own:
        return 0.0
    joined = "".join(wanted) == "".join(own)
    if joined:
        return 100.0
    if not (_covers(wanted, own) and _covers(own, wanted)):
        return 0.0
    left, right = " ".join(wanted), " ".join(own)
    return max(fuzz.ratio(left, right), fuzz.token_sort_ratio(left, right))


def _covers(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Every word has a counterpart; short words and numbers must be the same, or "AML Notice" would be "AMX Notice"."""
    return all(_has_counterpart(word, others) for word in words)


def _has_counterpart(word: str, others: tuple[str, ...]) -> bool:
    if word in others:
        return True
    if len(word) <= _SHORT_WORD or any(c.isdigit() for c in word):
        return False
    return any(fuzz.ratio(word, other) >= _WORD_SIMILARITY for other in others if len(other) > _SHORT_WORD - 1)


def _significant(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(w for w in words if w not in LINKING) or words


def is_document_noun(stem: str) -> bool:
    """Whether a singular lower-case word is what documents are called: policy, guideline, handbook."""
    return stem in NOUNS
