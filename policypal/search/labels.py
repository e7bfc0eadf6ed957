"""Labels of provisions: "article 17", "AU-11", "section 8.1", in questions and at the beginning of lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORDS = {
    "article": 3, "art": 3, "section": 3, "sec": 3, "§": 3, "rule": 3, "principle": 3, "clause": 3, "requirement": 3,
    "control": 3, "standard": 3, "guideline": 3, "module": 3, "recital": 3, "paragraph": 4, "para": 4, "point": 4,
    "chapter": 2, "division": 2, "subpart": 2, "part": 1, "title": 1, "annex": 1, "appendix": 1, "schedule": 1,
}  # fmt: skip
"""What divisions of regulations are called, and how deep they usually stand."""
_FULL = {"art": "article", "sec": "section", "§": "section", "para": "paragraph"}
_NUMBERED = 5
_WORD = "|".join(sorted((w for w in _WORDS if w != "§"), key=len, reverse=True))
_NUMBER = r"\d{1,4}[A-Za-z]?(?:\.\d{1,3}){0,4}"
_SUBS = r"(?:\s?\(\w{1,4}\)){0,3}"
_ASKED = (
    re.compile(rf"(?:\b(?P<word>{_WORD})s?\b\.?|(?P<sign>§))\s*(?P<number>{_NUMBER}|(?-i:[IVXLC]{{1,6}}|[A-Z])\b)(?P<subs>{_SUBS})", re.IGNORECASE),
    re.compile(rf"\b(?P<code>[A-Z]{{1,4}}-?)(?P<number>{_NUMBER})(?P<subs>{_SUBS})(?![\w-])"),
    re.compile(rf"(?<![\w.,€$£¥-])(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{1,4}})(?P<subs>{_SUBS})(?![\w.]*\d)(?!\s*(?:%|per ?cent|million|billion|hours?|days?|weeks?|months?|years?))"),
)  # fmt: skip
_LINE = re.compile(
    rf"[ \t]*(?:(?P<word>{_WORD}|§+)\.?[ \t]*(?P<numeral>{_NUMBER}|(?-i:[IVXLC]{{1,6}}|[A-Z]))(?![\w])"
    rf"|(?P<code>(?-i:[A-Z]{{1,4}})-?)(?P<coded>{_NUMBER})(?![\w-])|(?P<open>\(?)(?P<number>{_NUMBER})(?=[.)\s(]))"
    r"(?P<subs>(?:\(\w{1,4}\)){0,3})(?P<end>[.)]?)(?=\s|[:–—|(-]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Label:
    """``word`` is what the division is called ("article", "" for a number alone), ``code`` the letters of "AU-11" and
    "V7.2", ``subs`` what stands in parentheses behind the number. ``style`` tells "4." from "4)" at the beginning of a line."""

    number: str
    word: str = ""
    code: str = ""
    subs: tuple[str, ...] = ()
    style: str = ""

    @property
    def depth(self) -> int:
        """How deep the division stands: a part above its articles, 8.1 below 8."""
        if self.word and not self.code:
            return _WORDS[self.word] + self.number.count(".")
        return _NUMBERED + self.number.count(".") + (bool(self.subs) if self.code else 0)

    @property
    def shown(self) -> str:
        """ "Article 17(3)", as a person would write it."""
        word = f"{self.word.capitalize()} " if self.word else ""
        return f"{word}{self.code}{self.number}{''.join(f'({s})' for s in self.subs)}"

    def begins(self, line: Label) -> bool:
        """Whether a line with that label begins what is asked for: a name asked for may be left out there, no other may
        stand in its place. "(26)" is a recital or a point, "4)" a point of a list, "4." a paragraph or a section."""
        if self.number.lower() != line.number.lower() or self.code.lower().rstrip("-") != line.code.lower().rstrip("-"):
            return False
        if line.word or line.code:
            return line.word == self.word
        if line.style.startswith("("):
            return self.word in ("recital", "point", "")
        return not line.style.endswith(")") or self.word in ("point", "")


def asked_label(question: str) -> tuple[Label, str] | None:
    """The provision a question names, and the question without it; None where it names none, or several."""
    for pattern in _ASKED:
        found = list(pattern.finditer(question))
        if len(found) == 1:
            match = found[0]
            held = match.groupdict()
            word = (held.get("word") or held.get("sign") or "").lower()
            subs = tuple(re.findall(r"\((\w+)\)", held["subs"] or ""))
            label = Label(held["number"], _FULL.get(word, word), held.get("code") or "", subs)
            return label, f"{question[: match.start()]}{question[match.end() :]}"
        if found:
            return None
    return None


def line_label(line: str) -> Label | None:
    """The label a line begins with."""
    match = _LINE.match(line)
    if match is None:
        return None
    word = (match["word"] or "").lower()
    word = "section" if word.startswith("§") else _FULL.get(word, word)
    number = match["numeral"] or match["coded"] or match["number"]
    subs = tuple(re.findall(r"\((\w+)\)", match["subs"]))
    style = f"{match['open'] or ''}{'.' * number.count('.')}{match['end']}" if match["number"] else ""
    return Label(number, word, match["code"] or "", subs, style)


def line_pattern(label: Label) -> str:
    """A pattern of PostgreSQL for pages on which a line begins with the label."""
    number = re.escape(label.number)
    word = rf"({label.word}|{label.word[:4].rstrip('aeiou')}\.?|§+)?\.?[ \t]*" if label.word else ""
    code = re.escape(label.code.rstrip("-")) + "-?" if label.code else ""
    return rf"(?in)^[ \t]*{word}\(?{code}{number}(?![\w]|\.\d)"
