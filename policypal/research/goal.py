"""What a research goal says, read without a model: the words of its subject, its depth, its period (W2).

Only what can be counted or calculated is read. Whether the goal is a good one is not judged by rules; what it leaves open is asked.
"""

import calendar
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Literal

from policypal.answer.queries import clean
from policypal.answer.questions import content_terms
from policypal.domain.text import storable
from policypal.errors import InvalidInput
from policypal.request.words import NOUNS, ONLY_IN_NAMES, singular
from policypal.search.fitted import ASKING
from policypal.text.quantities import number_value

Depth = Literal["short", "standard", "deep"]

MAX_GOAL_CHARACTERS = 10_000
_DOCUMENTS = NOUNS.keys() - ONLY_IN_NAMES
_OF_ASKING = 2 / 3
"""Words that tell so much less of a subject than others only ask for it, as the ranking was fitted (docs/decisions/0009)."""
_WORD = re.compile(r"[^\W_]+(?:[-.'’/][^\W_]+)*")
_DEEP = re.compile(r"\b(?:in[- ]depth|detailed|comprehensive|thorough|every(?:thing)?)\b", re.IGNORECASE)
_SHORT = re.compile(r"\b(?:short|brief(?:ly)?|overview|summar(?:y|i[sz]e))\b", re.IGNORECASE)


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


def depth_of(text: str) -> Depth | None:
    """How deep a report is to go by these words; None where they do not say."""
    return "deep" if _DEEP.search(text) else "short" if _SHORT.search(text) else None


def subject_words(text: str) -> list[str]:
    """The words of ``text`` that carry its subject, in order, without those that only ask or call a document."""
    return list({word.lower(): word for word in _WORD.findall(clean(text)) if _carries(word)}.values())


def _carries(word: str) -> bool:
    if word.isdecimal() or {word.lower(), singular(word.lower())} & _DOCUMENTS:
        return False
    return any(ASKING.get(term, 1.0) >= _OF_ASKING for term in content_terms(word))


_BACK = re.compile(
    r"\b(?:last|past|previous)\s+(?:(?P<count>[\w-]{1,12})\s+)?(?P<unit>day|week|month|quarter|year)s?\b", re.IGNORECASE
)
_SINCE = re.compile(
    r"\b(?:since|after|from|between)\s+(?:the\s+)?(?:beginning of\s+)?"
    r"(?P<day>\d{4}-\d\d-\d\d|(?:(?:\d{1,2}\s+)?[A-Z][a-z]{2,8}\s+)?(?:19|20)\d\d)(?!\d)"
)
_FORMATS = ("%Y-%m-%d", "%d %B %Y", "%B %Y", "%Y")
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def since_of(texts: Sequence[str], today: date) -> str:
    """The first day of the period that the first of ``texts`` names that names one ("since March 2024", "the last two years"), as an ISO
    date; empty where none does, or where it would begin after ``today``."""
    days = (day for text in texts if (day := _first_day(text, today)) is not None and day <= today)
    return next((day.isoformat() for day in days), "")


def months_before(day: date, months: int) -> date:
    """The same day so many months earlier, or the month's last; the calendar's first day where there is none."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1])) if year > 0 else date.min


def in_words(day: date) -> str:
    """ "22 November 2025"."""
    return f"{day.day} {day:%B %Y}"


def _first_day(text: str, today: date) -> date | None:
    if since := _SINCE.search(text):
        return next((day for form in _FORMATS if (day := _parsed(since["day"], form))), None)
    back = _BACK.search(text)
    count = number_value(back["count"] or "one") if back else None
    if back is None or count is None:  # "the last few years": nobody knows how many
        return None
    unit = back["unit"].lower()
    if unit in _MONTHS:
        return months_before(today, int(count) * _MONTHS[unit])
    return today - timedelta(days=min(int(count) * _DAYS[unit], today.toordinal() - 1))


def _parsed(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()
    except ValueError:  # another form; or the 31st of February, which is no day
        return None
