"""Rows of tables that extraction has flattened to lines: a label, then figures (A2)."""

from __future__ import annotations

import re

_FIGURE = re.compile(r"[(+-]?[€$£¥]?\(?\d[\d,.]*\)?%?|[€$£¥%—–-]|\(\d[\d,.]*\)%?|(?:EUR|USD|GBP|CHF)")
_SENTENCE = re.compile(
    r"[.;:!?,]$|\b(?:shall|must|may|should|is|are|was|were|has|have|will|can|of the|in the)\b", re.IGNORECASE
)
_LABELLED = re.compile(r"\(?(?:[a-z]{1,3}|\d{1,2})[).]\s|[•▪‣]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_ROW = 200
_MANY_FIGURES = 2


def is_row(line: str) -> bool:
    """Whether a line is a label with figures after it: "Net sales (millions) $ 12,372 $ 9,809", "Retention of logs 5"."""
    words = line.split()
    if len(words) < 2 or len(line) > _LONGEST_ROW or "\n" in line or not any(c.isalpha() for c in words[0]):
        return False
    if _SENTENCE.search(line) or _LABELLED.match(line):
        return False
    numbers = [w for w in words if _FIGURE.fullmatch(w) and any(c.isdigit() for c in w)]
    if all(_YEAR.fullmatch(w) for w in numbers):  # what stands above columns
        return False
    ends_so = bool(_FIGURE.fullmatch(words[-1]))
    return ends_so and (len(numbers) >= _MANY_FIGURES or (len(numbers) == 1 and len(words) <= 8))
