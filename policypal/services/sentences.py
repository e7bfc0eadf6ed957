"""Sentences of regulatory prose, with their offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ABBREVIATIONS = r"(?:Art|Arts|No|Nos|para|paras|pp|p|e\.g|i\.e|cf|ch|Ch|Sec|sec|St|Mr|Mrs|Ms|Dr|Inc|Ltd|Co|vs|etc|al|approx|incl|U\.S)"
_END = re.compile(
    r"(?<=[.!?])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9•–—-])|\n\s*\n|\n(?=\s*(?:[•▪‣–—-]|\(?[a-z0-9ivx]{1,4}[).])\s)"
)
_ABBREVIATED = re.compile(rf"(?:^|[\s(]){_ABBREVIATIONS}\.$|(?:^|\s)[A-Z]\.$|^\s*\(?[0-9ivxlA-Za-z.]{{1,6}}[.)]$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands: ``text == source[start:end]``, without surrounding white space."""

    text: str
    start: int
    end: int


def split_sentences(text: str) -> list[Sentence]:
    """Split prose into sentences. Abbreviations, section numbers ("2.1."), list markers and initials do not end one;
    blank lines and list items do."""
    sentences: list[Sentence] = []
    start = 0
    for match in _END.finditer(text):
        candidate = text[start : match.start()]
        if "\n" not in match.group().strip(" ") and _ABBREVIATED.search(candidate.rstrip('"”’)] ')):
            continue
        _append(sentences, text, start, match.start())
        start = match.end()
    _append(sentences, text, start, len(text))
    return sentences


def _append(sentences: list[Sentence], text: str, start: int, end: int) -> None:
    raw = text[start:end]
    stripped = raw.strip()
    if stripped:
        begin = start + len(raw) - len(raw.lstrip())
        sentences.append(Sentence(stripped, begin, begin + len(stripped)))
