"""Words that look like a document's name but are none of the library's: misspelled titles and foreign names."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz, process

from policypal.request.document_names import KnownDocument, match_name
from policypal.request.names import INDEFINITE, SAYING
from policypal.request.words import LINKING, NOUNS, Word, gap, stems, years

_WINDOW_SIMILARITY = 86.0
_SHORTEST_TITLE = 8
_SLOTS = frozenset(["against", "under", "per", "versus", "vs", "summarize", "summarise", "audit", "compare"])
_WITH = frozenset(
    [
        "compare", "compared", "comparison", "comply", "complies", "compliant", "compliance", "consistent", "line",
        "accordance", "conform", "conformity",
    ]
)  # fmt: skip
_PARTS = frozenset(
    [
        "article", "section", "chapter", "part", "annex", "appendix", "schedule", "paragraph", "clause", "pillar",
        "tier", "title", "recital", "page", "rule", "principle", "january", "february", "march", "april", "may", "june",
        "july", "august", "september", "october", "november", "december", "i", "tell", "q1", "q2", "q3", "q4",
    ]
)  # fmt: skip
_AFTER_NAME = SAYING | frozenset(
    [
        "and", "or", "with", "against", "to", "versus", "vs", "on", "for", "regarding", "about", "please", "now", "is",
        "are", "does", "do", "in", "as", "if", "when", "which", "that",
    ]
)  # fmt: skip


def misspelled(
    message: str, words: list[Word], used: set[int], documents: Sequence[KnownDocument]
) -> list[tuple[int, int, str]]:
    """Stretches of words nearly equal to a title or alias, as (start, end, text) with a year next to them included."""
    forms = sorted(
        {f for d in documents for n in (d.title, *d.aliases) if len(f := " ".join(stems(n))) >= _SHORTEST_TITLE}
    )
    windows = _windows(message, words, used, {f.count(" ") + 1 for f in forms})
    if not forms or not windows:
        return []
    spelled = [" ".join(w.stem for w in words[a:b]) for a, b in windows]
    scores = np.asarray(process.cdist(spelled, forms, scorer=fuzz.ratio, score_cutoff=_WINDOW_SIMILARITY))
    ranked = sorted(range(len(windows)), key=lambda i: -float(scores[i].max()))
    found: list[tuple[int, int, str]] = []
    for i in ranked:
        start, end = windows[i]
        if scores[i].max() < _WINDOW_SIMILARITY or _overlaps(found, start, end):
            continue
        if any(f" {form} " in f" {spelled[i]} " for form in forms):
            continue  # spelled right, and already judged not to be meant
        start, end = _with_year(words, used, start, end)
        name = message[words[start].start : words[end - 1].end]
        if match_name(name, documents) or years(name):
            found.append((start, end, name))
    return found


def _windows(message: str, words: list[Word], used: set[int], sizes: set[int]) -> list[tuple[int, int]]:
    found = []
    for size in sizes | {s - 1 for s in sizes if s > 2} | {s + 1 for s in sizes}:
        for start in range(len(words) - size + 1):
            if not used.isdisjoint(range(start, start + size)) or (start and words[start - 1].lower in INDEFINITE):
                continue
            if words[start].lower in LINKING or words[start + size - 1].lower in LINKING:
                continue
            found.append((start, start + size))
    return found


def _overlaps(found: list[tuple[int, int, str]], start: int, end: int) -> bool:
    return any(start < b and a < end for a, b, _ in found)


def _with_year(words: list[Word], used: set[int], start: int, end: int) -> tuple[int, int]:
    if end < len(words) and end not in used and years(words[end].text):
        return start, end + 1
    if start and start - 1 not in used and words[start - 1].text.isdecimal() and years(words[start - 1].text):
        return start - 1, end
    return start, end


def foreign_names(message: str, words: list[Word], used: set[int]) -> list[tuple[int, int, str]]:
    """Capitalised names where a document would stand ("against MiFID II", "what does DORA say"), as (start, end, text)."""
    found: list[tuple[int, int, str]] = []
    position = 0
    while position < len(words):
        end = _capitalised_until(message, words, used, position)
        if end > position and _is_document_position(message, words, position, end):
            found.append((position, end, message[words[position].start : words[end - 1].end]))
        position = max(end, position + 1)
    return found


def _capitalised_until(message: str, words: list[Word], used: set[int], start: int) -> int:
    word = words[start]
    if start in used or not _begins_name(word, start):
        return start
    end = start + 1
    while end < len(words) and end not in used and not _breaks(gap(message, words[end - 1], words[end])):
        if not (words[end].is_capitalised or words[end].text[0].isdigit() or _links(words, used, end)):
            break
        end += 1
    return end


def _begins_name(word: Word, position: int) -> bool:
    if word.lower in _PARTS or word.lower in LINKING:
        return False
    return word.is_acronym if position == 0 else word.is_capitalised


def _links(words: list[Word], used: set[int], at: int) -> bool:
    after = at + 1
    linking = words[at].lower in ("of", "on", "for") and after < len(words) and after not in used
    return linking and words[after].is_capitalised and words[after].lower not in _PARTS


def _breaks(between: str) -> bool:
    return bool(re.search(r"[^\s\-–/&]", between))


def _is_document_position(message: str, words: list[Word], start: int, end: int) -> bool:
    after = words[end].lower if end < len(words) else ""
    closed = end == len(words) or bool(gap(message, words[end - 1], words[end]).strip())
    before = words[start - 1].lower if start else ""
    if before == "the" and start > 1:
        before = words[start - 2].lower
    if after and not closed and after not in _AFTER_NAME:
        return False
    if after in SAYING and not closed:
        return before in ("does", "do", "did", "what", "") or words[start].is_acronym
    return before in _SLOTS or (before in ("with", "to", "by", "and") and _is_comparing(words, start))


def _is_comparing(words: list[Word], start: int) -> bool:
    return any(w.lower in _WITH or w.lower in _SLOTS for w in words[max(0, start - 8) : start])


def looks_like_name(words: Sequence[Word]) -> bool:
    """Whether the words before a document noun are a proper name: "FSA", "Basel", "Solvency II"."""
    return any(w.is_capitalised and w.stem not in NOUNS for w in words)
