"""Marks at the beginning of a paragraph that say where it stands in a list: "6.", "(1)", "(a)", "(iv)", "2.1.1", "•", and in the bold
type of Markdown "**6.**" (D11)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_MARKER = re.compile(
    r"\s*(?:\*\*|__)?(?:"
    r"(?P<dotted>[A-Z]{0,3}\d{1,3}(?:\.\d{1,3}){1,5})\.?(?=\s|\*\*|__)"
    r"|(?P<open>\(?)(?P<value>\d{1,3}[A-Za-z]?|[ivxlc]{1,6}|[IVXLC]{1,6}|[a-z]{1,2}|[A-Z])(?P<close>\)|\.(?=\s|\*\*|__)|(?=\s*[–—]\s))"
    r"|(?P<bullet>[•▪‣◦●○■□✓➢·]|[-–—*](?=\s)|o(?=\s[A-Z]))"
    r")(?:\*\*|__)?\s*"
)
_ROMAN = re.compile(r"(?=[ivxlc])(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.I)
_NUMERALS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class Marker:
    """``style`` is its shape with a stand-in for the value ("(a)", "1.", "•"), ``value`` its place in the list counted from 1
    (0 for bullets, which do not count), ``end`` the offset behind it."""

    text: str
    style: str
    value: int
    end: int


def read_markers(line: str, open_lists: Sequence[Marker] = ()) -> list[Marker]:
    """The marks a paragraph begins with, outermost first ("6. (1) The consent …" has two). ``open_lists`` are those of the
    lists it may go on with, outermost first: they tell "(i)" after "(h)" from the Roman one."""
    found: list[Marker] = []
    offset = 0
    while len(found) < 4 and (match := _MARKER.match(line, offset)):
        if match.end() == offset or match.end() >= len(line):
            break
        if found and not (match["open"] or match["close"] == ")" or match["bullet"]):
            break
        found.append(_marker(match, [*open_lists, *found]))
        if match["dotted"] or match["bullet"]:
            break
        offset = match.end()
    return found


def _marker(match: re.Match[str], before: Sequence[Marker]) -> Marker:
    text = match[0].replace("**", "").replace("__", "").strip()
    if match["bullet"]:
        return Marker(text, match["bullet"], 0, match.end())
    if match["dotted"]:
        depth = match["dotted"].count(".")
        return Marker(text, "1" + ".1" * depth, int(match["dotted"].rsplit(".", 1)[1]), match.end())
    value, shape = match["value"], f"{match['open']}{{}}{match['close']}"
    if value[0].isdigit():
        return Marker(text, shape.format("1"), int(re.sub(r"\D", "", value)), match.end())
    letter, numeral = _as_letter(value), _as_numeral(value)
    alphabetic = Marker(text, shape.format("a" if value.islower() else "A"), letter, match.end())
    roman = Marker(text, shape.format("i" if value.islower() else "I"), numeral, match.end())
    if not numeral:
        return alphabetic
    if not letter:
        return roman
    for earlier in reversed(before):
        if earlier.style == alphabetic.style and earlier.value == letter - 1:
            return alphabetic
        if earlier.style == roman.style and earlier.value == numeral - 1:
            return roman
    return roman if numeral in (1, 5, 10) and value.lower() == "i" else alphabetic


def _as_letter(value: str) -> int:
    """1 for "a", 27 for "aa"; 0 where it is no place in the alphabet."""
    value = value.lower()
    if len(value) == 1:
        return ord(value) - 96
    return 26 + ord(value[0]) - 96 if len(value) == 2 and value[0] == value[1] else 0


def _as_numeral(value: str) -> int:
    if not _ROMAN.fullmatch(value):
        return 0
    numbers = [_NUMERALS[c] for c in value.lower()]
    return sum(-n if n < after else n for n, after in zip(numbers, [*numbers[1:], 0], strict=True))
