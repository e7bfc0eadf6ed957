"""What a research goal says, read without a model: its subject, what it asks, what it leaves open (W2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from policypal.answer.questions import is_generic
from policypal.answer.rewrite_query import clean
from policypal.domain.research import Aspect
from policypal.domain.text import storable
from policypal.errors import InvalidInput
from policypal.request.words import singular
from policypal.research.disclosure import request_without_draft
from policypal.research.goal_wording import (
    BREAK,
    BROAD,
    COMPARED,
    COMPARES,
    CONTINUES,
    DEFINITE,
    DEPTH,
    LISTED,
    NOT_SUBJECT,
    OURS,
    TOPIC_ACRONYMS,
    USE,
    WHOM,
)
from policypal.research.timeframe import names_period
from policypal.search.synonyms import SYNONYMS
from policypal.search.terms import STOP_WORDS, terms

MAX_GOAL_CHARACTERS = 10_000
_MANY = 4
ASPECTS: tuple[Aspect, ...] = ("scope", "timeframe", "depth", "use")

_WORD = re.compile(r"[^\W_]+(?:[-.'’/][^\W_]+)*")


def checked_goal(goal: str) -> str:
    """``goal`` as it is stored. Raises InvalidInput: it is empty, says nothing, or is a document rather than a goal."""
    goal = storable(goal).strip()
    if len(goal) > MAX_GOAL_CHARACTERS:
        raise InvalidInput(
            f"The goal has {len(goal):,} characters; at most {MAX_GOAL_CHARACTERS:,} are possible. Please add long texts to the "
            "library as documents, and say in a few sentences what the report is to find out."
        )
    if len([c for c in goal if c.isalpha()]) < 2:
        raise InvalidInput("Please say in a sentence or two what the report is to find out.")
    return goal


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal as it was read. ``words`` are those of its subject, ``parts`` what it asks piece by piece, ``subjects`` how
    many unrelated ones it has. ``asks``: there is a question in it, or something to do; ``half_asked``: it compares, but
    does not say what. ``stated`` is what it says of scope, timeframe, depth and use; ``broad``: it wants everything there is."""

    words: tuple[str, ...]
    parts: tuple[str, ...]
    subjects: int
    asks: bool
    half_asked: bool
    stated: frozenset[Aspect]
    broad: bool

    @property
    def missing(self) -> list[Aspect]:
        """What it leaves open, in the order in which it is asked for."""
        return [aspect for aspect in ASPECTS if aspect not in self.stated]


def read_goal(goal: str, *, names_documents: bool) -> Goal:
    """Read a goal; ``names_documents``: it names documents of the library."""
    asked = request_without_draft(goal)
    parts = _parts(asked)
    stated = _stated(asked, names_documents)
    compares = COMPARES.search(asked) is not None
    return Goal(
        words=tuple(subject_words(asked)),
        parts=tuple(parts),
        subjects=max(_groups(parts), _listed(asked)),
        asks=DEFINITE.search(asked) is not None,
        half_asked=compares and "scope" not in stated and not COMPARED.search(asked),
        stated=stated,
        broad=BROAD.search(asked) is not None,
    )


def subject_words(text: str) -> list[str]:
    """The words of ``text`` that carry its subject, in order, without those that only say what to do with it."""
    found: dict[str, str] = {}
    for word in _WORD.findall(clean(text)):
        if word.lower() not in STOP_WORDS and _carries(word):
            found.setdefault(word.lower(), word)
    return list(found.values())


def _carries(word: str) -> bool:
    found = terms(word)
    is_filler = word.isdecimal() or bool({word.lower(), singular(word.lower())} & NOT_SUBJECT)
    return bool(found) and not is_filler and not all(is_generic(t) for t in found)


def _stated(text: str, names_documents: bool) -> frozenset[Aspect]:
    found: dict[Aspect, bool] = {
        "scope": names_documents or bool(OURS.search(text) or WHOM.search(text)) or _has_proper_name(text),
        "timeframe": names_period(text),
        "depth": DEPTH.search(text) is not None,
        "use": USE.search(text) is not None,
    }
    return frozenset(aspect for aspect, is_stated in found.items() if is_stated)


def _has_proper_name(text: str) -> bool:
    """A capitalised word inside a sentence that is otherwise not: a country, an authority, a law."""
    inside = [w for sentence in re.split(r"(?<=[.?!:])\s+|\n+", text) for w in _WORD.findall(sentence)[1:]]
    names = [w for w in inside if w[0].isupper() and w not in TOPIC_ACRONYMS and w != "I"]
    telling = [w for w in inside if w.lower() not in STOP_WORDS]
    first = _WORD.findall(text)[:1]
    acronym = bool(first) and len(first[0]) > 2 and first[0].isupper() and first[0] not in TOPIC_ACRONYMS
    if acronym and inside and not text.isupper():
        return True
    return bool(names) and len(names) < len(telling)


def _parts(text: str) -> list[str]:
    """What is asked, piece by piece; a piece that only says how is left with the one before."""
    parts: list[str] = []
    for piece in filter(None, (p.strip(" ,") for p in BREAK.split(text))):
        if not parts or (subject_words(piece) and not CONTINUES.match(piece)):
            parts.append(piece)
        else:
            parts[-1] = f"{parts[-1]} {piece}"
    return parts


def _groups(parts: Sequence[str]) -> int:
    """How many pieces remain when those whose subjects share a word, or words that stand for each other, are put together."""
    groups: list[set[str]] = []
    for part in parts:
        said = set(terms(" ".join(subject_words(part))))
        if not said:
            continue
        own = said.union(*(SYNONYMS.get(term, frozenset()) for term in said))
        joined = [g for g in groups if g & own]
        groups = [g for g in groups if not g & own] + [own.union(*joined)]
    return max(len(groups), 1)


def _listed(text: str) -> int:
    """How many subjects a list names: "about outsourcing, data protection, AML and cloud". Four or more are several, unless
    something follows that they are aspects of."""
    match = LISTED.search(text)
    if match is None:
        return 1
    items = [i.strip() for i in re.split(r",\s*(?:and\s+|or\s+)?|\s+and\s+", match[1]) if i.strip()]
    is_of_one = re.search(r"\b(?:for|of|under|in|to|by)\b", items[-1], re.IGNORECASE) is not None
    return 1 if is_of_one or len(items) < _MANY else len(items) // 2
