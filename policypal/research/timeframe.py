"""Periods in a person's words: "the last 12 months", "since March 2024" (W2). The clock is always the caller's."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, timedelta

from policypal.text.quantities import number_value

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
_UNIT_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


def names_period(text: str) -> bool:
    """Whether ``text`` says anything about time: a year, "the last 12 months", "new", "in force"."""
    return any(pattern.search(text) for pattern in (_BACK, _SINCE, _SAID))


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
    """ "22 November 2025"."""
    return f"{day.day} {day:%B %Y}"


def _first_day(text: str, today: date) -> date | None:
    if match := _SINCE.search(re.sub(r"\bthis year\b", f"since {today.year}", text, flags=re.IGNORECASE)):
        return _written(match)
    match = _BACK.search(text)
    return _back(match, today) if match else None


def _written(match: re.Match[str]) -> date | None:
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
        month = _MONTHS[match["month"].lower()] if match["month"] else 1
        return date(int(match["year"]), month, int(match["day"] or 1))
    except ValueError:  # the 31st of February is no day
        return None


def _back(match: re.Match[str], today: date) -> date | None:
    count = number_value(match["count"] or "one")
    if count is None:  # "the last few years": nobody knows how many
        return None
    unit = match["unit"].lower()
    if unit in ("day", "week"):
        return today - timedelta(days=min(int(count), today.toordinal() // 7 - 1) * (7 if unit == "week" else 1))
    return months_before(today, int(count) * _UNIT_MONTHS[unit])
