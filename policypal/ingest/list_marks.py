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
            level = properties.find(f"{_W}outlineLvl") if properties is not None else None
            if level is not None:
                return level.get(_VAL) in tuple("012345678")
            name = style.find(f"{_W}name") if style is not None else None
            if name is not None and name.get(_VAL, "").lower().startswith(("heading", "title")):
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
        number_id, depth, at = "", None, 0
        for properties, style in self._properties(paragraph):
            found = properties.find(f"{_W}numPr") if properties is not None else None
            if found is not None:
                own, level = found.find(f"{_W}numId"), found.find(f"{_W}ilvl")
                number_id = number_id or (own.get(_VAL, "") if own is not None else "")
                depth = int(level.get(_VAL, "0")) if depth is None and level is not None else depth
            identity = style.get(f"{_W}styleId", "") if style is not None else ""
            if not at and identity.startswith("List") and identity[-1:].isdigit():
                at = int(identity[-1]) - 1
        return number_id, depth or 0, at

    def _properties(self, paragraph: Any) -> Any:
        """The properties of a paragraph and of the styles it has, the nearest first, each with its style."""
        properties = paragraph.find(f"{_W}pPr")
        yield properties, None
        named = properties.find(f"{_W}pStyle") if properties is not None else None
        identity = named.get(_VAL) if named is not None else None
        for _ in range(_BASED_ON):
            style = self.styles.get(identity) if identity else None
            if style is None:
                return
            yield style.find(f"{_W}pPr"), style
            based = style.find(f"{_W}basedOn")
            identity = based.get(_VAL) if based is not None else None

    def _levels(self, number_id: str) -> dict[int, _Level]:
        reference = self.lists[number_id].find(f"{_W}abstractNumId")
        definition = self.definitions.get(reference.get(_VAL)) if reference is not None else None
        if definition is None:
            return {}
        begins = {
            o.get(f"{_W}ilvl"): found[0].get(_VAL)
            for o in self.lists[number_id].iterchildren(f"{_W}lvlOverride")
            if (found := o.findall(f"{_W}startOverride"))
        }
        levels = {}
        for level in definition.iterchildren(f"{_W}lvl"):
            at = level.get(f"{_W}ilvl", "0")
            said = {
                name: e.get(_VAL, "")
                for name in ("numFmt", "lvlText", "start")
                if (e := level.find(f"{_W}{name}")) is not None
            }
            start = begins.get(at) or said.get("start") or "1"
            levels[int(at)] = _Level(said.get("numFmt", "decimal"), said.get("lvlText", ""), int(start))
        return levels
