"""Figures of a statement against those of what it cites: equal, converted, summed or counted on (C2b).

A figure that is none of these is missing; one that stands there with the opposite bound is turned round. What a statement only
supposes ("a dinner for EUR 300") needs no counterpart, but a threshold it can be held against.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import combinations

from policypal.text.logic import english_figures, language_of
from policypal.text.quantities import Bound, Quantity, QuantityKind, find_quantities, number_value, without_quantities

_TIMES = (QuantityKind.DURATION, QuantityKind.FREQUENCY)
_OPPOSED = ({Bound.AT_LEAST, Bound.ABOVE}, {Bound.AT_MOST, Bound.BELOW})
_CONVERTIBLE = ({"seconds", "minutes", "hours", "days", "weeks", "fortnights"}, {"months", "quarters", "years"})
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = re.compile(
    rf"\b(?:end of )?(?P<month>{'|'.join(m.capitalize() for m in _MONTHS)})\b(?:,? (?P<year>(?:19|20)\d\d)\b)?"
)
_NUMERIC_DATE = re.compile(
    r"\b(?P<day>0?[1-9]|[12]\d|3[01])(?P<sep>[./])(?P<month>0?[1-9]|1[0-2])(?P=sep)(?P<year>(?:19|20)\d\d)\b"
)
_ROMAN = re.compile(
    r"\b(?=[CLXVI]{2,}\b)C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?=\s+(?:second|minute|hour|day|week|month|year)s?\b)"
)
_HALF = re.compile(
    r"\bhalf an? (?P<unit>hour|day|week|month|year)\b|\b(?:an?|one) (?P<more>hour|day|week|month|year) and a half\b",
    re.I,
)
_HALVES = {"hour": "30 minutes", "day": "12 hours", "week": "84 hours", "month": "15 days", "year": "6 months"}
_AND_HALF = {"hour": "90 minutes", "day": "36 hours", "week": "252 hours", "month": "45 days", "year": "18 months"}
_SAME_DAY = re.compile(r"\bsame (?:business |working )?day\b", re.I)
_MULTIPLE = re.compile(
    r"\b(?:(?:twice|thrice|double|triple|(?:two|three|four|five|ten) times)(?= (?:the|that)\b)|half of|one third|two thirds|dozens?|hundreds of|thousands of)\b",
    re.I,
)
_REFERENCE = re.compile(
    r"\b(?:art(?:icle|\.)|section|sub-section|paragraph|para\.?|rule|principle|part|chapter|requirement|control|level|class|step|annex|clause|number|page|no\.|nummer|edition|version|table|§)s?\s*\(?(?P<n>\d+(?:\.\d+)*)",
    re.I,
)
_CODE = re.compile(r"\b[A-Z]{1,4}[-.]?\d+(?:[.(]\d+\)?)*")
_RANGE = re.compile(r"\b(?P<a>\d+)\s?[–-]\s?(?P<b>\d+)\b")
_NUMERALS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_SUPPOSES = re.compile(
    r"\b(?:if|when|where|whenever|wenn|bei|si)\b[^,;]*$|\b(?:an?|eine[rsmn]?|une?) (?:(?!(?:is|are|be|can|may|must|shall|should|will|has|have)\b)[\w-]+ ){1,7}?(?:of|for|worth|at|aged|on|from) (?:[A-Z]{3} ?)?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class FigureCheck:
    """``missing`` figures stand nowhere in what is cited, ``turned`` ones with the opposite bound. ``places`` are
    the numbers of the cited sentences that hold the others."""

    missing: tuple[str, ...] = ()
    turned: tuple[str, ...] = ()
    places: frozenset[int] = frozenset()


@lru_cache(maxsize=8_192)
def figures_of(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in any of the languages read, dates in any notation; its references are left out."""
    plain = plain_figures(text)
    found = [q for q in find_quantities(plain) if not (q.kind is QuantityKind.DATE and re.search(r"\bmay\b", q.text))]
    taken = without_quantities(plain, found)
    found += [_month(m, plain) for m in _MONTH.finditer(taken)]
    found += [Quantity(QuantityKind.NUMBER, 0.0, "same day", m[0], *m.span()) for m in _SAME_DAY.finditer(taken)]
    found += [Quantity(QuantityKind.NUMBER, 0.0, m[0].lower(), m[0], *m.span()) for m in _MULTIPLE.finditer(plain)]
    return tuple(found)


@lru_cache(maxsize=8_192)
def plain_figures(text: str) -> str:
    """The text with its quantities spelled as the reader of quantities knows them."""
    text = unicodedata.normalize("NFKC", " ".join(text.split()))
    text = _ROMAN.sub(lambda m: str(_roman(m[0])), text)
    text = _HALF.sub(lambda m: _HALVES[m["unit"].lower()] if m["unit"] else _AND_HALF[m["more"].lower()], text)
    text = _NUMERIC_DATE.sub(lambda m: f"{m['year']}-{int(m['month']):02}-{int(m['day']):02}", text)
    return english_figures(text, language_of(text))


def _roman(numeral: str) -> int:
    values = [_NUMERALS[c] for c in numeral.lower()]
    return sum(-v if v < after else v for v, after in zip(values, [*values[1:], 0], strict=True))


def _month(match: re.Match[str], text: str) -> Quantity:
    """A month without a day; its value is that of its last day."""
    number = _MONTHS.index(match["month"].lower()) + 1
    year = int(match["year"] or 4)
    last = date(year + number // 12, number % 12 + 1, 1) - timedelta(days=1)
    unit = "month" if match["year"] else "month of year"
    return Quantity(QuantityKind.DATE, float(last.toordinal()), unit, match[0], *match.span())


def check_figures(statement: str, cited: Sequence[str], named: str = "", quotes: Sequence[int] = ()) -> FigureCheck:
    """The figures of a statement against the sentences it cites; ``named`` holds the titles and labels it may name as
    well, ``quotes`` the number of the quotation each sentence is of: figures of one are not added up."""
    plain = plain_figures(statement)
    known = [(n, q) for n, text in enumerate(cited) for q in (*figures_of(text), *_adjectives(text))]
    said = figures_of(statement)
    numbers = _bare_numbers(" ".join(without_quantities(p, _with_sign(p)) for p in map(plain_figures, cited)))
    adds = any(_ADDS.search(text) for text in cited) and not _INCREMENT.search(plain)
    multiples = {value for value, words in _MULTIPLIES if any(words.search(text) for text in cited)}
    missing, turned, places = [], [], set[int]()
    for figure in said:
        same = [(n, q) for n, q in known if _same(figure, q)]
        instances = [(-1, q) for q in said if q is not figure and _is_supposed(q, plain)]
        if same:
            places.update(n for n, _ in same)
            if all(_is_turned(figure, q) for _, q in same):
                turned.append(figure.text)
        elif (
            _is_number_known(figure, numbers, cited)
            or _is_reckoned(
                figure, [*((n if adds else quotes[n] if quotes else n, q) for n, q in known), *instances], multiples
            )
            or (_is_supposed(figure, plain) and any(_threshold(figure, q) for _, q in known))
        ):
            continue
        else:
            missing.append(figure.text)
    missing += _missing_numbers(plain, numbers, named)
    held = f"{named} {' '.join(cited)}"
    missing += [code[0] for code in _CODE.finditer(plain) if code[0] not in held]
    return FigureCheck(tuple(missing), tuple(turned), frozenset(places))


def _with_sign(text: str) -> list[Quantity]:
    """Percentages and amounts, which do not stand for a bare number."""
    return [q for q in find_quantities(text) if q.kind in (QuantityKind.PERCENT, QuantityKind.MONEY)]


def _adjectives(text: str) -> Iterator[Quantity]:
    """ "The annual inventory" is sent every year."""
    for match in re.finditer(r"\bannual\b", text, re.I):
        yield Quantity(QuantityKind.FREQUENCY, 365.25, "days", match[0], *match.span())


def _is_number_known(figure: Quantity, numbers: set[float], cited: Sequence[str]) -> bool:
    """Whether a figure stands there as a number alone ("under 18"), or in a range; "one" counts nothing."""
    digits = re.match(r"\d+(?:\.\d+)?", figure.text)
    value = float(digits[0]) if digits else figure.value
    if figure.kind is QuantityKind.NUMBER:
        return (
            (figure.value in numbers and figure.value != 0)
            or (figure.value == 1 and not digits)
            or _in_range(value, cited)
        )
    alone = {q.value for text in cited for q in figures_of(text) if q.kind is QuantityKind.NUMBER and q.unit in _SMALL}
    return figure.kind is QuantityKind.DURATION and figure.unit == "years" and value in alone


_SMALL = frozenset(["", *"and or cannot may must can are is to who of in have shall should not".split()])


def _in_range(value: float, cited: Sequence[str]) -> bool:
    return any(float(m["a"]) <= value <= float(m["b"]) for text in cited for m in _RANGE.finditer(text))


def _missing_numbers(statement: str, numbers: set[float], named: str) -> list[str]:
    """The numbers of a statement that measure nothing and stand nowhere; one behind "Article" may be of the citation's section."""
    labels = _bare_numbers(named)
    references = {m.start("n"): m for m in _REFERENCE.finditer(statement)}
    statement = _CODE.sub(lambda m: " " * len(m[0]) if m[0] in named else m[0], statement)
    loose = without_quantities(statement, find_quantities(statement))
    missing = []
    for match in re.finditer(r"(?<![\w/-])(?P<n>\d+(?:[.,]\d+)*)(?:st|nd|rd|th)?(?![\w/])", loose):
        value = number_value(match["n"].strip("."))
        reference = references.get(match.start())
        if reference and _may_be_label(statement[match.start() :], named):
            continue
        is_label = reference or (value is not None and 1900 <= value <= 2100) or "." in match[0]
        if value not in numbers and not (is_label and (value in labels or match["n"] in named.split())):
            missing.append(match[0])
    return missing


def _may_be_label(reference: str, named: str) -> bool:
    """Whether a reference such as "9(2)" may be of what is cited: its paragraph is "(2)"."""
    match = re.match(r"\d+\((\d+)\)", reference)
    return bool(match) and f"({match[1]})" in named if match else False


def _bare_numbers(text: str) -> set[float]:
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text)
    words = re.findall(r"\d+(?:[ ,]\d{3})+|\d+(?:\.\d+)?|[A-Za-z]+(?:-[A-Za-z]+)?", text)
    return {v for w in words if (v := number_value(w)) is not None}


def _same(a: Quantity, b: Quantity) -> bool:
    if a.kind is QuantityKind.NUMBER or b.kind is QuantityKind.NUMBER:
        return a.kind is b.kind and a.value == b.value and (a.value != 0 or a.unit == b.unit)
    if a.kind in _TIMES and b.kind in _TIMES:
        return _same_time(a, b)
    if a.kind is not b.kind:
        return False
    if a.kind is QuantityKind.DATE:
        return _same_date(a, b)
    return a.value == b.value and a.unit == b.unit


def _same_time(a: Quantity, b: Quantity) -> bool:
    near = abs(a.value - b.value) <= 0.004 * max(a.value, b.value)
    if a.unit == b.unit or QuantityKind.FREQUENCY in (a.kind, b.kind):
        return near
    return near and any({a.unit, b.unit} <= group for group in _CONVERTIBLE)


def _same_date(a: Quantity, b: Quantity) -> bool:
    if "month" not in a.unit:
        return a.value == b.value and (a.unit == b.unit or "month" in b.unit)
    ours, theirs = (date.fromordinal(int(q.value)) for q in (a, b))
    return ours.month == theirs.month and (ours.year == theirs.year or "year" in a.unit)


def _is_turned(a: Quantity, b: Quantity) -> bool:
    return any(a.bound in left and b.bound in right for left, right in (_OPPOSED, _OPPOSED[::-1]))


def _is_reckoned(said: Quantity, known: Sequence[tuple[int, Quantity]], multiples: set[float]) -> bool:
    """Whether a figure is the sum of two of different sentences, a date and a duration put together, or
    so many times a figure as what is cited says ("the maximum is doubled")."""
    if any(_sum(said, a, b) for (n, a), (m, b) in combinations(known, 2) if n != m):
        return True
    return any(
        said.kind is q.kind and said.unit == q.unit and said.value == q.value * m for _, q in known for m in multiples
    )


_ADDS = re.compile(r"\b(?:further|additional\w*|extend\w*|extension|prolong\w*|another|plus|more)\b", re.I)
_INCREMENT = re.compile(r"\b(?:further|additional|another|more)\b", re.I)
_MULTIPLIES = (
    (2.0, re.compile(r"\b(?:doubl\w+|twice|two times)\b", re.I)),
    (3.0, re.compile(r"\b(?:tripl\w+|thrice|three times)\b", re.I)),
    (0.5, re.compile(r"\b(?:half|halv\w+)\b", re.I)),
)


def _sum(said: Quantity, a: Quantity, b: Quantity) -> bool:
    if said.kind is QuantityKind.DATE:
        for day, period in ((a, b), (b, a)):
            if day.kind is QuantityKind.DATE and period.kind is QuantityKind.DURATION and not period.unbounded:
                return abs(day.value + period.value - said.value) <= 1.5
        return False
    if not (said.kind is a.kind is b.kind) or said.kind is QuantityKind.NUMBER:
        return False
    units = {said.unit, a.unit, b.unit}
    alike = len(units) == 1 or any(units <= group for group in _CONVERTIBLE)
    return alike and abs(a.value + b.value - said.value) <= 0.004 * said.value


def _is_supposed(said: Quantity, statement: str) -> bool:
    if said.bound is not Bound.UNSTATED and said.kind is not QuantityKind.DATE:
        return False
    at = statement.find(said.text)
    return bool(_SUPPOSES.search(statement[:at]))


def _threshold(said: Quantity, other: Quantity) -> bool:
    """Whether a figure can be held against another: of one kind, and the other is a limit or a rate."""
    if said.kind is QuantityKind.DATE:
        return other.kind in _TIMES
    is_limit = other.bound is not Bound.UNSTATED or other.kind is QuantityKind.PERCENT
    return said.kind is other.kind and is_limit and (said.kind is not QuantityKind.MONEY or said.unit == other.unit)


_TIMES_AS_MUCH = re.compile(
    r"\b(?:twice|thrice|doubl\w+|tripl\w+|quadrupl\w+|half|halv\w+|third of|quarter of|(?:two|three)[- ]thirds|dozens?|hundreds?|"
    r"thousands?|millions?|billions?|\w+fold)\b",
    re.IGNORECASE,
)


def missing_figures(sentence: str, sources: Sequence[str]) -> list[str]:
    """The numbers, amounts, dates and durations of ``sentence``, in digits or words, that none of ``sources`` has or that stand there
    with the opposite bound. 72 hours and three days are one figure; twice as much is a figure of its own."""
    found = check_figures(sentence, sources, " ".join(sources))
    missing = [*found.missing, *found.turned]
    held = " ".join(sources).casefold()
    new = [m.group() for m in _TIMES_AS_MUCH.finditer(sentence) if m.group().casefold() not in held]
    return missing + [word for word in new if not any(word in figure for figure in missing)]
