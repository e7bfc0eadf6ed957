"""Phrases that stand for documents without their title: "our policy", "the 2024 one", "those two", "it"."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from policypal.request.library import RELATIVE, Selector
from policypal.request.names import COMPOUNDS, INDEFINITE, NUMBERS, SAYING, year_of
from policypal.request.words import NOUNS, ONLY_IN_NAMES, VERSION_NOUNS, Word, gap, is_plural

DEFINITE = frozenset(
    ["the", "our", "my", "this", "that", "these", "those", "both", "all", "your", "its", "same", "other"]
)
ORDINALS = {
    "first": 0, "1st": 0, "former": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3,
    "fifth": 4, "5th": 4, "last": -1, "latter": -1,
}  # fmt: skip
_TYPE_WORDS = frozenset(
    [
        "company", "internal", "own", "corporate", "regulatory", "legal", "whole", "entire", "relevant", "same",
        "other", "attached", "uploaded", "above", "existing", "mentioned", "tagged", "said", "full", "next", "of",
        "applicable", "two",
    ]
)  # fmt: skip
_NOT_MODIFIERS = SAYING | frozenset(
    [
        "and", "or", "but", "of", "on", "in", "for", "to", "from", "with", "against", "about", "by", "is", "are",
        "was", "were", "be", "been", "do", "does", "did", "has", "have", "had", "can", "could", "should", "would",
        "will", "may", "must", "shall", "what", "which", "who", "how", "when", "where", "why", "if", "than", "then",
        "not", "as", "at", "that", "between", "vs", "versus", "per", "under", "into", "over", "it", "they", "me",
        "us", "you", "we", "i", "please", "also", "say", "says", "give", "show", "tell", "make", "find", "get",
        "need", "compare", "audit", "summarize", "summarise", "check", "review", "explain", "assess", "validate",
        "verify", "now", "only", "just", "still", "follow", "follows", "meet", "meets", "comply", "complies",
        "conflict", "conflicts", "satisfy", "satisfies", "cover", "covers", "agree", "agrees", "match", "matches",
        "respect",
    ]
)  # fmt: skip
_PREPOSITIONS = frozenset(["on", "for", "about", "regarding", "concerning", "of"])
_PERSONAL_PLURAL = frozenset(["they", "them", "their", "theirs"])
_DEMONSTRATIVE_PLURAL = frozenset(["these", "those"])
_AUXILIARY = frozenset(
    [
        "does", "do", "did", "is", "are", "was", "were", "can", "could", "will", "would", "should", "has", "have",
        "must", "may", "how", "where", "what", "whether", "and", "if",
    ]
)  # fmt: skip
_VERBS_OF_READING = frozenset(
    [
        "summarize", "summarise", "compare", "audit", "check", "review", "explain", "shorten", "recap", "condense",
        "read", "analyse", "analyze", "brief", "outline", "contrast", "assess", "verify", "validate", "vet", "evaluate",
        "test", "use",
    ]
)  # fmt: skip
_BEFORE_PRONOUN = frozenset(
    [
        "in", "against", "with", "to", "from", "of", "between", "under", "by", "about", "than", "on", "versus", "vs",
        "across", "per", "both", "all",
    ]
)  # fmt: skip
_FOLLOWING = SAYING | frozenset(
    [
        "and", "or", "with", "against", "to", "is", "are", "do", "does", "did", "in", "on", "for", "about", "versus",
        "vs", "too", "also", "please", "now", "again", "as", "regarding", "conflict", "comply", "agree", "differ",
        "compare", "compliant", "consistent", "stricter", "binding", "allow", "mean", "have", "has", "can", "meet",
    ]
)  # fmt: skip

Kind = Literal["described", "version", "ordinal", "singular", "plural"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A reference without a title, words ``start``…``end`` (exclusive). ``topic`` are the words after "on"/"for"."""

    start: int
    end: int
    kind: Kind
    determiner: str = ""
    noun: str = ""
    modifiers: tuple[Word, ...] = ()
    topic: tuple[Word, ...] = ()
    plural: bool = False
    count: int | None = None
    ordinal: int | None = None
    selector: Selector = field(default_factory=Selector)
    text: str = ""

    @property
    def is_demonstrative(self) -> bool:
        return self.determiner in ("this", "that", "these", "those", "same")

    @property
    def is_bare(self) -> bool:
        """No article and no proper name: "device policy" in "privacy policy vs device policy"."""
        named = any(w.is_capitalised and w.start > 0 for w in self.modifiers)
        return not self.determiner and not named and not self._is_listed

    @property
    def _is_listed(self) -> bool:
        """ "2024 AML handbook", "two directives": definite without an article."""
        return bool(self.selector.years) or (self.count is not None and self.plural)

    @property
    def is_personal(self) -> bool:
        """ "our policy": the user is sure to have one."""
        return self.determiner in ("our", "my")


def find_phrases(message: str, words: list[Word], taken: set[int], today: date) -> list[Phrase]:
    """The phrases in reading order; ``taken`` are words that belong to names already."""
    found: list[Phrase] = []
    used = set(taken)
    for position, word in enumerate(words):
        if position in used:
            continue
        phrase = None
        if word.stem in NOUNS and not _is_verb(words, position) and not _is_version_of(words, position, used):
            phrase = _noun_phrase(message, words, position, used, today)
        phrase = (
            phrase or _bare_ordinal(message, words, position, used) or _pronoun(message, words, position, used, today)
        )
        if phrase is not None:
            found.append(phrase)
            used.update(range(phrase.start, phrase.end))
    return sorted(found, key=lambda p: p.start)


def _is_version_of(words: list[Word], position: int, used: set[int]) -> bool:
    """The "version" of "the old version of the breach guidelines", which is read with the noun it belongs to."""
    if words[position].stem not in VERSION_NOUNS or position + 1 == len(words) or words[position + 1].lower != "of":
        return False
    after = range(position + 2, min(len(words), position + 7))
    return any(i not in used and words[i].stem in NOUNS.keys() - VERSION_NOUNS for i in after)


def _is_verb(words: list[Word], position: int) -> bool:
    """ "does the bank act", "report the breach", "notice that"."""
    before = words[position - 1].lower if position else ""
    bare = words[position].lower in (
        "act",
        "report",
        "notice",
        "mail",
        "document",
        "file",
        "plan",
        "text",
        "rule",
        "guide",
    )
    return bare and (
        position == 0 or before in ("to", "must", "shall", "should", "may", "can", "will", "not", "i", "we", "you")
    )


def _noun_phrase(message: str, words: list[Word], at: int, used: set[int], today: date) -> Phrase | None:
    start = _left_edge(message, words, at, used)
    inside = words[start:at]
    determiners = [w.lower for w in inside if w.lower in DEFINITE]
    determiner = next((d for d in determiners if d in ("other", "same")), determiners[0] if determiners else "")
    if start and not determiner and words[start - 1].lower in INDEFINITE:
        return None
    noun_is_version = words[at].stem in VERSION_NOUNS
    modifiers = tuple(
        w
        for i, w in enumerate(inside)
        if _is_modifier(w)
        and year_of(words, start + i, today) is None
        and (w.stem not in VERSION_NOUNS or noun_is_version)
    )
    noun = words[at]
    selector = _selector(words, start, at, today)
    topic = _topic(message, words, at, used)
    phrase = Phrase(
        start, at + 1, "described", determiner, noun.stem, modifiers, topic, is_plural(noun),
        next((NUMBERS[w.lower] for w in inside if w.lower in NUMBERS), None),
        next((ORDINALS[w.lower] for w in inside if w.lower in ORDINALS and not _is_clock(words, w)), None),
        selector, message[words[start].start : noun.end],
    )  # fmt: skip
    return _classified(message, words, phrase)


def _is_clock(words: list[Word], word: Word) -> bool:
    """The "last" of "last year's" is no ordinal."""
    after = next((w for w in words if w.start > word.start), None)
    return after is not None and after.stem == "year"


def _classified(message: str, words: list[Word], phrase: Phrase) -> Phrase | None:
    compound = _is_followed_by_compound(words, phrase)
    named = any(w.is_capitalised and w.start > 0 for w in phrase.modifiers)
    if compound and not phrase.is_demonstrative:
        return None
    if phrase.ordinal is not None and not phrase.modifiers:
        return replace(phrase, kind="ordinal")
    if phrase.noun in VERSION_NOUNS and not phrase.modifiers:
        if phrase.selector or phrase.determiner == "other":
            return replace(phrase, kind="version")
        one = phrase.noun == "one" and phrase.determiner in ("this", "that", "same", "other")
        return (
            replace(phrase, kind="version")
            if phrase.plural and phrase.determiner
            else replace(phrase, kind="singular")
            if one
            else None
        )
    if phrase.noun in VERSION_NOUNS and not named:
        return None
    if phrase.noun in ONLY_IN_NAMES and (phrase.plural or not phrase.determiner) and not (named and not phrase.plural):
        return None
    return phrase


def _left_edge(message: str, words: list[Word], at: int, used: set[int]) -> int:
    """The first word of the phrase that ends in the noun ``at``."""
    start = at
    for position in range(at - 1, max(-1, at - 9), -1):
        word = words[position]
        joins = word.lower in ("and", "vs", "versus", "to", "of") and _joins(words, position, start, at)
        if position in used or gap(message, word, words[position + 1]).strip(" \t-–&“\"'("):
            break
        if word.lower in INDEFINITE or (word.lower in _NOT_MODIFIERS - {"that"} and not joins):
            break
        if word.lower == "that" and start != position + 1:
            break
        start = position
        if word.lower in DEFINITE - {"same", "other", "all", "both"} and words[position - 1].lower not in (
            "all",
            "both",
            "of",
        ):
            break
    while start < at and words[start].lower in ("and", "of", "to"):
        start += 1
    return start


def _joins(words: list[Word], position: int, start: int, at: int) -> bool:
    """The "and" of "2023 and 2025 rulebooks", the "of" of "all of those documents"."""
    left, right = words[position - 1] if position else None, words[start]
    if left is None:
        return False
    if words[position].lower == "of":
        return left.lower in ("both", "all", *NUMBERS) or left.stem in VERSION_NOUNS
    if (
        words[position].lower == "and"
        and is_plural(words[at])
        and left.lower not in _NOT_MODIFIERS
        and left.stem not in NOUNS
    ):
        return right.lower not in DEFINITE
    return left.text.isdecimal() and right.text.isdecimal()


def _is_modifier(word: Word) -> bool:
    lower = word.lower
    known = lower in DEFINITE or lower in _TYPE_WORDS or lower in NUMBERS or lower in ORDINALS or lower in RELATIVE
    return (
        not known
        and lower not in ("and", "most", "last", "year's", "vs", "versus", "year", "eu's")
        and word.stem != "year"
    )


def _selector(words: list[Word], start: int, at: int, today: date) -> Selector:
    found = {y for i in range(start, at) if (y := year_of(words, i, today)) is not None}
    relative = next((RELATIVE[w.lower] for w in words[start:at] if w.lower in RELATIVE), None)
    if at + 1 < len(words) and words[at + 1].text.isdecimal() and (year := year_of(words, at + 1, today)):
        found.add(year)
    return Selector(frozenset(found), relative=relative)


def _topic(message: str, words: list[Word], at: int, used: set[int]) -> tuple[Word, ...]:
    """ "policy on remote work": the words after the preposition, at most four."""
    if at + 2 >= len(words) or words[at + 1].lower not in _PREPOSITIONS:
        return ()
    topic: list[Word] = []
    for position in range(at + 2, min(len(words), at + 6)):
        word = words[position]
        if (
            position in used
            or word.lower in _NOT_MODIFIERS - {"and"}
            or gap(message, words[position - 1], word).strip()
        ):
            break
        topic.append(word)
    return tuple(w for w in topic if w.lower not in ("and", "the", "our", "my"))


def _is_followed_by_compound(words: list[Word], phrase: Phrase) -> bool:
    return phrase.end < len(words) and words[phrase.end].stem in COMPOUNDS and not words[phrase.end].is_capitalised


def _bare_ordinal(message: str, words: list[Word], at: int, used: set[int]) -> Phrase | None:
    """ "the former", "the second" at the end of a clause."""
    if words[at].lower not in ORDINALS or not at or words[at - 1].lower != "the" or at - 1 in used:
        return None
    if not _ends_clause(message, words, at) and words[at].lower not in ("former", "latter"):
        return None
    return Phrase(at - 1, at + 1, "ordinal", "the", ordinal=ORDINALS[words[at].lower], text=words[at].text)


def _pronoun(message: str, words: list[Word], at: int, used: set[int], today: date) -> Phrase | None:
    word = words[at]
    before = words[at - 1].lower if at else ""
    found = _counted(message, words, at, used) or _yearly(message, words, at, today)
    if found is not None:
        return found
    if word.lower in _PERSONAL_PLURAL and _stands_for_document(words, at):
        return Phrase(at, at + 1, "plural", word.lower, plural=True, text=word.text)
    if word.lower in _DEMONSTRATIVE_PLURAL and _stands_alone(message, words, at) and _stands_for_document(words, at):
        return Phrase(at, at + 1, "plural", word.lower, plural=True, text=word.text)
    if word.lower in ("it", "its") and _stands_for_document(words, at):
        return Phrase(at, at + 1, "singular", word.lower, text=word.text)
    alone = word.lower in ("this", "that") and _stands_alone(message, words, at)
    if alone and before != "so" and _stands_for_document(words, at):
        return Phrase(at, at + 1, "singular", word.lower, text=word.text)
    return None


def _counted(message: str, words: list[Word], at: int, used: set[int]) -> Phrase | None:
    """ "both", "the two", "those two", "all three", "all of them"."""
    lower, before = words[at].lower, words[at - 1].lower if at else ""
    if lower not in NUMBERS or words[at].text.isdecimal() or not _stands_alone(message, words, at):
        return None
    if lower == "both":
        return Phrase(at, at + 1, "plural", "both", plural=True, count=2, text="both")
    if before in ("those", "these", "the", "all", "them") and at - 1 not in used:
        return Phrase(at - 1, at + 1, "plural", before, plural=True, count=NUMBERS[lower], text=f"{before} {lower}")
    return None


def _yearly(message: str, words: list[Word], at: int, today: date) -> Phrase | None:
    """ "with this year's": the edition of that year."""
    year = year_of(words, at, today)
    if year is None or words[at].stem != "year" or not _stands_alone(message, words, at):
        return None
    return Phrase(
        at - 1, at + 1, "version", "the", "edition", selector=Selector(frozenset({year})), text=words[at].text
    )


def _stands_alone(message: str, words: list[Word], at: int) -> bool:
    """No noun follows, so the word itself is the reference."""
    return _ends_clause(message, words, at) or words[at + 1].lower in _FOLLOWING or words[at + 1].lower == "of"


def _ends_clause(message: str, words: list[Word], at: int) -> bool:
    return at + 1 == len(words) or bool(gap(message, words[at], words[at + 1]).strip())


def _stands_for_document(words: list[Word], at: int) -> bool:
    """Where a pronoun stands for a document rather than for something said in the same sentence: "does it …",
    "compare them", "… against it"."""
    before = words[at - 1].lower if at else ""
    if at == 0 or before in _VERBS_OF_READING or before in _BEFORE_PRONOUN:
        return True
    near_start = at <= 4 and not any(_is_antecedent(w) for w in words[:at])
    return near_start and (before in _AUXILIARY or words[at].lower in ("its", "their"))


def _is_antecedent(word: Word) -> bool:
    known = _AUXILIARY | _VERBS_OF_READING | _BEFORE_PRONOUN | SAYING
    return word.lower not in known and word.lower not in ("now", "then", "please", "so", "ok", "thanks", "also", "else", "many", "much", "often", "long", "when", "who", "which", "why", "the", "main", "key")  # fmt: skip
