"""Running headers, footers and page numbers: what repeats from page to page and says nothing (D6)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

_EDGE_LINES = 8
_NUMBER = re.compile(r"\d+")
_PAGE_OF = re.compile(r"\W*page\s+\d+(\s*(of|/)\s*\d+)?\W*", re.IGNORECASE)
_ROMAN = re.compile(r"[ivxlc]+", re.IGNORECASE)

PageLines = Sequence[str]


def find_furniture(pages: Sequence[PageLines]) -> list[frozenset[int]]:
    """For each page, the indexes of its lines that are headers, footers or page numbers.

    A line is furniture when it stands at the page's edge on at least two pages in five (numbers may differ), about once a
    page; or when, wherever it stands, it carries a number that counts along with the pages. Body lines that merely
    recur ("Illustration.") meet neither condition.
    """
    keys = [[_key(line) for line in page] for page in pages]
    running = _running_numbers(pages, keys)
    edges = _edge_keys(keys)
    return [_on_page(page, page_keys, running, edges) for page, page_keys in zip(pages, keys, strict=True)]


def _key(line: str) -> str:
    return _NUMBER.sub("#", line).casefold()


def _on_page(page: PageLines, keys: Sequence[str], running: frozenset[str], edges: frozenset[str]) -> frozenset[int]:
    # A bare "#" or "§ #" is too common inside tables to be trusted away from the edge.
    found = {i for i, key in enumerate(keys) if key in running and len(key) > 6}
    filled = [i for i, line in enumerate(page) if line]
    for order in (filled, filled[::-1]):
        for i in order:
            if not _is_edge_furniture(page[i], keys[i], running, edges) and i not in found:
                break
            found.add(i)
    return frozenset(found)


def _is_edge_furniture(line: str, key: str, running: frozenset[str], edges: frozenset[str]) -> bool:
    if key in edges or key in running or _PAGE_OF.fullmatch(line):
        return True
    return "#" in running and _ROMAN.fullmatch(line) is not None


def _edge_keys(keys: Sequence[Sequence[str]]) -> frozenset[str]:
    """Keys that stand near an edge on many pages and hardly anywhere else."""
    if len(keys) < 3:
        return frozenset()
    near_edge: Counter[str] = Counter()
    everywhere: Counter[str] = Counter()
    for page in keys:
        filled = [key for key in page if key]
        near_edge.update(set(filled[:_EDGE_LINES]) | set(filled[-_EDGE_LINES:]))
        everywhere.update(filled)
    needed = max(3, 0.4 * len(keys))
    # A bare number needs to count along with the pages to be a page number; see _running_numbers.
    return frozenset(
        key for key, pages in near_edge.items() if pages >= needed and key != "#" and everywhere[key] <= 1.2 * pages
    )


def _running_numbers(pages: Sequence[PageLines], keys: Sequence[Sequence[str]]) -> frozenset[str]:
    """Keys of lines in which the same number grows by one from page to page, on at least a quarter of the pages."""
    if len(pages) < 3:
        return frozenset()
    seen: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    for number, (page, page_keys) in enumerate(zip(pages, keys, strict=True)):
        for line, key in zip(page, page_keys, strict=True):
            if "#" not in key or len(line) > 200:
                continue
            total[key] += 1
            for position, value in enumerate(_NUMBER.findall(line)[:6]):
                if len(value) < 6:
                    seen[key][position, int(value) - number] += 1
    needed = max(3, 0.25 * len(pages))
    return frozenset(
        key
        for key, offsets in seen.items()
        if (best := offsets.most_common(1)[0][1] if offsets else 0) >= needed and best >= 0.6 * total[key]
    )
