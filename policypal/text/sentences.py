"""Sentences of regulatory prose, with their offsets."""

import re
from dataclasses import dataclass

_ABBREVIATIONS = r"(?:Art|Arts|No|Nos|para|paras|pp|p|e\.g|i\.e|cf|ch|Ch|Sec|sec|St|Mr|Mrs|Ms|Dr|Inc|Ltd|Co|vs|etc|al|approx|incl|U\.S)"
# What it begins with is looked for first, because that is quick: it is tried at every character.
_END = re.compile(
    r"[.!?\n](?:(?<=[.!?])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9•–—-])|(?<=\n)\s*\n|(?<=\n)(?=\s*(?:[•▪‣–—-]|\(?[a-z0-9ivx]{1,4}[).])\s))"
)
_ABBREVIATED = re.compile(rf"(?:^|[\s(]){_ABBREVIATIONS}\.$|(?:^|\s)[A-Z]\.$|^\s*\(?[0-9ivxlA-Za-z.]{{1,6}}[.)]$")
_LONGEST_ABBREVIATION = 40

MAX_SENTENCE_CHARACTERS = 3_000
"""What never ends is no sentence: a table, a pasted dump, or an attempt to keep the readers of sentences busy for minutes."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands: ``text == source[start:end]``, without surrounding white space."""

    text: str
    start: int
    end: int


def split_sentences(text: str) -> list[Sentence]:
    """Split prose into sentences. Abbreviations, section numbers ("2.1."), list markers and initials do not end one;
    blank lines and list items do. What goes on for :data:`MAX_SENTENCE_CHARACTERS` ends there, between two words."""
    sentences: list[Sentence] = []
    start = 0
    for match in _END.finditer(text):
        end = match.start() + (match[0][0] != "\n")
        if "\n" not in match[0] and _is_abbreviated(text, start, end):
            continue
        _append(sentences, text, start, end)
        start = match.end()
    _append(sentences, text, start, len(text))
    return sentences


def _is_abbreviated(text: str, start: int, end: int) -> bool:
    """Whether the full stop before ``end`` belongs to a shortened word or a number. Only the last characters are read, because
    "A. B. C. …" makes the sentence longer with every one."""
    tail = text[max(start, end - _LONGEST_ABBREVIATION) : end].rstrip('"”’)] ')
    return bool(_ABBREVIATED.search(tail if end - start <= _LONGEST_ABBREVIATION else f"…{tail}"))


def _append(sentences: list[Sentence], text: str, start: int, end: int) -> None:
    while end - start > MAX_SENTENCE_CHARACTERS:
        most = start + MAX_SENTENCE_CHARACTERS
        cut = text.rfind(" ", start + 1, most)
        _append(sentences, text, start, cut if cut > 0 else most)
        start = cut if cut > 0 else most
    raw = text[start:end]
    stripped = raw.strip()
    if stripped:
        begin = start + len(raw) - len(raw.lstrip())
        sentences.append(Sentence(stripped, begin, begin + len(stripped)))
