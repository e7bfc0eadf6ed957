"""The marks that Word and browsers draw before the items of a list, which no text of the file holds (D1, D11)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VAL = f"{_W}val"
_BULLETS = "•◦▪‣●○■□➢"
"""One for each depth, so that the items of inner lists are told from those of outer ones."""
_NUMERALS = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_ROMAN_UNTIL = 400
_BASED_ON = 12
"""How many styles one may rest on another: a chain in a damaged file has no end."""


def bullet(depth: int) -> str:
    """The bullet of a list that lies in ``depth`` others."""
    return _BULLETS[min(max(depth, 0), len(_BULLETS) - 1)]


def ordinal(number: int, form: str) -> str:
    """A number as a list writes it; ``form`` is the name of Word or the letter of HTML: "lowerLetter" or "a", "upperRoman" or "I". Forms
    that are none of these are written in figures."""
    if number > 0 and form in ("a", "A", "lowerLetter", "upperLetter"):
        written = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
    elif 0 < number < _ROMAN_UNTIL and form in ("i", "I", "lowerRoman", "upperRoman"):
        written, left = "", number
        for value, letters in _NUMERALS:
            written += letters * (left // value)
            left %= value
    else:
        return str(number)
    return written.upper() if form in ("A", "I") or form.startswith("upper") else written


def _value(parent: Any, name: str, default: str = "") -> str:
    """The value of an element of that name in another; the default where there is none."""
    found = parent.find(f"{_W}{name}") if parent is not None else None
    return default if found is None else str(found.get(_VAL, default))


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    text: str
    start: int


@dataclass(slots=True)
class WordLists:
    """The marks of a Word document's paragraphs, asked for in their order, since each counts those before it."""

    styles: Mapping[str, Any]
    definitions: dict[str, Any] = field(default_factory=dict)
    lists: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, dict[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, document: Any) -> "WordLists":
        """The lists of an open document; none of them where it defines none."""
        marks = cls({style.style_id: style.element for style in document.styles})
        for relation in document.part.rels.values():
            if not relation.is_external and relation.reltype.endswith("/numbering"):
                numbering = relation.target_part.element
                marks.definitions = {e.get(f"{_W}abstractNumId"): e for e in numbering.iterchildren(f"{_W}abstractNum")}
                marks.lists = {e.get(f"{_W}numId"): e for e in numbering.iterchildren(f"{_W}num")}
        return marks

    def is_heading(self, paragraph: Any) -> bool:
        """Whether a paragraph, or a style it has, says that it is a heading."""
        for properties, style in self._properties(paragraph):
            if level := _value(properties, "outlineLvl"):
                return level in tuple("012345678")
            if _value(style, "name").lower().startswith(("heading", "title")):
                return True
        return False

    def mark(self, paragraph: Any) -> str:
        """What Word draws before a paragraph: "4.2", "(a)", "•"; "" where it stands in no list."""
        number_id, depth, at = self._place(paragraph)
        if number_id not in self.lists:
            return ""
        levels = self._levels(number_id)
        level = levels.get(depth) or levels.get(max(levels, default=0))
        if level is None or level.form == "none":
            return ""
        if level.form == "bullet":
            return bullet(depth + at)
        counted = self.counts.setdefault(number_id, {})
        counted[depth] = counted.get(depth, level.start - 1) + 1
        for deeper in [d for d in counted if d > depth]:
            del counted[deeper]
        text = level.text
        for d, outer in levels.items():
            text = text.replace(f"%{d + 1}", ordinal(counted.get(d, outer.start), outer.form))
        return text.strip()

    def _place(self, paragraph: Any) -> tuple[str, int, int]:
        """The list of a paragraph, its depth there, and how deep its style is ("List Bullet 3": 2)."""
        number_id, depth, at = "", "", 0
        for properties, style in self._properties(paragraph):
            found = properties.find(f"{_W}numPr") if properties is not None else None
            number_id, depth = number_id or _value(found, "numId"), depth or _value(found, "ilvl")
            identity = style.get(f"{_W}styleId", "") if style is not None else ""
            if not at and identity.startswith("List") and identity[-1:].isdigit():
                at = int(identity[-1]) - 1
        return number_id, int(depth or 0), at

    def _properties(self, paragraph: Any) -> Any:
        """The properties of a paragraph and of the styles it has, the nearest first, each with its style."""
        properties = paragraph.find(f"{_W}pPr")
        yield properties, None
        style = self.styles.get(_value(properties, "pStyle"))
        for _ in range(_BASED_ON):
            if style is None:
                return
            yield style.find(f"{_W}pPr"), style
            style = self.styles.get(_value(style, "basedOn"))

    def _levels(self, number_id: str) -> dict[int, _Level]:
        definition = self.definitions.get(_value(self.lists[number_id], "abstractNumId"))
        if definition is None:
            return {}
        begins = {
            o.get(f"{_W}ilvl"): _value(o, "startOverride")
            for o in self.lists[number_id].iterchildren(f"{_W}lvlOverride")
        }
        levels = {}
        for level in definition.iterchildren(f"{_W}lvl"):
            at = level.get(f"{_W}ilvl", "0")
            start = begins.get(at) or _value(level, "start") or "1"
            levels[int(at)] = _Level(_value(level, "numFmt", "decimal"), _value(level, "lvlText"), int(start))
        return levels
