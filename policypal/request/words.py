"""The words of a message, and the nouns that stand for documents."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Speaker = Literal["company", "regulatory", "any"]

_WORD = re.compile(r"[vV]?\d+(?:[./]\d+)+|[^\W_]+(?:['’][^\W_]+)*")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMERAL = re.compile(r"[IVX]{1,5}|[A-Z]|v?\d+(?:[./]\d+)*", re.ASCII)

# Who speaks in a document called by this noun. The key is the singular, as `singular` makes it.
NOUNS: dict[str, Speaker] = {
    "policy": "company", "procedure": "company", "sop": "company",
    "regulation": "regulatory", "rulebook": "regulatory", "guideline": "regulatory", "guidance": "regulatory",
    "directive": "regulatory", "act": "regulatory", "circular": "regulatory", "notice": "regulatory",
    "statute": "regulatory", "ordinance": "regulatory", "decree": "regulatory", "bulletin": "regulatory",
    "standard": "any", "framework": "any", "code": "any", "manual": "any", "handbook": "any", "guide": "any",
    "charter": "any", "agreement": "any", "contract": "any", "report": "any", "paper": "any", "rule": "any",
    "email": "any", "e-mail": "any", "mail": "any", "letter": "any", "brochure": "any", "instruction": "any", "plan": "any",
    "document": "any", "doc": "any", "file": "any", "pdf": "any", "text": "any", "publication": "any",
    "edition": "any", "version": "any", "revision": "any", "one": "any",
}  # fmt: skip
TYPE_NOUNS = frozenset({"policy", "regulation"})
"""Nouns that name the type of a document in the library, whatever its title says (D1)."""
ANY_DOCUMENT = frozenset({"document", "doc", "file", "pdf", "publication", "one", "text"})
VERSION_NOUNS = frozenset({"edition", "version", "revision", "one"})
ONLY_IN_NAMES = frozenset(
    {"rule", "email", "e-mail", "mail", "letter", "report", "paper", "text", "plan", "contract", "agreement"}
)
"""Nouns too common to mean a document of the library unless a title or a capitalised name carries them."""
DRAFTS = frozenset({"email", "e-mail", "mail", "letter", "text", "paper"})
"""What is typically pasted into a message to be audited."""
LINKING = frozenset({"of", "on", "and", "the", "for", "to", "in", "a", "an", "with", "by", "or", "&"})


@dataclass(frozen=True, slots=True)
class Word:
    """One word; ``start``/``end`` are code points into the message, ``stem`` is lower case, singular, without 's."""

    text: str
    lower: str
    stem: str
    start: int
    end: int

    @property
    def is_capitalised(self) -> bool:
        return any(c.isupper() for c in self.text)

    @property
    def is_acronym(self) -> bool:
        """Two capitals or more: GDPR, MiFID, BankNegara2024."""
        return sum(c.isupper() for c in self.text) >= 2

    @property
    def is_possessive(self) -> bool:
        return self.lower.endswith(("'s", "s'"))


def split_words(text: str) -> list[Word]:
    """The words of ``text`` in order; "2.1" and "2016/679" are one word each, "e-mail" is two."""
    found = []
    for match in _WORD.finditer(text):
        lower = fold(match.group()).replace("’", "'")
        found.append(Word(match.group(), lower, singular(lower), match.start(), match.end()))
    return found


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a name, for comparing names."""
    return tuple(word.stem for word in split_words(text))


def fold(text: str) -> str:
    """Lower case without accents."""
    text = text.casefold()
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


@lru_cache(maxsize=20_000)
def singular(word: str) -> str:
    """The singular of a lower-case word, roughly: policies → policy, guidelines → guideline."""
    word = word.removesuffix("'s").removesuffix("'")
    if word[:1] == "v" and word[1:2].isdecimal():
        return word[1:]  # v2.1 is version 2.1
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def is_plural(word: Word) -> bool:
    """Whether a document noun stands in the plural."""
    bare = word.lower.removesuffix("'s")
    return bare != word.stem


def years(text: str) -> frozenset[int]:
    """The years 1900–2099 written in ``text``."""
    return frozenset(int(y) for y in _YEAR.findall(text))


def numerals(text: str) -> frozenset[str]:
    """What tells "Basel II" from "Basel III" and "Annex A" from "Annex B": numbers, Roman numerals, single capitals."""
    found = (m.group() for m in _WORD.finditer(text) if _NUMERAL.fullmatch(m.group()))
    return frozenset(n.casefold().removeprefix("v") or n.casefold() for n in found)


def gap(text: str, left: Word, right: Word) -> str:
    """What stands between two words, usually a space."""
    return text[left.end : right.start]
