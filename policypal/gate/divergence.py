"""Whether words that were quoted nearly right say something else than the page's: another number, negation, modal verb or
party (C2). Such a quotation is not a slip of the pen, and is never repaired."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from policypal.gate.claims import forces, negations
from policypal.gate.recipients import different_recipients
from policypal.search.terms import STOP_WORDS
from policypal.text.obligation_parts import bound_party
from policypal.text.quantities import find_quantities, number_value

_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011\u00ad]\s*\n\s*(?=[^\W\d_])|\u00ad")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_LABEL = re.compile(r"^\s*(?:\(?\d{1,3}(?:\.\d+)*[.)]?(?=\s)|\(?[a-z]{1,4}\)|[•▪‣◦●–—-])\s*")
_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_DETERMINERS = frozenset("the a an any each every all no its their our his her this that such by from with".split())
_SLIP = 90.0
"""rapidfuzz ratio, 0-100, above which two words are one, misspelt; "employer" and "employee" are two."""


def divergence(claimed: str, found: str) -> str:
    """In what ``found`` says something else than ``claimed``: "number", "negation", "modal verb" or "party"; "" where they
    differ in spelling or in words that decide nothing."""
    ours, theirs = _plain(claimed), _plain(found)
    if _figures(ours) != _figures(theirs):
        return "number"
    if negations(ours) != negations(theirs):
        return "negation"
    if Counter(forces(ours)) != Counter(forces(theirs)):
        return "modal verb"
    return "party" if _other_party(ours, theirs) else ""


def _plain(text: str) -> str:
    text = _BROKEN_WORD.sub("", text).translate(_LIGATURES)
    return _LABEL.sub("", " ".join(text.split()))


def _figures(text: str) -> tuple[frozenset[object], frozenset[str]]:
    """The quantities of a text, whatever they are written in, and its other numbers."""
    quantities = find_quantities(text)
    values = {(q.kind, q.bound, round(q.value, 4)) for q in quantities}
    bare = {n for w in _WORD.findall(text) if (n := _number(w)) is not None}
    return frozenset(values), frozenset(bare)


def _number(word: str) -> str | None:
    value = number_value(word)
    return str(value) if value is not None else word if any(c.isnumeric() for c in word) else None


def _other_party(ours: str, theirs: str) -> bool:
    """Whether somebody else is bound, told or named, or two of them have changed places."""
    subjects = _subject(ours), _subject(theirs)
    if all(subjects) and not _is_slip(*subjects):
        return True
    return different_recipients(ours, theirs) or _is_reordered(ours, theirs) or any(_replaced_nouns(ours, theirs))


def _subject(text: str) -> str:
    """The last word of the grammatical subject; "" where none is recognised."""
    words = [w for w in _words(bound_party(text)) if w not in STOP_WORDS]
    return words[-1] if words else ""


def _is_reordered(ours: str, theirs: str) -> bool:
    """Whether words that both say once, and that say something, stand in another order."""
    one, other = ([w for w in _words(t) if w not in STOP_WORDS] for t in (ours, theirs))
    once = {w for w in one if one.count(w) == 1 == other.count(w)}
    return [w for w in one if w in once] != [w for w in other if w in once]


def _replaced_nouns(ours: str, theirs: str) -> Iterator[bool]:
    """For each word that stands in another's place after an article or the like, whether it is another word."""
    one, other = _words(ours), _words(theirs)
    for kind, start, end, there, until in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "replace" and end - start == until - there:
            for at, beside in zip(range(start, end), range(there, until), strict=True):
                yield at > 0 and one[at - 1] in _DETERMINERS and not _is_slip(one[at], other[beside])


def _is_slip(one: str, other: str) -> bool:
    return fuzz.ratio(one, other) > _SLIP


def _words(text: str) -> list[str]:
    return [w.casefold() for w in _WORD.findall(text)]
