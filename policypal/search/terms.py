"""From text to the terms BM25 counts: lower case, folded accents, stop words removed, stemmed."""

import re
import threading
import unicodedata
import zlib
from functools import lru_cache

import snowballstemmer

LEXICAL_DIMENSIONS = 1 << 29
"""Size of the hashed term space; pgvector's ``sparsevec`` allows up to 1e9. 50,000 terms collide about twice."""

TEXTS_KEPT = 16_384
"""Of how many texts what they say without regard to a question is kept in a process, in every reader of the shortlist alike: with fewer
than a library has, each search would read its passages anew."""

_WORD = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have he her his how i if in "
    "into is it its me my of on or our she so such than that the their them then there these they this "
    "those to us was we were what when where which who whom why will with would you your about".split()
)

_IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "kept:keep held:hold sent:send gave:give given:give made:make took:take taken:take told:tell paid:pay "
        "sold:sell bought:buy brought:bring lost:lose met:meet knew:know known:know wrote:write written:write "
        "chose:choose chosen:choose sought:seek began:begin begun:begin drawn:draw drew:draw withdrawn:withdraw "
        "withdrew:withdraw undertaken:undertake undertook:undertake withheld:withhold overseen:oversee "
        "upheld:uphold foreseen:foresee forgotten:forget spent:spend lent:lend built:build dealt:deal "
        "understood:understand children:child".split()
    )
)
"""Forms a stemmer cannot bring together: "How long are records kept?" must find "keep records"."""


def terms(text: str) -> list[str]:
    """The stemmed terms of ``text`` in order, stop words left out."""
    return [_stem(word) for word in _WORD.findall(_fold(text)) if word not in STOP_WORDS]


@lru_cache(maxsize=100_000)
def term_position(term: str) -> int:
    """The 0-based position of a term in the hashed space; stable across processes and machines."""
    return zlib.crc32(term.encode()) & (LEXICAL_DIMENSIONS - 1)


def _fold(text: str) -> str:
    text = text.lower().replace("’", "'")
    if text.isascii():
        return text
    return _NOT_ASCII.sub(lambda found: _without_accents(found.group()), text)


@lru_cache(maxsize=10_000)
def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


class _Stemmers(threading.local):
    """A stemmer keeps the word it works on in itself, so every thread has its own."""

    def __init__(self) -> None:
        self.english = snowballstemmer.stemmer("english")


_STEMMERS = _Stemmers()


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    return str(_STEMMERS.english.stemWord(_IRREGULAR.get(word, word)))
