"""Finding words on a page as a reader would: case, white space, punctuation and typesetting aside, never the words (C2).

Every find is a span of the page itself. What typesetting adds is folded away on both sides: ligatures, full-width
letters, combining accents, invisible characters, and hyphens that only break a line. Nothing else is: a letter of another
alphabet, a superscript or another digit is another word.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

Span = tuple[int, int]
"""Start and end, in code points of the page."""

_INVISIBLE = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_FOLDED = re.compile(
    rf"(?P<invisible>[{_INVISIBLE}]+)|(?P<wide>[\ufb00-\ufb06\uff01-\uff5e])|(?P<accent>[^\W\d_][\u0300-\u036f]+)|(?P<space>\s+)"
)
_LINE_BREAK_HYPHEN = re.compile(r"(?<=[^\W\d_])(?:[-\u2010\u2011\u00ad]\s*\n\s*|\ufffe\s*|\u00ad)(?=[^\W\d_])")
WORD = re.compile(r"[^\W_]+(?:(?<=\d)[.,](?=\d)[^\W_]+)*|[%‰€$£¥<>≤≥±]")
"""A word, a number with its separators, or a sign that changes what a number says."""
_NUMBER = (
    r"(?:[€$£¥]\s?)?(?:(?<![\w)\]])[-−–])?\d+(?:[.,:/–-]\d+| \d{3}(?!\d))*[^\W\d_]*"
    r"(?: ?(?:%|‰|€|£)| (?:per ?cent|percent|basis points|bps|thousand|million|billion|trillion|mn|bn|k|m)\b)?"
)
IN_MARKS = re.compile(r"“([^“”]+)”|\"([^\"\n]+)\"")
"""What a sentence puts into quotation marks: one of its two groups."""
_CUT = re.compile(r"\s*\[?…\]?\s*|\s*\.{3}\s*")
_FEWEST_WORDS = 3
_SEPARATOR = "\x1f"
_BLANK = f"{_SEPARATOR} "
_UNBROKEN = re.compile(rf"{_NUMBER}|[^\W_]+(?:[{_INVISIBLE}]+[^\W_]+)*", re.IGNORECASE)


@dataclass(frozen=True)
class _Folded:
    """Text as it is compared. ``starts[i]``/``ends[i]`` are where character ``i`` stands on the page."""

    text: str
    starts: list[int]
    ends: list[int]

    def span(self, start: int, end: int) -> Span:
        return self.starts[start], self.ends[end - 1]

    @cached_property
    def letters(self) -> tuple[str, list[int]]:
        """The text itself, and for every character its place in it."""
        return self.text, list(range(len(self.text) + 1))

    @cached_property
    def words(self) -> tuple[str, list[int]]:
        """The words between separators, and for every character of that string its place in ``text``."""
        parts, places = [_SEPARATOR], [0]
        for match in WORD.finditer(self.text):
            parts.append(match.group() + _SEPARATOR)
            places.extend(range(match.start(), match.end() + 1))
        return "".join(parts), places


class PageText:
    """A page ready to be searched. Use :func:`page_text`, which remembers the latest pages."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> _Folded:
        """In lower case, white space as single spaces."""
        return _fold(self.text, ())

    @cached_property
    def joined(self) -> _Folded:
        """The same with the halves of words that a line's end breaks put together."""
        return _fold(self.text, [m.span() for m in _LINE_BREAK_HYPHEN.finditer(self.text)])

    @cached_property
    def _unbroken(self) -> list[Span]:
        return [m.span() for m in _UNBROKEN.finditer(self.text)]

    def exact(self, words: str) -> Iterator[Span]:
        """Where ``words`` stand character by character."""
        return self._whole((at, at + len(words)) for at in _occurrences(self.text, words))

    def same_letters(self, words: str) -> Iterator[Span]:
        """Where ``words`` stand but for case, white space and typesetting."""
        return self._whole(self._spans(words, lambda folded: folded.letters))

    def same_words(self, words: str) -> Iterator[Span]:
        """Where the same words and signs stand in the same order, whatever punctuation is between them."""
        return self._whole(self._spans(words, lambda folded: folded.words))

    def _spans(self, words: str, form: Callable[[_Folded], tuple[str, list[int]]]) -> Iterator[Span]:
        wanted = PageText(words)
        for needle in dict.fromkeys(form(w)[0] for w in (wanted.lines, wanted.joined)):
            for page in (self.lines, self.joined):
                hay, places = form(page)
                for at in _occurrences(hay, needle) if needle.strip(_BLANK) else ():
                    yield _page_span(page, hay, places, at, at + len(needle))

    def _whole(self, spans: Iterator[Span]) -> Iterator[Span]:
        """Only finds that cut no word, number, amount or percentage in two."""
        return (span for span in spans if self.widened(*span) == span)

    def widened(self, start: int, end: int) -> Span:
        """The span with the words and numbers at its ends made whole: "15" of "150", "2" of "2.5 %"."""
        return self._unit_at(start)[0], self._unit_at(end)[1]

    def _unit_at(self, offset: int) -> Span:
        """The word or number that ``offset`` cuts in two; an empty span at ``offset`` where it cuts none."""
        at = bisect_right(self._unbroken, (offset, -1)) - 1
        if at >= 0 and self._unbroken[at][0] < offset < self._unbroken[at][1]:
            return self._unbroken[at]
        return offset, offset


@lru_cache(maxsize=512)
def page_text(text: str) -> PageText:
    """The page, prepared once for all the quotes that are looked up in it."""
    return PageText(text)


def find_words(words: str, page: str, near: Span | None = None) -> Span | None:
    """Where words that code took from a page stand on it: exactly, else but for case, white space and typesetting, else but for
    punctuation. Of equally good places the one inside ``near``, else the first; None where they do not stand there."""
    text = page_text(page)
    if not WORD.search(words):
        return None
    ways = (text.exact, text.same_letters, text.same_words)
    return next((place for way in ways if (place := _preferred(way(words.strip()), near))), None)


def _preferred(spans: Iterable[Span], near: Span | None) -> Span | None:
    first = None
    for span in spans:
        if near is None or (near[0] <= span[0] and span[1] <= near[1]):
            return span
        first = first or span
    return first


def is_quoted(words: str, text: str) -> bool:
    """Whether the words that stand in quotation marks stand in the text, piece by piece between ellipses; a term of one or
    two words may stand in marks."""
    pieces = [p for p in _CUT.split(words) if len(p.split()) >= _FEWEST_WORDS]
    return all(any(page_text(text).same_words(p)) for p in pieces)


def _occurrences(hay: str, needle: str) -> Iterator[int]:
    at = hay.find(needle) if needle else -1
    while at >= 0:
        yield at
        at = hay.find(needle, at + 1)


def _page_span(page: _Folded, hay: str, places: list[int], start: int, end: int) -> Span:
    while hay[start] in _BLANK:
        start += 1
    while hay[end - 1] in _BLANK:
        end -= 1
    return page.span(places[start], places[end - 1] + 1)


def _fold(text: str, dropped: list[Span] | tuple[()]) -> _Folded:
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def add(shown: str, start: int, end: int) -> None:
        characters.append(shown)
        if len(shown) == end - start:  # a run that keeps its length stands character by character
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(shown))
            ends.extend([end] * len(shown))

    done = 0
    for start, end in [*dropped, (len(text), len(text))]:
        for piece, at, until in _pieces(text, done, start):
            if not (piece == " " and (not characters or characters[-1] == " ")):
                add(piece, at, until)
        done = end
    return _Folded("".join(characters), starts, ends)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    done = start
    for match in _FOLDED.finditer(text, start, end):
        yield from _plain(text, done, match.start())
        match match.lastgroup:
            case "space":
                yield " ", *match.span()
            case "wide":
                yield unicodedata.normalize("NFKC", match.group()).lower(), *match.span()
            case "accent":
                yield unicodedata.normalize("NFC", match.group()).lower(), *match.span()
        done = match.end()
    yield from _plain(text, done, end)


def _plain(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    run = text[start:end]
    lowered = run.lower()
    if len(lowered) == len(run):
        if run:
            yield lowered, start, end
        return
    for index in range(start, end):  # a letter whose small form has two characters
        yield text[index].lower(), index, index + 1
