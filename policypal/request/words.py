"""The words of a message, and the nouns that stand for documents."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

Speaker = Literal["company", "regulatory", "any"]

_WORD = re.compile(r"[vV]?\d+(?:[./]\d+)+|[^\W_]+(?:['’][^\W_]+)*")
_ELIDED = re.compile(r"^(?:d|l|qu)'(?=\w{2})")
"""French articles and prepositions before a vowel: "d'intérêts"."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_VOWELS = re.compile(r"[aeiouy]")
_LONG_WORD = 5
_ALIKE = 78.0

# Who speaks in a document called by this noun. The key is the singular, as `singular` makes it.
NOUNS: dict[str, Speaker] = {
    "policy": "company", "procedure": "company", "sop": "company",
    "regulation": "regulatory", "rulebook": "regulatory", "guideline": "regulatory", "guidance": "regulatory",
    "directive": "regulatory", "act": "regulatory", "circular": "regulatory", "notice": "regulatory",
    "statute": "regulatory", "ordinance": "regulatory", "decree": "regulatory", "bulletin": "regulatory", "law": "regulatory",
    "statement": "any", "standard": "any", "framework": "any", "code": "any", "manual": "any", "handbook": "any",
    "guide": "any", "charter": "any", "agreement": "any", "contract": "any", "report": "any", "paper": "any", "rule": "any",
    "email": "any", "e-mail": "any", "mail": "any", "letter": "any", "brochure": "any", "instruction": "any", "plan": "any",
    "toolkit": "any", "document": "any", "doc": "any", "file": "any", "pdf": "any", "text": "any", "publication": "any",
    "edition": "any", "version": "any", "revision": "any", "one": "any",
    # how colleagues who write German, French or Spanish call them
    "richtlinie": "any", "leitlinie": "regulatory", "leitlinien": "regulatory", "verordnung": "regulatory",
    "gesetz": "regulatory", "norm": "regulatory", "bericht": "any", "dokument": "any", "politique": "company",
    "reglement": "regulatory", "ligne": "any", "loi": "regulatory", "norme": "regulatory", "rapport": "any",
    "politica": "company", "reglamento": "regulatory", "directrice": "regulatory", "ley": "regulatory",
    "reg": "regulatory", "rundschreiben": "regulatory", "handbuch": "any", "verfahren": "company", "anweisung": "company", "procedimiento": "company",
    "directiva": "regulatory", "circulaire": "regulatory", "manuel": "any", "norma": "regulatory", "informe": "any", "documento": "any", "versione": "any", "fassung": "any",
}  # fmt: skip
TYPE_NOUNS = frozenset(
    {"policy", "regulation", "richtlinie", "politique", "politica", "reglement", "reglamento", "verordnung"}
)
"""Nouns that name the type of a document in the library, whatever its title says (D1)."""
ANY_DOCUMENT = frozenset(
    {"document", "doc", "file", "pdf", "publication", "paper", "one", "text", "dokument", "documento"}
)
ROMANCE = frozenset({"politique", "reglement", "directive", "loi", "norme", "procedure", "manuel", "politica", "reglamento", "directiva", "ley",
                     "norma", "procedimiento", "manual"})  # fmt: skip
"""Nouns of languages in which what they are about stands behind them: "notre politique conflits d'intérêts"."""
VERSION_NOUNS = frozenset({"edition", "version", "revision", "one", "versione", "fassung"})
ONLY_IN_NAMES = frozenset(
    {"rule", "email", "e-mail", "mail", "letter", "report", "paper", "text", "plan", "contract", "agreement", "statement",
     "law", "ligne", "norm"}
)  # fmt: skip
"""Nouns too common to mean a document of the library unless a title or a capitalised name carries them."""
DRAFTS = frozenset({"email", "e-mail", "mail", "letter", "text", "paper"})
"""What is typically pasted into a message to be audited."""
LINKING = frozenset({"of", "on", "and", "the", "for", "to", "in", "a", "an", "with", "by", "or", "&"})
SAYING = frozenset(
    "say says said state states require requires mention mentions cover covers contain contains define defines allow allows permit"
    " permits demand demands set sets treat treats address addresses apply applies expect expects prohibit prohibits forbid forbids"
    " specify specifies include includes provide provides name names refer".split()
)
INDEFINITE = frozenset("a an any every which what some no whose another many most".split())
NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5, "dos": 2, "zwei": 2,
           "beide": 2, "beiden": 2, "deux": 2}  # fmt: skip
OWN = frozenset("our my unsere unser unserer unseren meine notre nos nuestra nuestro nuestras mi".split())
DEFINITE = OWN | frozenset(
    "the this that these those both all your its same other die der das den dem le la les el los las ambas".split()
)
ORDINALS = {
    "first": 0, "1st": 0, "former": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3,
    "fifth": 4, "5th": 4, "last": -1, "latter": -1,
}  # fmt: skip
RELATIVE = {
    "latest": "newest", "newest": "newest", "current": "newest", "recent": "newest",
    "newer": "newer", "new": "newer", "updated": "newer", "revised": "newer",
    "older": "older", "old": "older", "earlier": "older", "prior": "previous", "previous": "previous", "preceding": "previous",
    "superseded": "previous", "oldest": "oldest", "original": "oldest", "earliest": "oldest",
}  # fmt: skip
"""What words say about which of several versions is meant."""


def speak_of_both(relatives: Iterable[str]) -> bool:
    """ "The old and the new one": words that mean a newer and an older version."""
    return len({r.startswith("new") for r in relatives}) > 1


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
        """A capital inside the word, or one and a digit: GDPR, MiFID, ePrivacy, BankNegara2024, Q9."""
        return any(c.isupper() for c in self.text[1:]) or (
            self.text[0].isupper() and any(c.isdigit() for c in self.text)
        )

    @property
    def is_plural(self) -> bool:
        return self.lower.removesuffix("'s") != self.stem

    @property
    def is_possessive(self) -> bool:
        return self.lower.endswith(("'s", "s'"))


def split_words(text: str) -> list[Word]:
    """The words of ``text`` in order; "2.1" and "2016/679" are one word each, "e-mail" is two."""
    found = []
    for match in _WORD.finditer(text):
        lower = fold(match.group()).replace("’", "'")
        found.append(Word(match.group(), lower, singular(_ELIDED.sub("", lower)), match.start(), match.end()))
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


def years(text: str) -> frozenset[int]:
    """The years 1900–2099 written in ``text``."""
    return frozenset(int(y) for y in _YEAR.findall(text))


def gap(text: str, left: Word, right: Word) -> str:
    """What stands between two words, usually a space."""
    return text[left.end : right.start]


@lru_cache(maxsize=50_000)
def alike(typed: str, meant: str) -> bool:
    """Whether a stem is another one, misspelled ("securty") or without its vowels ("ctrl"). Short words and numbers never are."""
    if any(c.isdigit() for c in typed + meant) or typed[:1] != meant[:1]:
        return typed == meant
    if len(typed) >= _LONG_WORD and len(meant) >= _LONG_WORD:
        return fuzz.ratio(typed, meant) >= _ALIKE
    return len(typed) > 3 and not _VOWELS.search(typed) and _is_within(typed, meant) and typed[-1] == meant[-1]


def _is_within(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)
