"""Quantities that a comparison of clauses needs beyond those of every text: physical units, ages, "the day before" (A4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from policypal.text.quantities import Bound, Quantity, QuantityKind, bound_at, number_value

_WORD = (
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine)\b)?|"
    r"(?:one )?hundred|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen"
)  # fmt: skip
_N = rf"(?:-?\d{{1,3}}(?:[,  \u202f]\d{{3}})+(?:\.\d+)?|-?\d+(?:\.\d+)?|(?:{_WORD})\b)"
AGE = "age"
"""The unit of ages, in years."""

_UNITS: list[tuple[str, str, str, float]] = [
    (r"°\s?C\b|℃", r"degrees?(?: celsius)?", "°c", 1.0),
    (r"°\s?F\b", r"degrees? fahrenheit", "°f", 1.0),
    (r"dB(?:\s?\(?[AC]\)?)?(?!\w)", r"decibels?", "db", 1.0),
    (r"km/h|kph", r"kilomet(?:re|er)s? (?:per|an) hour", "km/h", 1.0),
    (r"mph", r"miles? (?:per|an) hour", "km/h", 1.609),
    (r"m/s", r"met(?:re|er)s? per second", "km/h", 3.6),
    (r"mg/kg", r"milligrams? per kilogram", "g/kg", 0.001),
    (r"g/kg", r"grams? per kilogram", "g/kg", 1.0),
    (r"[µμ]g/m[3³]", r"micrograms? per cubic met(?:re|er)", "g/m3", 1e-6),
    (r"mg/m[3³]", r"milligrams? per cubic met(?:re|er)", "g/m3", 1e-3),
    (r"[µμ]g/[lL]", r"micrograms? per lit(?:re|er)", "g/l", 1e-6),
    (r"mg/[lL]", r"milligrams? per lit(?:re|er)", "g/l", 1e-3),
    (r"g/m[3³]", r"grams? per cubic met(?:re|er)", "g/m3", 1.0),
    (r"g/[lL]", r"grams? per lit(?:re|er)", "g/l", 1.0),
    (r"g/km", r"grams? per kilomet(?:re|er)", "g/km", 1.0),
    (r"m[3³]", r"cubic met(?:re|er)s?", "litre", 1000.0),
    (r"m[2²]|sqm", r"square met(?:re|er)s?", "m2", 1.0),
    (r"ha", r"hectares?", "m2", 10_000.0),
    (r"mm", r"millimet(?:re|er)s?", "m", 0.001),
    (r"cm", r"centimet(?:re|er)s?", "m", 0.01),
    (r"km", r"kilomet(?:re|er)s?", "m", 1000.0),
    (r"mi", r"miles?", "m", 1609.0),
    (r"ft", r"feet|foot", "m", 0.3048),
    (r"m", r"met(?:re|er)s?", "m", 1.0),
    (r"[µμ]g|mcg", r"micrograms?", "g", 1e-6),
    (r"mg", r"milligrams?", "g", 0.001),
    (r"kg", r"kilos?|kilograms?", "g", 1000.0),
    (r"t", r"tonnes?|(?:metric )?tons?", "g", 1e6),
    (r"g", r"grams?", "g", 1.0),
    (r"ml|mL", r"millilit(?:re|er)s?", "litre", 0.001),
    (r"l|L", r"lit(?:re|er)s?", "litre", 1.0),
    (r"kWh", r"kilowatt[- ]hours?", "wh", 1000.0),
    (r"MWh", r"megawatt[- ]hours?", "wh", 1e6),
    (r"kW", r"kilowatts?", "w", 1000.0),
    (r"MW", r"megawatts?", "w", 1e6),
    (r"W", r"watts?", "w", 1.0),
    (r"kV", r"kilovolts?", "v", 1000.0),
    (r"V", r"volts?", "v", 1.0),
    (r"bar", r"bars?", "bar", 1.0),
    (r"lx", r"lux", "lux", 1.0),
    (r"ppm", r"parts per million", "ppm", 1.0),
    (r"ppb", r"parts per billion", "ppm", 0.001),
    (r"mSv", r"millisieverts?", "sv", 0.001),
    (r"‰", r"per mille?|promille", "‰", 1.0),
]
"""Symbols (as written by convention), names, the base unit and the factor to it; compound units before simple ones."""
_UNIT = "|".join(rf"(?P<u{i}>(?:{symbols})|(?i:{names}))(?![\w/²³])" for i, (symbols, names, _, _) in enumerate(_UNITS))
_PHYSICAL = re.compile(
    rf"(?<![\w.])(?P<n>(?i:{_N}))(?:\s?(?:°\s?C)?\s*(?:to|and|or|-|–)\s*(?P<n2>(?i:{_N})))?[\s-]?(?:{_UNIT})"
)

_PEOPLE = r"persons?|people|anyone|anybody|everyone|children|child|minors?|customers?|clients?|consumers?|employees?|workers?|staff|pupils?|adults?|players?|users?|patients?|drivers?|visitors?|applicants?|guests?|members?|passengers?|participants?|students?|tenants?|interns?|volunteers?|operators?"
_COMPARED = r"(?:(?:at least|at most|over|under|above|below|between|from|of|to|than|less|more|younger|older|not|fewer|is|are|be|have|has|must|reached|attained|the|minimum)\s+)*"
_AGES = (
    re.compile(rf"\b(?:aged?|ages)\s+{_COMPARED}(?P<n>{_N})(?:\s*(?:to|and|-|–)\s*(?P<n2>{_N}))?(?:\s+years?)?(?!\s*(?:days|weeks|months|hours))", re.I),
    re.compile(rf"\b(?P<n>{_N})[- ]years?[- ](?:olds?\b|of age\b)", re.I),
    re.compile(rf"\b(?:{_PEOPLE})\s+(?:(?:who|that)\s+)?{_COMPARED}(?<=nder |over |elow |bove |than |east )(?P<n>{_N})(?=\s*(?:[.,;)]|$|years of age|to |in |with |as |from |and |or |may |must |shall |can|are |is ))", re.I),
    re.compile(r"\b(?:under|over)[- ](?P<n>\d{1,2})s\b", re.I),
)  # fmt: skip

_DAYS = {"day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 30.44, "quarter": 91.3, "year": 365.25, "hour": 1 / 24}
_BUSINESS_DAY = 1.4
_RELATIVE = re.compile(
    r"\b(?:(?:on |by |at )?(?P<before>(?:the )?(?:day (?:before|prior)|previous day|eve of))|"
    r"(?:the |by |on ){0,3}(?:end of (?:the )?)?(?:following|next)[- ](?P<q>business |working )?(?P<u>day|week|month|quarter|year)\b|"
    r"(?P<after>the day after)\b|(?:the |on ){0,2}(?P<same>same (?:business |working |calendar )?day)\b|"
    r"(?:by|at) the end of (?:the|that|each)(?: same)? (?P<end>week|month|quarter|year)\b|"
    r"half (?:an? )?(?P<half>hour|day|week|month|year)\b|"
    r"\b(?<!such )(?<!once )an? (?P<one>day|week|fortnight|month|quarter|year)(?= (?:after|before|in advance|prior|later|ahead|from|of notice|following)\b|['’]s?\b))",
    re.I,
)
_SHIFT_DAYS = 1 / 3
_RHYTHMS: list[tuple[re.Pattern[str], float]] = [
    (re.compile(rf"\b(?:{pattern})\b", re.I), days)
    for pattern, days in [
        (r"(?:(?:every|each) )?morning and (?:(?:every|each) )?(?:evening|night|afternoon)", 0.5),
        (r"hourly|(?:every|each) hour", 1 / 24),
        (r"(?:every|each|once (?:a|per)) shift", _SHIFT_DAYS),
        (r"nightly|(?:every|each) (?:morning|evening|night|working day)", 1.0),
        (r"(?:every|each|on) (?:mon|tues|wednes|thurs|fri|satur|sun)days?(?! of)", 7.0),
        (r"(?:every|each) (?:spring|summer|autumn|winter|fall)", 365.25),
    ]
]
_INTERVAL = re.compile(
    r"\bintervals?\s+(?:of|that (?:do|does|shall|must|may) not exceed|not (?:to )?exceed(?:ing)?|not longer than|no longer than|not greater than|no more than|at most)"
    r"(?:\s+(?:at most|no more than|not more than|up to|no longer than|not exceeding))?\s*$",
    re.I,
)
_SPACED = re.compile(
    r"^(?:[- ]?(?:ly\b|intervals?\b))|^\s+(?:apart|between (?:two|each|any two|successive|consecutive))\b", re.I
)
_AND_A_HALF = re.compile(rf"\b(?P<n>{_N}) and a half (?P<u>hour|day|week|month|year)s?\b", re.I)
_COUNT_MONTHLY = re.compile(rf"\b(?P<n>{_N})[- ](?P<u>week|month|year)ly\b", re.I)


_COUNTS = (QuantityKind.NUMBER, QuantityKind.PERCENT, QuantityKind.MONEY)
_BY = re.compile(r"\bby(?: an?| the)?\s*$", re.I)
_VALUE_OF = re.compile(
    r"\b(?:an? |the )?(?:[\w-]+ )?(?:value|amount|total|sum|limit|worth|price|threshold|level|age) of\s*$", re.I
)

_LEAD = 100
"""How many characters before a number may say what it is the number of."""


@lru_cache(maxsize=20_000)
def measures(text: str, known: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    """``known`` with what only a comparison needs, in reading order. Numbers with a physical unit become NUMBER in the
    unit's base ("m", "g", "litre", "°c", …), ages NUMBER in years with the unit :data:`AGE`. A range yields both ends."""
    found: list[Quantity] = []
    for reader in _READERS:
        found += _without_overlaps(reader(text), found)
    rest = [_spaced(text, q) for q in known if _kept(q, found)]
    return tuple(sorted([*found, *rest], key=lambda q: q.start))


def _without_overlaps(read: Iterator[Quantity], taken: Sequence[Quantity]) -> list[Quantity]:
    """What does not overlap anything read before; the two ends of a range share one span."""
    kept: list[Quantity] = []
    for quantity in read:
        same_range = kept and (quantity.start, quantity.end) == (kept[-1].start, kept[-1].end)
        if same_range or _free(quantity, [*taken, *kept]):
            kept.append(quantity)
    return kept


def _free(quantity: Quantity, taken: Sequence[Quantity]) -> bool:
    return all(quantity.end <= t.start or quantity.start >= t.end for t in taken)


def _kept(quantity: Quantity, found: Sequence[Quantity]) -> bool:
    if quantity.kind in (QuantityKind.MONEY, QuantityKind.PERCENT, QuantityKind.DATE):
        return all(f.end <= quantity.start or f.start >= quantity.end for f in found)
    return all(quantity.end <= f.start or quantity.start >= f.end for f in found)


def _spaced(text: str, quantity: Quantity) -> Quantity:
    """ "intervals of six months" is how often, not how long; "up to a value of" bounds like "up to"."""
    before = text[max(0, quantity.start - _LEAD) : quantity.start]
    if quantity.bound is Bound.UNSTATED and (value := _VALUE_OF.search(before)):
        at = quantity.start - len(before) + value.start()
        quantity = replace(quantity, bound=bound_at(text[:at] + text[quantity.start :], at, at))
    if quantity.kind in _COUNTS and quantity.bound is Bound.AT_MOST and _BY.search(before):
        quantity = replace(quantity, bound=Bound.UNSTATED)  # "checked by two people" sets no maximum
    if quantity.kind is not QuantityKind.DURATION or quantity.unbounded:
        return quantity
    if not (_INTERVAL.search(before) or _SPACED.match(text[quantity.end :])):
        return quantity
    return Quantity(
        QuantityKind.FREQUENCY, quantity.value, quantity.unit, quantity.text, quantity.start, quantity.end, quantity.bound
    )  # fmt: skip


def _ages(text: str) -> Iterator[Quantity]:
    for pattern in _AGES:
        for match in pattern.finditer(text):
            yield from _ends(text, match, AGE, 1.0)


def _physical(text: str) -> Iterator[Quantity]:
    for match in _PHYSICAL.finditer(text):
        index = next(i for i in range(len(_UNITS)) if match[f"u{i}"] is not None)
        yield from _ends(text, match, *_UNITS[index][2:])


def _ends(text: str, match: re.Match[str], unit: str, factor: float) -> Iterator[Quantity]:
    """The number of the match, or both ends of its range."""
    bound = _bound(text, match, unit)
    for group in ("n", "n2"):
        written = match.groupdict().get(group) or ""
        value = number_value(written.lstrip("-"))
        if value is not None:
            signed = -value if written.startswith("-") else value
            yield Quantity(QuantityKind.NUMBER, signed * factor, unit, match.group(), *match.span(), bound)


_YOUNGER = re.compile(r"\b(?:under|below|younger|less|not (?:yet )?(?:reached|attained))\b", re.I)
_OLDER = re.compile(
    r"\b(?:over|above|older|reached|attained|at least|minimum|not (?:under|below|younger|less))\b", re.I
)
_UPWARDS = re.compile(r"^\s*(?:years )?(?:or|and) (?:above|over|older|more|upwards?|up)\b", re.I)


def _bound(text: str, match: re.Match[str], unit: str) -> Bound:
    if _UPWARDS.match(text[match.end() :]):
        return Bound.AT_LEAST
    if unit == AGE:
        lead = text[max(0, match.start("n") - 30) : match.start("n")]
        if _OLDER.search(lead):
            return Bound.AT_LEAST
        return Bound.BELOW if _YOUNGER.search(lead) else Bound.UNSTATED
    return bound_at(text, match.start("n"), match.end())


def _relative(text: str) -> Iterator[Quantity]:
    for match in _RELATIVE.finditer(text):
        days = _relative_days(match)
        yield Quantity(QuantityKind.DURATION, days, "days", match.group(), *match.span(), bound_at(text, *match.span()))


def _relative_days(match: re.Match[str]) -> float:
    if match["same"]:
        return 0.0
    if match["before"] or match["after"]:
        return 1.0
    if match["half"]:
        return _DAYS[match["half"].lower()] / 2
    unit = match["u"] or match["end"] or match["one"]
    return _BUSINESS_DAY if match["q"] else _DAYS[unit.lower()]


_FRACTIONS: list[tuple[re.Pattern[str], float]] = [
    (re.compile(rf"\b(?:{pattern})\b(?! an? )", re.I), percent)
    for pattern, percent in [
        (r"three quarters (?:of|the)", 75.0), (r"two thirds (?:of|the)", 200 / 3), (r"half (?:of|the)", 50.0),
        (r"(?:an?|one) third of", 100 / 3), (r"(?:an?|one) quarter of(?! (?:an?|the) (?:year|hour))", 25.0),
        (r"(?:an?|one) fifth of", 20.0), (r"two fifths of", 40.0), (r"(?:an?|one) tenth of", 10.0), (r"in full", 100.0),
    ]
]  # fmt: skip


def _fractions(text: str) -> Iterator[Quantity]:
    for pattern, percent in _FRACTIONS:
        for match in pattern.finditer(text):
            yield Quantity(
                QuantityKind.PERCENT, percent, "%", match.group(), *match.span(), bound_at(text, *match.span())
            )


_FIRST = re.compile(
    r"\b(?:within|in|during) (?:the|their|his|her|its|your) first (?P<half>half[- ])?(?P<u>hour|day|week|month|quarter|year)\b",
    re.I,
)


def _first(text: str) -> Iterator[Quantity]:
    """ "during their first month"."""
    for match in _FIRST.finditer(text):
        days = _DAYS[match["u"].lower()] / (2 if match["half"] else 1)
        yield Quantity(QuantityKind.DURATION, days, "days", match.group(), *match.span(), Bound.AT_MOST)


_QUALIFIED = re.compile(
    rf"\b(?P<n>{_N}) (?:most recent|preceding|previous|past|last|prior|following|successive|financial) (?P<u>day|week|month|quarter|year)s\b",
    re.I,
)


def _qualified(text: str) -> Iterator[Quantity]:
    """ "the 5 preceding years"."""
    for match in _QUALIFIED.finditer(text):
        unit = match["u"].lower()
        days = (number_value(match["n"]) or 0) * _DAYS[unit]
        bound = bound_at(text, *match.span())
        yield Quantity(QuantityKind.DURATION, days, f"{unit}s", match.group(), *match.span(), bound)


def _and_a_half(text: str) -> Iterator[Quantity]:
    for match in _AND_A_HALF.finditer(text):
        days = ((number_value(match["n"]) or 0) + 0.5) * _DAYS[match["u"].lower()]
        yield Quantity(
            QuantityKind.DURATION,
            days,
            f"{match['u'].lower()}s",
            match.group(),
            *match.span(),
            bound_at(text, *match.span()),
        )


def _rhythms(text: str) -> Iterator[Quantity]:
    for pattern, days in _RHYTHMS:
        for match in pattern.finditer(text):
            yield Quantity(QuantityKind.FREQUENCY, days, "days", match.group(), *match.span())
    for match in _COUNT_MONTHLY.finditer(text):
        value = number_value(match["n"]) or 1.0
        unit = match["u"].lower()
        yield Quantity(QuantityKind.FREQUENCY, value * _DAYS[unit], f"{unit}s", match.group(), *match.span())


_READERS: tuple[Callable[[str], Iterator[Quantity]], ...] = (
    _ages,
    _fractions,
    _first,
    _and_a_half,
    _qualified,
    _physical,
    _rhythms,
    _relative,
)


def range_partner(text: str, quantity: Quantity, others: Sequence[Quantity]) -> Quantity | None:
    """The other end of "between 2 °C and 8 °C" or "14 to 17", of which ``quantity`` is one end; None outside ranges."""
    for other in others:
        if other is quantity or other.kind is not quantity.kind or other.value == quantity.value:
            continue
        if (other.start, other.end) == (quantity.start, quantity.end):
            return other
        first, second = sorted((quantity, other), key=lambda q: q.start)
        between = text[first.end : second.start]
        if re.fullmatch(r"\s*(?:°\s?C|%|per cent)?\s*(?:and|to|-|–)\s*", between, re.I) and (
            between.strip().lower() != "and" or re.search(r"\bbetween\s*$", text[: first.start], re.I)
        ):
            return other
    return None
