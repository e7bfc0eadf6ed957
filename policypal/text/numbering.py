"""How a document numbers its parts: the rank of a heading, and the label of a provision ("Art. 33(1)", "AU-11", "8.1") (D11)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from policypal.text.markers import Marker

_DIVISIONS = (
    ("part", "title", "book", "module"),
    ("chapter", "annex", "appendix", "schedule"),
    ("section", "division", "subpart"),
    ("article", "principle", "rule", "clause", "recital", "standard", "guideline", "requirement"),
)
_DIVISION = re.compile(r"(?P<word>[A-Za-z]+)\.?\s+(?P<number>\d+(?:\.\d+)*[A-Za-z]?|[IVXLC]+|[A-Z])\b")
_CONTROL = re.compile(r"(?P<code>[A-Z]{1,4}-\d+(?:\(\d+\))?)(?=\W|$)")
_NUMBER = re.compile(r"(?P<number>[A-Z]{0,2}\d{1,3}(?:\.\d{1,3})*)\.?(?=\s)")
_ROMAN = re.compile(r"[IVXLC]+\.\s")
_OTHERS = ("art", "sec", "paragraph", "para", "point", "control")
_WORDS = "|".join(sorted((*chain(*_DIVISIONS), *_OTHERS), key=len, reverse=True))
_ASKED = (
    re.compile(
        rf"(?:\b(?P<word>{_WORDS})s?\b\.?|(?P<sign>§+))\s*(?P<number>[A-Z]{{0,2}}-?\d+(?:\.\d+)*[a-z]?|(?-i:[IVXLC]+|[A-Z])\b)(?P<subs>(?:\s?\(\w{{1,4}}\))*)",
        re.I,
    ),
    re.compile(r"(?<![\w.-])(?P<number>[A-Z]{1,4}-\d+|[A-Z]{0,2}\d{1,3}(?:\.\d{1,3}){1,4})(?P<subs>(?:\s?\(\w{1,4}\))*)(?![\w%€$£-]|[.,]\d|\s*(?:%|per ?cent|million|billion|hours?|days?|weeks?|months?|years?))"),
)  # fmt: skip
_SHORT = {"article": "Art.", "art": "Art.", "sec": "Section", "": "Section"}
_ALSO_BARE = (
    "section",
    "sec",
    "paragraph",
    "para",
    "point",
    "clause",
    "rule",
    "requirement",
    "standard",
    "control",
    "",
)
_NEXT = re.compile(r"\s*(?:[,;&]|and\b|or\b)*\s*", re.I)
LOWEST_RANK = 9
"""The rank of a heading without a number: below whatever is numbered."""


def heading_rank(heading: str) -> int:
    """0 for the outermost divisions; a heading closes those of its own rank and below."""
    if match := _DIVISION.match(heading):
        for rank, words in enumerate(_DIVISIONS):
            if match["word"].lower() in words:
                return rank
    if match := _CONTROL.match(heading):
        return 8 if "(" in match["code"] else 7
    if _ROMAN.match(heading):
        return 2
    if match := _NUMBER.match(heading):
        return min(4 + match["number"].count("."), 6)
    return LOWEST_RANK


def heading_label(heading: str) -> str:
    """The number a heading carries, as one cites it: "Art. 33", "Part 5", "AU-11", "8.1"; "" where it has none."""
    if (match := _DIVISION.match(heading)) and any(match["word"].lower() in words for words in _DIVISIONS):
        word = match["word"].capitalize()
        return f"{'Art.' if word == 'Article' else word} {match['number']}"
    if match := _CONTROL.match(heading):
        return match["code"]
    if match := _NUMBER.match(heading):
        return match["number"]
    return ""


def provision_label(heading: str, marks: Sequence[Marker]) -> str:
    """The label of a numbered paragraph: with its article's ("Art. 33(1)"), or its own number ("8.1", "9(1)")."""
    if not marks or not marks[0].value:
        return ""
    values = [mark.text.strip("().:–— ") for mark in marks]
    if "." in values[0]:
        return values[0] + "".join(f"({v})" for v in values[1:])
    inside = heading_label(heading)
    if inside.startswith(("Art.", "Rule", "Section", "Principle", "Clause")) or _CONTROL.fullmatch(inside):
        return inside + "".join(f"({v})" for v in values)
    return values[0] + "".join(f"({v})" for v in values[1:])


@dataclass(frozen=True, slots=True)
class AskedLabel:
    """A provision named by its number. ``labels`` are those it may be stored under, the likeliest first; ``rest`` is what else was said."""

    labels: tuple[str, ...]
    rest: str


def asked_label(words: str) -> AskedLabel | None:
    """The provision a question names: "article 17", "AU-11", "section 8.1", "V2.1.1", "§ 5(2)"; None where it names none."""
    for pattern in _ASKED:
        if found := pattern.search(words):
            rest = f"{words[: found.start()]} {words[found.end() :]}"
            return AskedLabel(tuple(_asked_labels(found)), " ".join(rest.split()))
    return None


def chosen_labels(words: str) -> list[AskedLabel]:
    """The provisions a message opens with as a list, "4.3, Art. 5(2): who must be told?": what it asks is to be answered from them. None
    where it does not open so; ``rest`` is the question."""
    found, at = [], 0
    while match := next((m for pattern in _ASKED if (m := pattern.match(words, at))), None):
        found.append(match)
        at = _NEXT.match(words, match.end()).end()  # type: ignore[union-attr]
    if not found or words[at : at + 1] != ":":
        return []
    rest = " ".join(words[at + 1 :].split())
    return [AskedLabel(tuple(_asked_labels(match)), rest) for match in found]


def _asked_labels(found: re.Match[str]) -> Iterator[str]:
    word = (found.groupdict().get("word") or "").lower()
    number = found["number"] + re.sub(r"\s", "", found["subs"])
    names = found.re is _ASKED[0]
    if names and word not in ("paragraph", "para", "point", "control"):
        yield f"{_SHORT.get(word, word.capitalize())} {number}"
    if not names or word in _ALSO_BARE:
        yield number
        if number[0].isdigit() and "." in number:
            yield f"V{number}"  # as verification standards number their requirements
        elif re.match(r"V\d+\.\d", number):
            yield number[1:]
