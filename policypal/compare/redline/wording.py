"""The words that differ between two versions of a clause, and which of them matter (A3)."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

from policypal.domain.changes import ChangePart
from policypal.text.quantities import number_value

_TOKEN = re.compile(r"[^\W_]+(?:[.,’'-][^\W_]+)*|\s+|.", re.DOTALL)
_MODAL = re.compile(
    r"\b(?:must|shall|may|should|can|could|might|will|ought|cannot|required|obliged|permitted|allowed|prohibited|forbidden)\b",
    re.I,
)
_NEGATION = re.compile(r"\b(?:not|no|never|none|neither|nor|without|unless|except|cannot)\b|\w+n[’']t\b", re.I)
_MEASURE = re.compile(
    r"\b(?:once|twice|annual(?:ly)?|yearly|quarterly|monthly|weekly|daily|(?:minute|hour|day|week|month|quarter|year)s?|January|"
    r"February|March|April|May|June|July|August|September|October|November|December)\b|[%€$£]"
)
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*|[A-Za-z-]+")
_SHORTEST_ISLAND = 2
_Op = Literal["same", "removed", "added"]
_OPS: tuple[_Op, _Op, _Op] = ("same", "removed", "added")
_Runs = list[tuple[list[str], list[str], list[str]]]
"""Tokens both texts have, those only the old one has, those only the new one has."""


def redline(old: str, new: str) -> tuple[ChangePart, ...]:
    """Both texts in one: the words they share, those only ``old`` has and those only ``new`` has, in reading order.
    Joining the same and removed parts gives ``old``, the same and added parts ``new``."""
    left, right = _TOKEN.findall(old), _TOKEN.findall(new)
    matcher = SequenceMatcher(None, [t.lower() for t in left], [t.lower() for t in right], autojunk=False)
    runs: _Runs = []
    for op, a, b, c, d in matcher.get_opcodes():
        if op == "equal" and left[a:b] == right[c:d]:
            runs.append((left[a:b], [], []))
        else:
            runs.append(([], left[a:b], right[c:d]))
    return tuple(_parts(_without_islands(runs), changed_marks(old, new)))


def whole(text: str, op: _Op) -> tuple[ChangePart, ...]:
    """All of a clause as one part."""
    return (ChangePart(op=op, text=text, marks=marks_of(text) if op != "same" else ()),)


def marks_of(text: str) -> tuple[str, ...]:
    """What is weighty in some words: "number" (dates and periods, too), "modal", "negation"."""
    return tuple(mark for mark, words in _weighty(text).items() if words)


def changed_marks(old: str, new: str) -> tuple[str, ...]:
    """What is weighty in the difference of two texts; a "must" or a figure both have, wherever it stands, is not."""
    before, after = _weighty(old), _weighty(new)
    return tuple(mark for mark in before if before[mark] != after[mark])


def _weighty(text: str) -> dict[str, Counter[str]]:
    numbers = [w for w in _NUMERAL.findall(text) if number_value(w) is not None]
    measures = [m.lower().removesuffix("s") for m in _MEASURE.findall(text)]
    return {
        "number": Counter([*numbers, *measures]),
        "modal": Counter(w.lower() for w in _MODAL.findall(text)),
        "negation": Counter(w.lower() for w in _NEGATION.findall(text)),
    }


def _without_islands(runs: _Runs) -> _Runs:
    """Changes with hardly a word in common between them read better as one."""
    kept: _Runs = []
    for position, (same, removed, added) in enumerate(runs):
        between = 0 < position < len(runs) - 1
        is_island = bool(same) and between and sum(t.strip() != "" for t in same) < _SHORTEST_ISLAND
        if is_island:
            removed, added, same = same, same, []
        if not same and kept and not kept[-1][0]:
            kept[-1] = ([], kept[-1][1] + removed, kept[-1][2] + added)
        else:
            kept.append((same, removed, added))
    return kept


def _parts(runs: _Runs, weighty: tuple[str, ...]) -> Iterator[ChangePart]:
    for run in runs:
        for op, tokens in zip(_OPS, run, strict=True):
            if text := "".join(tokens):
                marks = () if op == "same" else tuple(m for m in marks_of(text) if m in weighty)
                yield ChangePart(op=op, text=text, marks=marks)
