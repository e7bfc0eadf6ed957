"""What a research goal says, read without a model: its subject, its period, what it asks, what it leaves open (W2).

Only what can be counted is read: words that carry a subject, a question, dates, documents of the library. Whether the goal is a
good one is not judged by rules; what it leaves open is asked.
"""

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from policypal.answer.queries import clean
from policypal.answer.questions import is_generic
from policypal.domain.research import Aspect
from policypal.domain.text import storable
from policypal.errors import InvalidInput
from policypal.request.words import NOUNS, ONLY_IN_NAMES, singular
from policypal.research.disclosure import request_without_draft
from policypal.search.fitted import ASKING
from policypal.search.terms import STOP_WORDS, terms
from policypal.text.quantities import number_value

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


_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name}
_BACK = re.compile(
    r"\b(?:last|past|previous|recent)\s+(?:(?P<count>[\w-]{1,12})\s+)?(?P<unit>day|week|month|quarter|year|decade)s?\b",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:since|after|from|starting|beginning|between|in|during)\s+(?:the\s+)?(?:(?:beginning|start) of\s+)?"
    rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?:(?:(?P<day>\d{{1,2}})\s+)?(?P<month>{'|'.join(_MONTHS)})\s+)?(?P<year>(?:19|20)\d\d))(?!\d)",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\b(?:(?:19|20)\d\d|(?:this|next) (?:\w+ )?(?:months?|quarters?|years?)|latest|newest|new|recent(?:ly)?|current(?:ly)?|today|now|in force|over time)\b",
    re.IGNORECASE,
)
_UNIT_DAYS = {"day": 1, "week": 7}
_UNIT_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


def names_period(text: str) -> bool:
    """Whether ``text`` says anything about time: a year, "the last 12 months", "new", "in force"."""
    return any(pattern.search(text) for pattern in (_BACK, _SINCE, _SAID))


def since_of(texts: Sequence[str], today: date) -> str:
    """The first day of the period that the first of ``texts`` names that names one ("since March 2024"), as an ISO date; empty
    where none does, or where it would begin after ``today``."""
    days = (day for text in texts if (day := _first_day(text, today)) is not None and day <= today)
    return next((day.isoformat() for day in days), "")


def months_before(day: date, months: int) -> date:
    """The same day so many months earlier, or the month's last; the calendar's first day where there is none."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    if year < 1:
        return date.min
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def in_words(day: date) -> str:
    """ "22 November 2025"."""
    return f"{day.day} {day:%B %Y}"


def _first_day(text: str, today: date) -> date | None:
    if since := _SINCE.search(re.sub(r"\bthis year\b", f"since {today.year}", text, flags=re.IGNORECASE)):
        try:
            if since["iso"]:
                return date.fromisoformat(since["iso"])
            month = _MONTHS[since["month"].lower()] if since["month"] else 1
            return date(int(since["year"]), month, int(since["day"] or 1))
        except ValueError:  # the 31st of February is no day
            return None
    back = _BACK.search(text)
    count = number_value(back["count"] or "one") if back else None
    if back is None or count is None:  # "the last few years": nobody knows how many
        return None
    unit = back["unit"].lower()
    if unit in _UNIT_MONTHS:
        return months_before(today, int(count) * _UNIT_MONTHS[unit])
    return today - timedelta(days=min(int(count) * _UNIT_DAYS[unit], today.toordinal() - 1))
