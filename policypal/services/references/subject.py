"""What a question is about, apart from where to look: "under the Rulebook 2025" names a document, not a subject."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from policypal.services.references.words import NOUNS, ONLY_IN_NAMES, VERSION_NOUNS, Word, split_words, stems

_LEADING = frozenset("the our this that in under of per by to according from within a".split())
_JOINING = frozenset({"of", "on", "and", "the", "for", "in"})
_VERSIONS = VERSION_NOUNS - {"one"}


def without_document_names(text: str, names: Sequence[str]) -> str:
    """``text`` without the phrases that name one of ``names`` (titles, versions, aliases), prepositions included.

    A phrase counts as a name if all its words are words of the names and one of them is a noun for documents, a year,
    or it is a whole name; "records" in "customer records" stays although "Records Rule" is a title. Unchanged where
    nothing would be left.
    """
    return _without(text, tuple(names))


@lru_cache(maxsize=500)  # every turn asks it of the same messages before
def _without(text: str, names: tuple[str, ...]) -> str:
    vocabulary = frozenset(s for name in names for s in stems(name)) - _JOINING | _VERSIONS
    whole = {stems(name) for name in names}
    words = split_words(text)
    cuts = []
    at = 0
    while at < len(words):
        end = _run_end(words, at, vocabulary)
        if end > at and _is_name(words[at:end], whole):
            cuts.append((words[_run_start(words, at)].start, words[end - 1].end))
        at = max(end, at + 1)
    kept = _cut(text, cuts)
    return kept if re.search(r"\w{2}", kept) else text


def _run_end(words: Sequence[Word], at: int, vocabulary: frozenset[str]) -> int:
    """The end of the longest run of name words from ``at``; linking words may stand inside it, not at its end."""
    end = at
    for position in range(at, len(words)):
        if words[position].stem in vocabulary and words[position].lower not in _LEADING:
            end = position + 1
        elif end == at or words[position].lower not in _JOINING:
            break
    return end


def _is_name(run: Sequence[Word], whole: set[tuple[str, ...]]) -> bool:
    if tuple(w.stem for w in run) in whole:
        return True
    nouns = [w for w in run if w.stem in NOUNS and w.stem not in ONLY_IN_NAMES]
    return bool(nouns) and (len(run) > 1 or nouns[0].is_capitalised)


def _run_start(words: Sequence[Word], at: int) -> int:
    while at > 0 and words[at - 1].lower in _LEADING:
        at -= 1
    return at


def _cut(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    kept, position = [], 0
    for start, end in cuts:
        kept.append(text[position:start])
        position = end
    kept.append(re.sub(r"^['’]s\b|^\s*\)", "", text[position:]))
    return " ".join(" ".join(kept).split()).replace(" ?", "?").replace(" .", ".").replace(" ,", ",").strip(" ,(")
