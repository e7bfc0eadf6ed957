"""What a question is about, apart from where to look: "under the Rulebook 2025" names a document, not a subject."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from policypal.request.library import KnownDocument, Library, title_stems
from policypal.request.mentions import find_mentions
from policypal.request.scanning import Mention
from policypal.request.web_need import without_web_wish
from policypal.request.words import RELATIVE, SAYING, Word, split_words
from policypal.search.terms import STOP_WORDS

_LEADING = (
    frozenset("the our this that in under of per by to according from within a both two most".split()) | RELATIVE.keys()
)
_IN = frozenset("under in of per by to within from".split())
_EDITION = re.compile(r"(?P<title>.+?) \((?P<version>[^()]+)\)")


@dataclass(frozen=True, slots=True)
class Names:
    """What documents are ``called`` (titles, with and without version, aliases), and the ``sets`` they are in."""

    called: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()


def subject_words(message: str, names: Names) -> str:
    """What a message asks, without the names and wishes that only say where to look."""
    return without_document_names(without_web_wish(message), names.called, names.sets)


def without_document_names(text: str, names: Sequence[str], sets: Sequence[str] = ()) -> str:
    """``text`` without the mentions of ``names`` (titles, versions, aliases) and ``sets``, prepositions included. For searching and
    ranking by words only: a model gets the user's own words. A bare noun of a title is cut where it says where to look: "what does the
    rulebook say about", "in the newer standard". Unchanged where nothing would be left."""
    return _without(text, tuple(names), tuple(sets))


@lru_cache(maxsize=500)  # every turn asks it of the same messages before
def _without(text: str, names: tuple[str, ...], sets: tuple[str, ...]) -> str:
    library = Library(
        [
            *(_known(n) for n in names if n.strip()),
            *(KnownDocument(id=s, title=f"{s} papers", set_name=s) for s in sets),
        ]
    )
    words = split_words(text)
    kept, position = [], 0
    for m in find_mentions(text, library, datetime.now(UTC).date()):
        if not _is_place(m, words, library):
            continue
        start = m.start
        while start and words[start - 1].lower in _LEADING:
            start -= 1
        kept.append(text[position : words[start].start])
        position = words[m.end - 1].end
    kept.append(re.sub(r"^['’]s\b|^\s*\)", "", text[position:]))
    rest = re.sub(r" ([?.,])", r"\1", " ".join(" ".join(kept).split())).strip(" ,(")
    return rest if re.search(r"\w{2}", rest) else text


def _known(name: str) -> KnownDocument:
    edition = _EDITION.fullmatch(name)
    return KnownDocument(
        id=name, title=edition["title"] if edition else name, version=edition["version"] if edition else ""
    )


def _is_place(m: Mention, words: Sequence[Word], library: Library) -> bool:
    """Whether a mention only says where to look: a name, an edition, a noun that says something or in which what is asked stands."""
    if m.kind in ("name", "set", "version"):
        return True
    titled = [d for d in library.documents if m.noun in title_stems(d)]
    if m.kind != "described" or not titled:
        return False
    if m.selector.years or m.modifiers:
        return bool(m.selector.years or library.described([w.stem for w in m.modifiers], m.noun))
    before = words[m.start - 1].lower if m.start else ""
    following = words[m.end].lower if m.end < len(words) else ""
    return bool(m.determiner) and (
        following in SAYING | {"not"} or (before in _IN and (not following or following in STOP_WORDS))
    )
