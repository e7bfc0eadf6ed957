"""What stands for documents in a message, and the words it is found in (G0, G4)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from policypal.request.library import KnownDocument, Library, Selector
from policypal.request.words import (
    DEFINITE,
    NOUNS,
    NUMBERS,
    ORDINALS,
    OWN,
    RELATIVE,
    SAYING,
    Word,
    gap,
    split_words,
    years,
)
from policypal.search.terms import STOP_WORDS

Kind = Literal["name", "described", "set", "version", "ordinal", "singular", "plural", "unknown"]

COMPOUNDS = frozenset(
    "requirement practice section chapter article team owner rule provision breach violation change statement template holder holder's"
    " limit language wording department review manager committee principle setting area matter issue best maker making management"
    " work writing period expectation obligation question topic law".split()
)
"""What makes "privacy policy requirements" a topic, not the document of that name."""
REQUESTS = frozenset(
    "summarize summarise compare audit check review explain shorten recap condense read analyse analyze brief outline contrast assess"
    " verify validate vet evaluate test use fasse prufe prufen vergleiche resume compara comparez".split()
)
SLOTS = REQUESTS | frozenset("against versus vs in per under with to gegen contra contre selon segun nach".split())
BEFORE_VERB = frozenset(
    "can can't cannot could must may will won't would should shall not don't didn't couldn't we they i you who".split()
)
BOUNDARY = (
    (STOP_WORDS - DEFINITE - NUMBERS.keys() - ORDINALS.keys() - RELATIVE.keys())
    | SAYING | REQUESTS
    | frozenset(
        "and or but against versus vs per under then please pls also say give show tell make find get need explain now only just still"
        " follow follows meet meets comply complies conflict conflicts satisfy satisfies agree agrees match matches respect between"
        " gegen contra contre bitte mit con avec sur und et y i'd want asked asks compliant".split()
    )
)  # fmt: skip
TYPE_WORDS = frozenset(
    "company internal own corporate regulatory legal whole entire relevant same other attached uploaded above existing mentioned tagged"
    " said full next of applicable".split()
)
AUXILIARY = frozenset(
    "does do did is are was were can could will would should has have must may how where what whether and if".split()
)
PREPOSITIONS = frozenset(
    "in against with to from of between under by about than on versus vs across per both all".split()
)
ABOUT = frozenset("on for about regarding concerning of zur zum uber sur sobre der des de du del".split())
FOLLOWING = SAYING | frozenset(
    "and or with against to is are do does did in on for about versus vs too also please now again as regarding conflict comply agree"
    " differ compare compliant consistent stricter binding allow mean have has can meet of".split()
)
PARTS = frozenset(
    "article section chapter part annex appendix schedule paragraph clause pillar tier title recital page rule principle january"
    " february march april may june july august september october november december i tell q1 q2 q3 q4".split()
)
COMPARING = frozenset(
    "compare compared comparison comply complies compliant compliance consistent line accordance conform conformity".split()
)
MASK = "xdoc"
"""Stands for a document: a word like any other, so that word boundaries hold."""
NEGATED = re.compile(
    r"(?:\b(?:please|i)\s+)?\b(?:do(?:n't| not)|no need (?:to|for)|no more|no|instead of|rather than)\b[^.;,:!?\n–—]{0,30}?"
    r"\b(?:summar\w+|compar\w+|audit\w*|overview|recap)\b[^.;,:!?\n–—]{0,200}[.;,:!?\n–—]*",
    re.IGNORECASE,
)
"""What is asked not to be done: "don't summarize it, just tell me …"."""
GOES_ON = re.compile(
    r"^\W*(?:(?:please|can|could|would|you|now|then|ok(?:ay)?|fine|so)\b\W*)*"
    r"(?:and|or|but|also|plus|again|now|then|same|likewise|what about|how about|this time|against"
    r"|(?:do|run|try|redo|repeat) (?:it|that|this|the (?:same|audit|comparison|summary|check))|re-?run|redo|repeat|gegen|contre|contra|und|et|y)\b|\b(?:as well|too|instead|again)\W*$",
    re.IGNORECASE,
)
"""What carries on with what was asked before: "and the guideline?", "the same for …", "redo that …", "… instead"."""
QUOTES = "\"“”'‘’«»„"


@dataclass(frozen=True, slots=True)
class Mention:
    """Words ``start``…``end`` (exclusive) that stand for documents. ``documents`` carry the name or are the set's; a described
    document has a ``noun`` with ``modifiers``."""

    start: int
    end: int
    kind: Kind
    text: str = ""
    documents: tuple[KnownDocument, ...] = ()
    selector: Selector = field(default_factory=Selector)
    determiner: str = ""
    noun: str = ""
    modifiers: tuple[Word, ...] = ()
    plural: bool = False
    count: int | None = None
    ordinal: int | None = None
    is_tag: bool = False
    name: tuple[int, int] = (0, 0)
    """The words of the name itself, without the version."""

    @property
    def is_demonstrative(self) -> bool:
        return self.determiner in ("this", "that", "these", "those", "same")

    @property
    def is_personal(self) -> bool:
        """ "our policy": the user is sure to have one."""
        return self.determiner in OWN

    @property
    def is_bare(self) -> bool:
        """No article and no proper name: "device policy" in "privacy policy vs device policy"."""
        listed = bool(self.selector.years) or (self.count is not None and self.plural)
        return not self.determiner and not self.is_proper and not listed

    @property
    def is_proper(self) -> bool:
        """The words before the noun are a proper name: "FSA", "Basel", "Solvency II"."""
        return any(w.is_capitalised and w.start > 0 and w.stem not in NOUNS for w in self.modifiers)


def year_of(words: Sequence[Word], position: int, today: date) -> int | None:
    """The year a word stands for: "2024", or "last year's" from the clock."""
    word = words[position]
    if word.text.isdecimal() and years(word.text):
        return int(word.text)
    if word.lower in ("year's", "years") and position and words[position - 1].lower in ("last", "previous", "this"):
        return today.year - (words[position - 1].lower != "this")
    return None


class Scan:
    """One pass over one message: its words, those that are taken, and what was found."""

    def __init__(self, message: str, library: Library, today: date) -> None:
        self._message, self._library, self._today = message, library, today
        self._words = split_words(message)
        self._used: set[int] = set()
        self._found: list[Mention] = []
        self._in_lower_case = not any(w.is_capitalised for w in self._words[1:])

    def _add(self, mention: Mention) -> None:
        words = self._words[mention.start : mention.end]
        text = mention.text or self._message[words[0].start : words[-1].end]
        self._found.append(replace(mention, text=text))
        self._used.update(range(mention.start, mention.end))

    def _lower(self, at: int) -> str:
        return self._words[at].lower if 0 <= at < len(self._words) else ""

    def _breaks(self, at: int, allowed: str = " \t-–&“”\"'(") -> bool:
        """Whether something other than ``allowed`` stands between the word before ``at`` and the one there."""
        return bool(gap(self._message, self._words[at - 1], self._words[at]).strip(allowed))

    def _is_compound(self, end: int) -> bool:
        return end < len(self._words) and self._words[end].stem in COMPOUNDS and not self._words[end].is_capitalised
