"""Recognising section headings, in lines as drawn and in unwrapped text (D6)."""

import re

MAX_HEADING_CHARACTERS = 140

_DIVISION = (
    r"(?:Article|Section|Sec\.|Chapter|Part|Title|Annex|Appendix|Schedule|Principle|Rule|Recital|Clause|Module|Standard|"
    r"Guideline|Requirement|Division|Subpart|Item|Step|Exhibit|Attachment|Note)"
)
_STRUCTURAL = re.compile(
    rf"(?:{_DIVISION}|{_DIVISION.upper()})\s+(?:\d+(?:\.\d+)*[A-Z]?|[IVXLC]+|[A-Z])(?P<title>(?:\s*[.:–—-]|\s+).*)?"
)
_NUMBERED = re.compile(
    r"(?:\d{1,3}(?:\.\d{1,3}){0,4}\.?|[IVXLC]{1,6}\.|[A-Z]\.|§+\s*\d+[\w.]*)\s+(?P<title>[A-Z“\"(].*)"
)
_CODED = re.compile(r"[A-Z]{1,4}[-.]?\d+(?:[.(]\d+\)?)*\.?\s+(?:[–—|:-]\s*)?(?P<title>[A-Z].*)")
# "AC-2(1) – Account Management", "V2.2 Input Validation": control catalogues number their headings like this.
_CONTROL = re.compile(r"[A-Z]{1,4}(?:-\d+|\d+\.\d+)(?:[.(]\d+\)?)*\.?\s+(?:[–—|:-]\s*)?(?P<title>[A-Z][^.;:]*)")
_BARE_DIVISION = re.compile(rf"(?:{_DIVISION}|{_DIVISION.upper()})\s+\w+")
_SMALL = frozenset(
    "a an and any as at by for from in into is its nor of on or per the their to under upon via vs with within".split()
)


_SEPARATORS = re.compile(r"[\W_]+")


def bare_title(title: str) -> str:
    """The letters and figures of a title in small letters: what tells an entry of a table of contents from a line of a page."""
    return _SEPARATORS.sub("", title.casefold())


def is_structural(line: str) -> bool:
    """Whether a line is "Article 33", "Annex 1: Terms", "AC-2 Account Management" or in capitals: certain enough to
    break a paragraph."""
    if not 3 <= len(line) <= MAX_HEADING_CHARACTERS or "a" <= line[0] <= "z" or _has_leaders(line):
        return False
    return _is_division(line) or _is_capitals(line) or _is_control(line)


def is_bare_division(line: str) -> bool:
    """Whether a line is a division's number alone ("Article 33"), so that the next line may be its title."""
    return len(line) < 40 and _BARE_DIVISION.fullmatch(line) is not None


_LABEL = re.compile(
    rf"\s*(?:(?:{_DIVISION}|{_DIVISION.upper()})\s+(?:\d+(?:\.\d+)*[A-Z]?|[IVXLC]+\b)|§+\s*\d+[\w.]*|[A-Z]{{1,4}}[-.]?\d+(?:[.(]\d+\)?)*|"
    r"\(?\d{1,3}(?:\.\d{1,3}){0,4}[.)]|\d{1,3}(?:\.\d{1,3}){1,4}|\d{1,3}(?=\s+[A-Z]))(?=\s|[.:(–—-]|$)"
)


def label_of(line: str) -> str:
    """The number a heading or paragraph begins with ("Article 33", "4.2", "(3)", "AC-2"); empty where there is none."""
    found = _LABEL.match(line)
    return found[0].strip() if found else ""


def labels_at(page: str, start: int) -> tuple[str, str]:
    """The number of the heading above a place on a page, and the one its own line begins with; empty where there is none."""
    line = page.rfind("\n", 0, start) + 1
    above = (label_of(heading) for heading in reversed(page[:line].splitlines()) if is_structural(heading.strip()))
    return next(filter(None, above), ""), label_of(page[line:])


def is_heading(line: str, following: str | None) -> bool:
    """Whether an unwrapped line is a section heading. ``following`` is the next line, None at the end of a page."""
    if not 3 <= len(line) <= MAX_HEADING_CHARACTERS or _has_leaders(line) or line[-1] in ".;,:?!-–":
        return is_structural(line) and line[-1] not in ";,"
    if is_structural(line):
        return True
    for pattern in (_NUMBERED, _CODED):
        if match := pattern.fullmatch(line):
            return _is_titled(match["title"])
    return _stands_alone(line, following) and _is_title_case(line)


def is_title_below(line: str) -> bool:
    """Whether a line can be the title that stands below a bare division number."""
    return 3 <= len(line) <= MAX_HEADING_CHARACTERS and line[0].isupper() and line[-1] not in ".;,:"


def _is_division(line: str) -> bool:
    match = _STRUCTURAL.fullmatch(line)
    if match is None:
        return False
    title = (match["title"] or "").strip(" .:–—-")
    return not title or (title[0].isupper() and line[-1] not in ".;," and _is_titled(title))


def _is_control(line: str) -> bool:
    control = _CONTROL.fullmatch(line)
    return control is not None and _is_title_case(control["title"])


def _has_leaders(line: str) -> bool:
    return "...." in line or "…" in line


def _is_capitals(line: str) -> bool:
    if line != line.upper() or line == line.lower() or line[-1] in ",;" or len(line.split()) > 16:
        return False
    letters = sum(c.isalpha() for c in line)
    return letters >= 4 and letters >= 0.5 * len(line.replace(" ", ""))


def _is_titled(title: str) -> bool:
    """A short phrase without a full stop inside: a title, not a sentence."""
    return len(title.split()) <= 14 and ". " not in title and "; " not in title


def _stands_alone(line: str, following: str | None) -> bool:
    if following is None or len(line) > 90:
        return False
    # A single word is a heading above a paragraph, but a cell inside a table.
    if " " not in line:
        return len(following) > 60
    return len(following) > len(line) or not following[0].islower()


def _is_title_case(line: str) -> bool:
    words = [word.strip("()[]“”\"'’,/&") for word in line.split()]
    words = [word for word in words if word]
    if not 1 <= len(words) <= 10 or not line[0].isupper() or any(c.isdigit() for c in line):
        return False
    if len(words) == 1 and len(words[0]) < 4:
        return False
    return all(word[0].isupper() or word in _SMALL for word in words if word[0].isalpha()) and words[-1] not in _SMALL
