"""Running headers, footers and page numbers: what repeats from page to page and says nothing (D6)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from policypal.text.headings import is_bare_division

_EDGE_LINES = 8
_NUMBER = re.compile(r"[0-9]+")
_PAGE_OF = re.compile(r"\W*page\s+\d+(\s*(of|/)\s*\d+)?\W*", re.IGNORECASE)
_ROMAN = re.compile(r"[ivxlc]+", re.IGNORECASE)

PageLines = Sequence[str]
Running = dict[str, tuple[int, int]]
"""For a line's pattern, which of its numbers counts along, and by how much it is ahead of the page's index."""


def find_running_heads(pages: Sequence[PageLines]) -> list[frozenset[int]]:
    """For each page, the indexes of its lines that are headers, footers or page numbers.

    A line is a running head when it stands, word for word, at the page's edge on at least two pages in five, about once a page;
    or when, wherever it stands, it carries a number that counts along with the pages. Body lines that merely
    recur ("Illustration.") meet neither condition.
    """
    running = _running_numbers(pages)
    edges = _edge_lines(pages)
    heads = [_on_page(page, number, running, edges) for number, page in enumerate(pages)]
    if all(len(found) == sum(map(bool, page)) for page, found in zip(pages, heads, strict=True)):
        return [frozenset() for _ in pages]  # nothing but repetition: then the repetition is the document
    return heads


def _key(line: str) -> str:
    return _NUMBER.sub("#", line).casefold()


def _on_page(page: PageLines, number: int, running: Running, edges: frozenset[str]) -> frozenset[int]:
    # A bare "#" or "§ #" is too common inside tables to be trusted away from the edge.
    found = {i for i, line in enumerate(page) if len(line) > 6 and _counts_along(line, number, running)}
    filled = [i for i, line in enumerate(page) if line]
    for order in (filled, filled[::-1]):
        for i in order:
            if i not in found and not _is_edge_line(page[i], number, running, edges):
                break
            found.add(i)
    return frozenset(found)


def _is_edge_line(line: str, number: int, running: Running, edges: frozenset[str]) -> bool:
    if line.casefold() in edges or _PAGE_OF.fullmatch(line) or _counts_along(line, number, running):
        return True
    return "#" in running and _ROMAN.fullmatch(line) is not None


def _counts_along(line: str, number: int, running: Running) -> bool:
    place = running.get(_key(line)) if running and _NUMBER.search(line) else None
    # A document with one article per page counts its articles along with its pages.
    if place is None or is_bare_division(line):
        return False
    position, offset = place
    return int(_NUMBER.findall(line)[position]) - number == offset


def _edge_lines(pages: Sequence[PageLines]) -> frozenset[str]:
    """Lines that stand, word for word, near an edge on many pages and hardly anywhere else."""
    if len(pages) < 3:
        return frozenset()
    near_edge: Counter[str] = Counter()
    everywhere: Counter[str] = Counter()
    for page in pages:
        filled = [line.casefold() for line in page if line]
        near_edge.update(set(filled[:_EDGE_LINES]) | set(filled[-_EDGE_LINES:]))
        everywhere.update(filled)
    needed = max(3, 0.4 * len(pages))
    # A bare number needs to count along with the pages to be a page number; see _running_numbers.
    return frozenset(
        line
        for line, count in near_edge.items()
        if count >= needed and not line.isdecimal() and everywhere[line] <= 1.2 * count
    )


def _running_numbers(pages: Sequence[PageLines]) -> Running:
    """Lines in which the same number grows by one from page to page, on at least a quarter of the pages."""
    if len(pages) < 3:
        return {}
    seen: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    pages_with: Counter[str] = Counter()
    for number, page in enumerate(pages):
        numbered = [(line, _key(line)) for line in _numbered_lines(page)]
        pages_with.update({key for _, key in numbered})
        for line, key in numbered:
            for position, value in enumerate(_NUMBER.findall(line)[:6]):
                if len(value) < 6:
                    seen[key][position, int(value) - number] += 1
    needed = max(3, 0.25 * len(pages))
    running = {}
    for key, places in seen.items():
        place, count = places.most_common(1)[0]
        if count >= needed and count >= 0.6 * pages_with[key]:
            running[key] = place
    return running


def _numbered_lines(page: PageLines) -> list[str]:
    """Lines that may hold a page number: bare numbers only where they stand first or last."""
    filled = [line for line in page if line]
    edge = {0, 1, len(filled) - 2, len(filled) - 1}
    return [
        line
        for i, line in enumerate(filled)
        if len(line) <= 200 and (i in edge or not line.isdecimal()) and _NUMBER.search(line)
    ]
