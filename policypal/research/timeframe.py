"""Periods in a person's words: "the last 12 months", "since March 2024" (W2). The clock is always the caller's."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, timedelta

_NUMBERS = {
    w: n for n, w in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
} | {"a": 1, "couple of": 2, "few": 3, "several": 3, "eighteen": 18, "twenty-four": 24}  # fmt: skip
_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name} | {
    name.lower(): n for n, name in enumerate(calendar.month_abbr) if name
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_COUNT = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_BACK = re.compile(
    rf"\b(?:last|past|previous|recent)\s+(?:(?P<count>\d{{1,3}}|{_COUNT})\s+)?(?P<unit>day|week|month|quarter|year|decade)s?\b",
    re.IGNORECASE,
)
_DAY = rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?:(?P<day>\d{{1,2}})\.?\s+)?(?:(?P<month>{_MONTH})\.?\s+)?(?P<year>(?:19|20)\d\d))(?!\d)"
_SINCE = re.compile(
    rf"\b(?:since|after|from|starting|beginning|between|in|during)\s+(?:the\s+)?(?:beginning of\s+|start of\s+)?{_DAY}",
    re.IGNORECASE,
)
_THIS = re.compile(r"\b(?:this|current)\s+(?P<unit>month|quarter|year)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:latest|newest|new|recent(?:ly)?|current(?:ly)?|upcoming|forthcoming|today|now|in force|to date|so far|historical(?:ly)?|"
    r"next (?:\w+ )?(?:months?|quarters?|years?)|whatever its date|at any time|over time)\b",
    re.IGNORECASE,
)


def names_period(text: str) -> bool:
    """Whether ``text`` says anything about time: a year, "the last 12 months", "new", "in force"."""
    return any(pattern.search(text) for pattern in (_BACK, _SINCE, _THIS, _OTHER))


def since_of(texts: Sequence[str], today: date) -> str:
    """The first day of the period that the first of ``texts`` names that names one, as an ISO date; empty where none does,
    or where it would begin after ``today``."""
    for text in texts:
        first = _first_day(text, today)
        if first is not None and first <= today:
            return first.isoformat()
    return ""


def months_before(day: date, months: int) -> date:
    """The same day so many months earlier, or the month's last; the calendar's first day where there is none."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    if year < 1:
        return date.min
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def in_words(day: date) -> str:
    """ "22 November 2025", in English whatever the machine's locale says."""
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"


def _first_day(text: str, today: date) -> date | None:
    if match := _SINCE.search(text):
        return _written(match)
    if match := _BACK.search(text):
        return _back(match, today)
    if match := _THIS.search(text):
        starts = {"year": 1, "quarter": (today.month - 1) // 3 * 3 + 1, "month": today.month}
        return date(today.year, starts[match["unit"].lower()], 1)
    return None


def _written(match: re.Match[str]) -> date | None:
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
        month = _MONTHS[match["month"].lower()] if match["month"] else 1
        return date(int(match["year"]), month, int(match["day"] or 1) if match["month"] else 1)
    except ValueError:  # the 31st of February is no day
        return None


def _back(match: re.Match[str], today: date) -> date:
    said = (match["count"] or "1").lower()
    count = int(said) if said.isdecimal() else _NUMBERS[said]
    unit = match["unit"].lower()
    if unit in ("day", "week"):
        return today - timedelta(days=count * (7 if unit == "week" else 1))
    return months_before(today, count * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit])
