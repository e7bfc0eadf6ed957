"""What a research goal says, read without a model: its subject, what it asks, what it leaves open (W2).

Only what can be counted is read: words that carry a subject, a question, dates, documents of the library. Whether the goal is a
good one is not judged by rules; what it leaves open is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from policypal.answer.questions import is_generic
from policypal.answer.rewrite_query import clean
from policypal.domain.research import Aspect
from policypal.domain.text import storable
from policypal.errors import InvalidInput
from policypal.request.words import NOUNS, ONLY_IN_NAMES, singular
from policypal.research.disclosure import request_without_draft
from policypal.research.timeframe import names_period
from policypal.search.fitted import ASKING
from policypal.search.terms import STOP_WORDS, terms

Depth = Literal["short", "standard", "deep"]

MAX_GOAL_CHARACTERS = 10_000
ASPECTS: tuple[Aspect, ...] = ("scope", "timeframe", "depth", "use")

_TASKS = frozenset(
    "compare contrast identify list assess evaluate explain outline map summarize summarise check determine recommend rank verify quantify".split()
)
_QUESTION_WORDS = frozenset("what which who whom whose how when where why whether".split())
_NOT_SUBJECT = _TASKS | (NOUNS.keys() - ONLY_IN_NAMES) | frozenset(
    "research analyse analyze analysis write draft prepare report help tell show discuss overview summary briefing table change changed difference "
    "law legal regulatory regulator supervisor authority company library thing info information topic area question latest new recent relevant".split()
)  # fmt: skip
_OF_ASKING = 2 / 3
"""Words that tell so much less of a subject than others only ask for it, as the ranking was fitted (docs/decisions/0009)."""
_WORD = re.compile(r"[^\W_]+(?:[-.'’/][^\W_]+)*")
_DEPTHS: dict[Depth, re.Pattern[str]] = {
    "standard": re.compile(r"\bstandard report\b", re.IGNORECASE),
    "deep": re.compile(
        r"\b(?:in[- ]depth|deep[- ]dive|detailed|comprehensive|exhaustive|thorough|every(?:thing)?|worldwide|full analysis)\b", re.IGNORECASE
    ),
    "short": re.compile(r"\b(?:short|brief(?:ly)?|overview|concise|one[- ]page|summar(?:y|i[sz]e))\b", re.IGNORECASE),
}  # fmt: skip
_USE = re.compile(
    r"\b(?:for (?:the|our|my|an?) (?:\w+ )?(?:board|management|committee|audit|inspection|training|staff|team|update|meeting)|in order to|so that)\b",
    re.IGNORECASE,
)


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
    """A goal as it was read. ``words`` are those of its subject; ``asks``: there is a question in it, or something to do;
    ``stated``: what it says of scope, timeframe, depth and use; ``depth``: how deep it wants to go, None where it does not say."""

    words: tuple[str, ...]
    asks: bool
    stated: frozenset[Aspect]
    depth: Depth | None

    @property
    def missing(self) -> list[Aspect]:
        """What it leaves open, in the order in which it is asked for."""
        return [aspect for aspect in ASPECTS if aspect not in self.stated]


def read_goal(goal: str, *, names_documents: bool) -> Goal:
    """Read a goal; ``names_documents``: it names documents of the library."""
    asked = request_without_draft(goal)
    depth = depth_of(asked)
    stated: dict[Aspect, bool] = {
        "scope": names_documents, "timeframe": names_period(asked), "depth": depth is not None, "use": _USE.search(asked) is not None,
    }  # fmt: skip
    return Goal(
        words=tuple(subject_words(asked)),
        asks="?" in asked or bool({w.lower() for w in _WORD.findall(asked)} & (_TASKS | _QUESTION_WORDS)),
        stated=frozenset(aspect for aspect, is_stated in stated.items() if is_stated),
        depth=depth,
    )


def depth_of(text: str) -> Depth | None:
    """How deep a report is to go by these words; None where they do not say."""
    return next((depth for depth, words in _DEPTHS.items() if words.search(text)), None)


def subject_words(text: str) -> list[str]:
    """The words of ``text`` that carry its subject, in order, without those that only say what to do with it."""
    found: dict[str, str] = {}
    for word in _WORD.findall(clean(text)):
        if word.lower() not in STOP_WORDS and _carries(word):
            found.setdefault(word.lower(), word)
    return list(found.values())


def _carries(word: str) -> bool:
    found = terms(word)
    is_filler = word.isdecimal() or bool({word.lower(), singular(word.lower())} & _NOT_SUBJECT)
    return bool(found) and not is_filler and not all(is_generic(t) or ASKING.get(t, 1.0) < _OF_ASKING for t in found)
