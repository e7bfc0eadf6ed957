"""Numbers that carry obligations: durations, frequencies, percentages, amounts, dates (A4, A6, C2)."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum


class QuantityKind(StrEnum):
    """What is measured; quantities of different kinds are never compared."""

    DURATION = "duration"
    FREQUENCY = "frequency"
    PERCENT = "percent"
    MONEY = "money"
    DATE = "date"
    NUMBER = "number"


class Bound(StrEnum):
    """The comparison the text states. ABOVE/BELOW are strict ("exceeding", "less than"), usually thresholds."""

    AT_LEAST = "at least"
    AT_MOST = "at most"
    ABOVE = "above"
    BELOW = "below"
    UNSTATED = "unstated"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity at ``source[start:end] == text``.

    ``value`` is in days for durations (infinity for "forever"), in days between occurrences for frequencies, in
    percent, in whole currency units, a proleptic ordinal for dates, or plain. ``unit`` is what the text counts
    in: "business days", "months", "%", "EUR", "date", or the noun counted.
    """

    kind: QuantityKind
    value: float
    unit: str
    text: str
    start: int
    end: int
    bound: Bound = Bound.UNSTATED

    @property
    def unbounded(self) -> bool:
        return math.isinf(self.value)


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORD_VALUES: dict[str, int] = {
    **{w: i for i, w in enumerate(_SMALL)},
    **{w: 10 * i for i, w in enumerate(_TENS, start=2)},
    **{f"{t}-{u}": 10 * i + j for i, t in enumerate(_TENS, start=2) for j, u in enumerate(_SMALL[1:10], start=1)},
}
_BELOW_HUNDRED = rf"(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_SMALL[1:10])})\b)?|{'|'.join(reversed(_SMALL))}"
_HUNDREDS = rf"(?:(?:{'|'.join(_SMALL[1:10])}) )?hundred(?: and (?:{_BELOW_HUNDRED}))?"
_WORDS = rf"{_HUNDREDS}|{_BELOW_HUNDRED}"
_DIGITS = r"\d{1,3}(?:[,  ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = rf"(?:{_DIGITS}|{_WORDS})"
_COUNT = rf"(?P<n>{_NUMBER})(?:\s*\(\s*(?P<p>{_NUMBER})\s*\))?"

_UNIT_DAYS = {"second": 1 / 86400, "minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "fortnight": 14.0}
_UNIT_DAYS |= {"month": 30.44, "quarter": 91.3, "year": 365.25}
_BUSINESS_DAY = 1.4
"""Calendar days per business day, so that five business days and a week compare as equal."""
_QUALIFIER = r"(?:(?:consecutive|clear|full|complete|further|additional|preceding|previous)[\s-]+)?(?:(?P<q>business|working|banking|trading|calendar|consecutive|clear|full)[\s-]+)?"
_UNIT = r"(?P<u>second|minute|hour|day|week|fortnight|month|quarter|year)s?\b"
_DURATION = re.compile(rf"\b{_COUNT}[\s-]*{_QUALIFIER}{_UNIT}", re.I)
_ONE_UNIT = re.compile(rf"(?:\bwithin|\bfor|\bof|\bthan|\bin)\s+(?P<n>an?)\s+{_QUALIFIER}{_UNIT}", re.I)
_UNBOUNDED = re.compile(
    r"\b(?:forever|indefinite(?:ly)?|permanently|in perpetuity|perpetually|for all time|never[- ]ending|"
    r"(?:without|with no|no) (?:any )?(?:time|retention) limits?(?:ation)?|for an? (?:unlimited|indefinite) (?:period|time|duration)|"
    r"as long as (?:we|the company|the bank|the firm|the business) (?:like|want|wish|choose|see fit|sees fit|please)s?|"
    r"never (?:be )?(?:delet|eras|destroy|purg|dispos)\w*)",
    re.I,
)

_OCCASIONS = (
    r"review|audit|assessment|training|test|basis|report|attestation|certification|declaration|exercise|refresher|"
    r"evaluation|reconciliation|statement|check|update|return|interval|confirmation|course|session"
)
_PERIOD_WORDS: list[tuple[str, float]] = [
    (r"semi[- ]?annual(?:ly)?|half[- ]?yearly|bi-?annual(?:ly)?|twice (?:a|per|each|every) year", 182.6),
    (r"biennial(?:ly)?|every (?:other|second) year|two[- ]yearly", 730.5),
    (r"triennial(?:ly)?|three[- ]yearly", 1095.75),
    (r"(?:once )?(?:annually|yearly|(?:a|per|each|every) year|per annum)", 365.25),
    (rf"annual(?= (?:\w+ ){{0,2}}(?:{_OCCASIONS}))", 365.25),
    (r"quarterly|(?:once )?(?:a|per|each|every) quarter", 91.3),
    (r"monthly|once (?:a|per) (?:calendar )?month|(?:each|every) (?:calendar )?month", 30.44),
    (r"fortnightly|every (?:other|second) week", 14.0),
    (r"weekly|once (?:a|per) week|(?:each|every) week", 7.0),
    (r"daily|(?:once (?:a|per)|each|every) (?:calendar |business |working )?day", 1.0),
]
_PERIODS = [(re.compile(rf"\b(?:{p})\b", re.I), days) for p, days in _PERIOD_WORDS]
_EVERY = re.compile(rf"\b(?:every|each|once (?:in |per )?(?:every)?)\s+{_COUNT}[\s-]*{_QUALIFIER}{_UNIT}", re.I)
_TIMES = re.compile(rf"\b(?:{_COUNT} times|(?P<twice>twice)) (?:a|per|each|every) {_UNIT}", re.I)

_PERCENT = re.compile(
    rf"\b{_COUNT}\s*(?:(?P<pc>%|per\s?cent\b|percent\b|percentage points?\b)|(?P<bp>basis points\b|bps\b))", re.I
)
_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "b": 1e9}
_SCALES |= {"lakh": 1e5, "crore": 1e7}
_SCALE = r"(?:\s?(?P<s>thousand|lakh|million|crore|billion|mn|bn|[kmb])\b)?"
_CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}
_CURRENCIES |= {"euro": "EUR", "dollar": "USD", "pound": "GBP", "rupee": "INR"}
_CODES = r"EUR|USD|GBP|CHF|JPY|MYR|RM|SGD|AED|INR|AUD|CAD|HKD|CNY|NOK|SEK|DKK|PLN|ZAR|BRL"
_MONEY = re.compile(rf"(?P<c>[€$£¥]|\b(?:{_CODES})\b)\s?(?P<n>{_DIGITS}){_SCALE}", re.I)
_MONEY_AFTER = re.compile(
    rf"\b(?P<n>{_NUMBER}){_SCALE}\s?(?P<c>[€£]|(?:{_CODES})\b|(?:euro|dollar|pound|rupee)s?\b)", re.I
)

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = rf"(?P<mon>{'|'.join(_MONTHS)})"
_DATES = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})\b"),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: day of| of)? {_MONTH}(?:,? (?P<y>\d{{4}}))?\b", re.I),
    re.compile(rf"\b{_MONTH} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>\d{{4}}))?\b", re.I),
)
_PLAIN = re.compile(rf"(?<![\w.,/(§-])(?P<n>{_NUMBER})(?![\w.)/%]|,\d|[-–]\d)(?:[\s-]+(?P<noun>[a-z][a-z-]+))?", re.I)
_REFERENCE = re.compile(
    r"(?:articles?|arts?\.?|sections?|paragraphs?|paras?\.?|regulations?|no\.?|chapters?|annex(?:es)?|points?|parts?|"
    r"pages?|appendix|schedules?|principles?|rules?|clauses?|directives?|act|standards?|version|title|table|figure|"
    r"recitals?|steps?|levels?|tiers?|and|or|to|through)\s*$",
    re.I,
)

_BY = re.compile(r"\bby\s*\Z", re.I)
"""Before a count no limit: "signed by two directors", "protected by two-factor authentication"."""

_NOT_LESS = (
    r"(?:\b(?:no|not|nor)|n't)(?: be)?(?: any)? (?:less|fewer|lower|shorter|earlier|smaller)(?: in number)?(?: than)?"
)
_NOT_MORE = r"(?:\b(?:no|not|nor)|n't)(?: be)?(?: any)? (?:more|later|longer|greater|higher|larger)(?: than)?"
_GAP = r"(?:\s+(?:a|an|the|of|period|periods|total|amount|is|be|to|at|that|in|once|every|each|one|additional|further|next|first)){0,4}\s*[(]?$"
_BEFORE: list[tuple[Bound, re.Pattern[str]]] = [
    (Bound.AT_LEAST, re.compile(rf"(?:{_NOT_LESS}|\b(?:at least|at a minimum|minimum|min\.?|or more than)){_GAP}", re.I)),
    (
        Bound.AT_MOST,
        re.compile(
            rf"(?:{_NOT_MORE}|\b(?:not (?:to )?exceed(?:ing)?|never exceeds?|within|at most|maximum|max\.?|up to|at the latest|by|"
            rf"(?:no|not) beyond|limited to|capped at|before the end)){_GAP}",
            re.I,
        ),
    ),
    (Bound.ABOVE, re.compile(rf"\b(?:more than|over|above|exceed(?:s|ing)?|in excess of|greater than|longer than|beyond){_GAP}", re.I)),
    (Bound.BELOW, re.compile(rf"\b(?:less than|fewer than|below|under|lower than|shorter than){_GAP}", re.I)),
]  # fmt: skip
_AFTER: list[tuple[Bound, re.Pattern[str]]] = [
    (Bound.AT_LEAST, re.compile(r"^\s*(?:or (?:more|longer|above|greater|over|higher)|as a minimum|at a minimum|at least|minimum\b)", re.I)),
    (
        Bound.AT_MOST,
        re.compile(r"^\s*(?:or (?:less|fewer|below|lower|sooner|earlier)|at (?:the )?(?:most|latest)|maximum\b|as a maximum)", re.I),
    ),
]  # fmt: skip


def find_quantities(text: str) -> list[Quantity]:
    """Every quantity of ``text`` in reading order; spans do not overlap, the more specific kind wins (A6)."""
    taken: list[Quantity] = []
    covered = bytearray(len(text))
    lower = text.lower()
    for hints, finder in _FINDERS:
        if not any(hint in lower or (hint.isupper() and hint in text) for hint in hints):
            continue
        for found in finder(text):
            if not any(covered[found.start : found.end]):
                covered[found.start : found.end] = b"\1" * (found.end - found.start)
                taken.append(found)
    return sorted(taken, key=lambda q: q.start)


def without_quantities(text: str, quantities: Sequence[Quantity]) -> str:
    """``text`` with its ``quantities`` blanked out by spaces, so that subject matter can be compared without them."""
    for quantity in quantities:
        text = text[: quantity.start] + " " * (quantity.end - quantity.start) + text[quantity.end :]
    return text


def number_value(word: str) -> float | None:
    """The value of digits or an English number word up to nine hundred and ninety-nine; None for anything else."""
    cleaned = re.sub(r"[,  ](?=\d{3})", "", word.strip().lower())
    if re.fullmatch(r"\d+(?:\.\d+)?", cleaned):
        return float(cleaned)
    hundreds, hundred, rest = cleaned.rpartition("hundred")
    below = _WORD_VALUES.get(re.sub(r"[\s-]+", "-", rest.removeprefix(" and").strip() or "zero"))
    above = 100 * _WORD_VALUES.get(hundreds.strip() or "one", 1) if hundred else 0
    return None if below is None else float(above + below)


def bound_at(text: str, start: int, end: int) -> Bound:
    """The comparison stated around the span, or UNSTATED."""
    after = text[end : end + 30]
    for bound, pattern in _AFTER:
        if pattern.search(after):
            return bound
    before = text[max(0, start - 60) : start]
    return next((bound for bound, pattern in _BEFORE if pattern.search(before)), Bound.UNSTATED)


def bound_start(text: str, start: int) -> int:
    """Where the words begin that bound the quantity at ``start`` from before ("no later than 24 hours"); ``start`` if there are none."""
    begin = max(0, start - 60)
    found = (pattern.search(text[begin:start]) for _, pattern in _BEFORE)
    return min((begin + match.start() for match in found if match), default=start)


def _quantity(kind: QuantityKind, value: float, unit: str, text: str, start: int, end: int) -> Quantity:
    return Quantity(kind, value, unit, text[start:end], start, end, bound_at(text, start, end))


def _counted(match: re.Match[str]) -> float:
    groups = match.groupdict()
    value = number_value(groups.get("p") or groups["n"] or "")
    return 1.0 if value is None else value


def _unit_days(match: re.Match[str]) -> tuple[str, float]:
    unit, qualifier = match["u"].lower(), (match["q"] or "").lower()
    if unit == "day" and qualifier in ("business", "working", "banking", "trading"):
        return "business days", _BUSINESS_DAY
    return f"{unit}s", _UNIT_DAYS[unit]


def _durations(text: str) -> Iterator[Quantity]:
    for match in _DURATION.finditer(text):
        unit, days = _unit_days(match)
        yield _quantity(QuantityKind.DURATION, _counted(match) * days, unit, text, *match.span())
    for match in _ONE_UNIT.finditer(text):
        unit, days = _unit_days(match)
        yield _quantity(QuantityKind.DURATION, days, unit, text, match.start("n"), match.end())
    for match in _UNBOUNDED.finditer(text):
        yield Quantity(QuantityKind.DURATION, math.inf, "unbounded", match.group(), *match.span())


def _frequencies(text: str) -> Iterator[Quantity]:
    for match in _EVERY.finditer(text):
        unit, days = _unit_days(match)
        yield _quantity(QuantityKind.FREQUENCY, _counted(match) * days, unit, text, *match.span())
    for match in _TIMES.finditer(text):
        times = 2.0 if match["twice"] else max(_counted(match), 1.0)
        days = _UNIT_DAYS[match["u"].lower()]
        yield _quantity(QuantityKind.FREQUENCY, days / times, f"{match['u'].lower()}s", text, *match.span())
    for pattern, days in _PERIODS:
        for match in pattern.finditer(text):
            yield _quantity(QuantityKind.FREQUENCY, days, "days", text, *match.span())


def _percents(text: str) -> Iterator[Quantity]:
    for match in _PERCENT.finditer(text):
        value = _counted(match) / (100 if match["bp"] else 1)
        yield _quantity(QuantityKind.PERCENT, value, "%", text, *match.span())


def _money(text: str) -> Iterator[Quantity]:
    for pattern in (_MONEY, _MONEY_AFTER):
        for match in pattern.finditer(text):
            unit = match["c"].lower().removesuffix("s")
            scale = _SCALES.get((match["s"] or "").lower(), 1.0)
            value = number_value(match["n"]) or 0.0
            currency = _CURRENCIES.get(unit, match["c"].upper())
            yield _quantity(QuantityKind.MONEY, value * scale, currency, text, *match.span())


def _dates(text: str) -> Iterator[Quantity]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            day = _date(match)
            if day is not None:
                unit = "date" if match["y"] else "day of year"
                yield _quantity(QuantityKind.DATE, float(day.toordinal()), unit, text, *match.span())


def _date(match: re.Match[str]) -> date | None:
    groups = match.groupdict()
    month = int(groups["m"]) if groups.get("m") else _MONTHS.index(groups["mon"].lower()) + 1
    try:
        return date(int(groups["y"] or 4), month, int(groups["d"]))
    except ValueError:  # 31 June, month 13: not a date after all
        return None


def _numbers(text: str) -> Iterator[Quantity]:
    for match in _PLAIN.finditer(text):
        value = number_value(match["n"])
        if value is None or _is_reference(text, match, value):
            continue
        found = _quantity(QuantityKind.NUMBER, value, (match["noun"] or "").lower(), text, *match.span("n"))
        before = text[max(0, found.start - 8) : found.start]
        is_agent = found.bound is Bound.AT_MOST and _BY.search(before) is not None
        yield replace(found, bound=Bound.UNSTATED) if is_agent else found


def _is_reference(text: str, match: re.Match[str], value: float) -> bool:
    """Article numbers, years and numbering count nothing; neither does the pronoun "one"."""
    before = text[max(0, match.start() - 20) : match.start()]
    if match["n"][0].isalpha():
        return match["n"].lower() in ("one", "zero") and bound_at(text, *match.span("n")) is Bound.UNSTATED
    return bool(_REFERENCE.search(before)) or (1900 <= value <= 2100 and value == int(value)) or not before.strip()


# Cheap tests that spare most sentences of a regulation the expensive patterns.
_TIME_WORDS = (*_UNIT_DAYS, "annu", "ennial", "daily")
_ENDLESS = ("forever", "indefinit", "permanent", "perpet", "all time", "never", "limit", "as long as")
_MONEY_HINTS = (*_CURRENCIES, "RM", *(c.lower() for c in _CODES.split("|") if c != "RM"))
_DIGIT_HINTS = tuple("0123456789")
_FINDERS: list[tuple[tuple[str, ...], Callable[[str], Iterator[Quantity]]]] = [
    (_DIGIT_HINTS, _dates),
    (_MONEY_HINTS, _money),
    (("%", "cent", "basis point", "bps"), _percents),
    (_TIME_WORDS, _frequencies),
    ((*_TIME_WORDS, *_ENDLESS), _durations),
    ((*_DIGIT_HINTS, *_SMALL, *_TENS, "hundred"), _numbers),
]
