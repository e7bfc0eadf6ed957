"""What single lines of a page are by their shape: entries of a table of contents, rows of tables, introductions, headings with a scope (D11)."""

import re

from policypal.text.headings import is_bare_division
from policypal.text.markers import read_markers
from policypal.text.numbering import heading_label

SCOPE = re.compile(r"^\W*for (?P<who>[^:.\n]{3,90}):$", re.I | re.M)
"""A line that says whom what stands below it is for."""
_SCOPED = re.compile(r"^(?P<title>\S.*?)\s+For (?P<who>[A-Z][^:.\n]{2,90}):$")
"""A numbered heading with the line of scope that stood below it ("AC-20(2) – Portable Devices For High Systems:")."""
TABLE_HEAD = re.compile(r"^(?:#|No\.?)\s+\w+(?:\s+[\w§]+){1,8}$")
RULE_OF_TABLE = re.compile(r"[\s|:+=-]+")
_CONTENTS_ENTRY = re.compile(r"\S.{2,150}?(?:\s|\.{2,})\s*\d{1,4}")
_FIGURE_BEFORE = re.compile(r"\s\d[\d,.]*%?$")


def is_contents_entry(line: str) -> bool:
    """Whether a line ends with the number of a page."""
    return line[-1:].isdigit() and _CONTENTS_ENTRY.fullmatch(line) is not None


def scoped_heading(text: str) -> re.Match[str] | None:
    """The title of a numbered heading and who is said behind it to be meant."""
    match = _SCOPED.match(text)
    return match if match and heading_label(match["title"]) and not read_markers(text) else None


def introduces(text: str) -> bool:
    """Whether a text ends as an introduction does: with a colon or a dash."""
    end = text.rstrip()
    return end.endswith((":", "—", "–")) or end.rstrip("—–-").rstrip().endswith(":")


def is_row_of_figures(line: str) -> bool:
    """Whether a line ends with several figures ("Customer contracts 8 10"), which no entry of a table of contents does, unless the first
    of them is a division's number ("Part 1 3")."""
    before, _, _ = line.rpartition(" ")
    return _FIGURE_BEFORE.search(before) is not None and not is_bare_division(before)


def cells_of(line: str) -> tuple[str, ...]:
    """The cells of a row of a table, as the readers of files write them ("a | b"); one where it is none."""
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
