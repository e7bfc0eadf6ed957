"""What a question is about, apart from where to look: "under the Rulebook 2025" names a document, not a subject."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from policypal.request.web_need import without_web_wish
from policypal.request.words import (
    NOUNS,
    NUMBERS,
    ONLY_IN_NAMES,
    RELATIVE,
    SAYING,
    VERSION_NOUNS,
    Word,
    split_words,
    stems,
)

_LEADING = frozenset("the our this that in under of per by to according from within a".split())
_JOINING = frozenset({"of", "on", "and", "the", "for", "in"})
_VERSIONS = VERSION_NOUNS - {"one"}
_QUALIFYING = frozenset(RELATIVE) | frozenset(NUMBERS) | {"most"}
"""What may stand before a name and belongs to it: "the newer standard", "both editions"."""
_IN = frozenset("under in of per by to within".split())
_FUNCTION = frozenset("about on for and or if when where is are do does must may can should shall there to".split())
_THE = frozenset("the our this that these those".split())


@dataclass(frozen=True, slots=True)
class Names:
    """What documents are ``called`` (titles, with and without version, aliases), and the ``sets`` they are in."""

    called: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()


def subject_words(message: str, names: Names) -> str:
    """What a message asks, without the names and wishes that only say where to look."""
    return without_document_names(without_web_wish(message), names.called, names.sets)


def without_document_names(text: str, names: Sequence[str], sets: Sequence[str] = ()) -> str:
    """``text`` without the phrases that name one of ``names`` (titles, versions, aliases, sets), prepositions included. For
    searching and ranking by words only: a model gets the user's own words.

    A phrase counts as a name if all its words are words of the names and one of them is a noun for documents, a year,
    or it is a whole name; "records" in "customer records" stays although "Records Rule" is a title. A bare noun of a title
    counts where it says where to look: "what does the rulebook say about", "in the newer standard". The name of a set counts
    before such a noun: "the FFIEC papers", but not "outside the EU". Unchanged where nothing would be left.
    """
    return _without(text, tuple(names), tuple(sets))


@lru_cache(maxsize=500)  # every turn asks it of the same messages before
def _without(text: str, names: tuple[str, ...], sets: tuple[str, ...]) -> str:
    vocabulary = frozenset(s for name in (*names, *sets) for s in stems(name)) - _JOINING | _VERSIONS
    whole, grouped = {stems(name) for name in names}, {stems(name) for name in sets}
    words = split_words(text)
    cuts = []
    at = 0
    while at < len(words):
        end = _run_end(words, at, vocabulary)
        run = tuple(w.stem for w in words[at:end])
        with_noun = run in whole | grouped and end < len(words) and _is_noun(words[end])  # "the GDPR regulation"
        if end > at and (with_noun or _is_name(words[at:end], whole) or _is_place(words, at, end)):
            end += with_noun
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


def _is_noun(word: Word) -> bool:
    return word.stem in NOUNS and not word.is_capitalised and word.lower not in SAYING


def _is_place(words: Sequence[Word], at: int, end: int) -> bool:
    """Whether a single noun for documents only says where to look: it says something, or what is asked stands in it."""
    if end - at != 1 or words[at].stem not in NOUNS or words[at].stem in ONLY_IN_NAMES:
        return False
    before = [w.lower for w in words[_run_start(words, at) : at]]
    if not before or not (_THE & set(before) or set(RELATIVE) & set(before)):
        return False
    following = words[end].lower if end < len(words) else ""
    return following in SAYING or following == "not" or (before[0] in _IN and (not following or following in _FUNCTION))


def _run_start(words: Sequence[Word], at: int) -> int:
    while at > 0 and words[at - 1].lower in _LEADING | _QUALIFYING:
        at -= 1
    return at


def _cut(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    kept, position = [], 0
    for start, end in cuts:
        kept.append(text[position:start])
        position = end
    kept.append(re.sub(r"^['’]s\b|^\s*\)", "", text[position:]))
    return " ".join(" ".join(kept).split()).replace(" ?", "?").replace(" .", ".").replace(" ,", ",").strip(" ,(")
