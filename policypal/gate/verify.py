"""Quotes against the stored text, by code (C2).

The contract, for every caller and every engine:

- What is shown as a quotation is a slice of the page, or slices of it with "…" between; never the claimed words.
- A quote is *verified* where its words stand on the page: exactly, then but for case, white space and typesetting, then
  but for punctuation. A find never cuts a word, a number, an amount or a percentage in two.
- It is *corrected* where the page says nearly the same (:data:`DRIFT_SCORE`): the page's words take its place, unless they
  differ in a number, negation, modal verb or party (:mod:`policypal.gate.divergence`). A find that
  only a "not" before or after it, or left out by an ellipsis, turns around is widened to include it, which corrects it, too.
- It is *absent* otherwise, and has no place on the page.
- Pieces around an ellipsis are looked up one by one, in order. A quote that runs over a page break is looked up in two
  pieces, one at the end of a page and one at the beginning of the next (:func:`verify_over_break`).
- A heading supports nothing (:func:`is_heading_at`).

What a sentence says beyond its quotes is the subject of :mod:`policypal.gate.claims`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from rapidfuzz import fuzz

from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.gate.divergence import divergence
from policypal.gate.verbatim import WORD, PageText, Span, page_text
from policypal.text.headings import is_bare_division, is_heading, is_title_below
from policypal.text.quantities import find_quantities
from policypal.text.sentences import split_sentences

DRIFT_SCORE = 85.0
"""rapidfuzz partial ratio, 0–100, from which words are taken for a misquotation of the source's own."""
_MIN_DRIFT_CHARACTERS = 20
_STRAY = 12
_ELLIPSIS = re.compile(r"\s*(?:[\[(]\s*)?(?:…|\.{3,}|\. \. \.)(?:\s*[\])])?\s*")
_NEGATED_BEFORE = re.compile(
    r"\b(?:not|never|no|nor|neither|without|cannot|hardly|rarely|(?:\w+n['’]t))\s+(?:[\w-]+\s+)?$", re.IGNORECASE
)
_NEGATED_AFTER = re.compile(r"^\s+(?:[\w-]+\s+)?(?:not|never|no longer|neither)\b", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:not|never|no|nor|neither|without|cannot|unless|except|prohibited|forbidden|\w+n['’]t)\b", re.IGNORECASE
)
_LABEL = re.compile(r"\s*(?:\d+(?:\.\d+)*[.)]?(?=\s)|[•▪‣·–—-]|\(?[a-zA-Z]{1,5}[).])?\s*")
_OPENING, _CLOSING, _DOUBLE = frozenset("\"“„«'‘"), frozenset("\"”“»'’"), frozenset('"“”„«»')
_LARGEST_FOOTER = 1000
_LARGEST_HEADER = 400


class QuoteStatus(StrEnum):
    """How a quote was found, best first. DRIFTED quotes carry the source's words instead of their own."""

    EXACT = "exact"
    WHITESPACE = "whitespace"
    PUNCTUATION = "punctuation"
    DRIFTED = "drifted"
    ABSENT = "absent"

    @property
    def verified(self) -> bool:
        return self is not QuoteStatus.ABSENT


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """``text`` is the source's own wording (at most 300 characters); ``start``/``end`` are code points into the
    page, None where the quote is absent (``text`` is then the claimed quote, to be shown without marks)."""

    status: QuoteStatus
    text: str
    start: int | None = None
    end: int | None = None


_Found = tuple[QuoteStatus, int, int]
_RANK = {status: rank for rank, status in enumerate(QuoteStatus)}


def verify_quote(quote: str, page: str, *, near: Span | None = None, drift: bool = True) -> QuoteCheck:
    """Find ``quote`` on its ``page`` (C2). Of equally good places the one inside ``near`` counts, else the first. Without
    ``drift`` only its own words are found."""
    pieces = _pieces(quote)
    text = page_text(page)
    found: list[_Found] = []
    for piece in pieces:
        place = _locate(piece, text, found[-1][2] if found else 0, near, drift)
        if place is None:
            return _absent(quote)
        found.append(place)
    return _checked(found, text) if found else _absent(quote)


def verify_over_break(quote: str, page: str, following: str) -> tuple[QuoteCheck, QuoteCheck] | None:
    """The two halves of a quote that begins at the end of ``page`` and ends at the beginning of ``following``, each with
    offsets into its own page; None where it does not. Footers and headers may stand between them."""
    pieces = _pieces(quote)
    for at in range(1, len(pieces)):
        before, after = (
            verify_quote(" … ".join(part), text) for part, text in ((pieces[:at], page), (pieces[at:], following))
        )
        if (
            QuoteStatus.DRIFTED not in (before.status, after.status)
            and before.status.verified
            and after.status.verified
        ):
            return before, after
    return _over_break(pieces[0], page, following) if len(pieces) == 1 else None


def clip_quote(text: str, limit: int = MAX_QUOTE_CHARACTERS) -> str:
    """The beginning of ``text`` within ``limit`` characters: whole sentences where possible, else whole words.
    Always a prefix of ``text``, so it stays verbatim."""
    if len(text) <= limit:
        return text
    ends = [s.end for s in split_sentences(text) if s.end <= limit]
    if ends and ends[-1] >= limit // 3:
        return text[: ends[-1]]
    cut = text.rfind(" ", 0, limit + 1)
    return text[: cut if cut > limit // 3 else limit].rstrip()


_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|must|shall|should|may|might|can|cannot|could|will|would|"
    r"applies|apply|means|includes?|requires?|provides?|ensures?|keeps?|reports?(?= to\b)|we|they|it)\b",
    re.I,
)
_NUMBERED = re.compile(
    r"^\s*(?:(?:article|section|chapter|part|annex|appendix|schedule|title|rule|principle)\s+[\dIVXLC]+[\w.()]*|\d+(?:\.\d+)*\.?|[A-Z]\.)\s*[:.–—-]?\s*",
    re.I,
)


_FIGURES = re.compile(r"(?<!\S)[€$£¥(]*\d[\d,.]*\)?%?(?!\S)")


def is_heading_only(quote: str) -> bool:
    """Whether the quote is a heading ("Article 5", "3. Record keeping"), which supports nothing (C2)."""
    text = _unquoted(quote).strip()
    body = _NUMBERED.sub("", text)
    if not body:
        return True
    if len(_FIGURES.findall(body)) > 1:  # columns of a table
        return False
    if len(body.split()) > 12 or _FINITE.search(body) or re.search(r"[.;!?]$", body):
        return False
    if body.isupper() or _NUMBERED.match(text) or "\n" in text:
        return True
    words = [w for w in re.findall(r"[A-Za-z][\w'-]*", body) if len(w) > 3]
    return body[0].isupper() and not find_quantities(body) and (len(words) <= 5 or all(w[0].isupper() for w in words))


def is_heading_at(page: str, start: int, end: int) -> bool:
    """Whether all of ``page[start:end]`` is one heading of the page or a part of it; only the page tells that
    "Notification of a breach to the authority" is the title of an article."""
    begin, until = page.rfind("\n", 0, start) + 1, page.find("\n", end)
    line = page[begin : until if until >= 0 else len(page)].strip()
    if is_heading_only(page[start:end]):
        return not _is_part_of_sentence(page[start:end], line)
    if "\n" in line or _FINITE.search(line) or line.endswith((".", ";", ":", ",")) or find_quantities(line):
        return False
    above = page[:begin].rstrip().rpartition("\n")[2]
    below = page[until:].lstrip().partition("\n")[0] if until >= 0 else None
    return (is_bare_division(above) and is_title_below(line)) or is_heading(line, below or None)


_LEAST_WORDS = 4
"""Fewer say what it is about, not what is to be done."""
_SENTENCE_END = re.compile(r"[.;!?][\"”’')\]]*$")


def _is_part_of_sentence(words: str, line: str) -> bool:
    """Whether words that could be a heading are the beginning or the middle of a sentence that goes on in their line."""
    if len(words.split()) < _LEAST_WORDS or _NUMBERED.match(words) or words.isupper() or "\n" in words:
        return False
    around = next((s.text for s in split_sentences(line) if words in s.text), "").strip()
    return len(around) > len(words) and (bool(_SENTENCE_END.search(around)) or bool(_FINITE.search(around)))


def _absent(quote: str) -> QuoteCheck:
    return QuoteCheck(QuoteStatus.ABSENT, clip_quote(quote.strip()))


def _pieces(quote: str) -> list[str]:
    return [p for p in _ELLIPSIS.split(_unquoted(quote)) if WORD.search(p)]


def _unquoted(quote: str) -> str:
    """Without the quotation marks around all of it; marks inside are the source's."""
    text = quote.strip()
    while len(text) > 2 and text[0] in _OPENING and text[-1] in _CLOSING and not set(text[1:-1]) & _DOUBLE:
        text = text[1:-1].strip()
    return text


def _locate(piece: str, page: PageText, after: int, near: Span | None, drift: bool) -> _Found | None:
    for status, spans in (
        (QuoteStatus.EXACT, page.exact),
        (QuoteStatus.WHITESPACE, page.same_letters),
        (QuoteStatus.PUNCTUATION, page.same_words),
    ):
        if place := _preferred(spans(piece), after, near):
            return status, *place
    if not drift:
        return None
    inside = _drifted(piece, page, max(after, near[0]), near[1]) if near else None
    return inside or _drifted(piece, page, after, len(page.text))


def _preferred(spans: Iterable[Span], after: int, near: Span | None) -> Span | None:
    first = None
    for span in spans:
        if span[0] < after:
            continue
        if near is None or (near[0] <= span[0] and span[1] <= near[1]):
            return span
        first = first or span
    return first


def _drifted(piece: str, page: PageText, after: int, until: int) -> _Found | None:
    if len(piece) < _MIN_DRIFT_CHARACTERS:
        return None
    needle = " ".join(piece.lower().split())
    hay = page.lines
    first = next((i for i, at in enumerate(hay.starts) if at >= after), len(hay.starts))
    last = next((i for i, at in enumerate(hay.ends) if at > until), len(hay.ends))
    found = fuzz.partial_ratio_alignment(needle, hay.text[first:last], score_cutoff=DRIFT_SCORE)
    if found is None or found.dest_end <= found.dest_start:
        return None
    # A long quote must not be "found" in a page shorter than itself.
    if found.src_end - found.src_start < 0.8 * len(needle) or found.dest_end - found.dest_start < 0.6 * len(needle):
        return None
    span = page.widened(*hay.span(first + found.dest_start, first + found.dest_end))
    start, end = _trimmed(page.text, *_within_sentences(page, *span))
    ((shown, until),) = _unturned(page, [(start, end)])
    return None if divergence(piece, page.text[shown:until]) else (QuoteStatus.DRIFTED, start, end)


def _within_sentences(page: PageText, start: int, end: int) -> Span:
    """Without the last words of the sentence before, or the first of the one after, that an alignment takes along."""
    before, after = page.sentence_at(start), page.sentence_at(end - 1)
    if before[1] < end and before[1] - start <= _STRAY:
        start = _after_label(page.text, next((i for i in range(before[1], end) if not page.text[i].isspace()), start))
    if start < after[0] and end - after[0] <= _STRAY:
        end = after[0]
    return start, end


def _trimmed(page: str, start: int, end: int) -> Span:
    while start < end and not page[start].isalnum() and page[start] not in '([“"‘€$£¥-−–':
        start += 1
    while end > start and page[end - 1].isspace():
        end -= 1
    return start, end


def _checked(found: list[_Found], page: PageText) -> QuoteCheck:
    """The verdict on the pieces: one stretch of the page where it fits a quote, so that an ellipsis hides nothing."""
    status = max((f[0] for f in found), key=_RANK.__getitem__)
    spans = [(start, end) for _, start, end in found]
    if spans[-1][1] - spans[0][0] <= MAX_QUOTE_CHARACTERS:
        spans = [(spans[0][0], spans[-1][1])]
    turned = list(_unturned(page, spans))
    if turned != spans:
        status, spans = QuoteStatus.DRIFTED, turned
    text = " … ".join(page.text[a:b] for a, b in spans)
    if len(spans) == 1 or len(text) > MAX_QUOTE_CHARACTERS:
        start, end = spans[0]
        text = clip_quote(page.text[start:end])
        status = status if len(spans) == 1 else QuoteStatus.DRIFTED
        return QuoteCheck(status, text, start, start + len(text))
    return QuoteCheck(status, text, spans[0][0], spans[-1][1])


def _unturned(page: PageText, spans: list[Span]) -> Iterator[Span]:
    """The spans, wider where words just beside them, or between them in the same sentence, turn their meaning around."""
    merged = [spans[0]]
    for (_, left), (start, end) in pairwise(spans):
        sentence, own = page.sentence_at(left - 1), page.sentence_at(start)
        if sentence == own and _TURNS.search(page.text, left, start):
            merged[-1] = (merged[-1][0], end)
            continue
        if sentence != own:
            if _TURNS.search(page.text, left, sentence[1]):
                merged[-1] = (merged[-1][0], sentence[1])
            if WORD.search(page.text, _after_label(page.text, own[0]), start):
                start = own[0]
        merged.append((start, end))
    merged[0] = (_negation_before(page, merged[0][0]), merged[0][1])
    merged[-1] = (merged[-1][0], _negation_after(page, merged[-1][1]))
    return iter(merged)


def _after_label(text: str, start: int) -> int:
    match = _LABEL.match(text, start)
    return match.end() if match else start


def _negation_before(page: PageText, start: int) -> int:
    """Where the clause begins whose "not" stands right before ``start``; ``start`` itself where none does."""
    sentence = page.sentence_at(start)[0]
    match = _NEGATED_BEFORE.search(page.text, sentence, start)
    if not match:
        return start
    whole = _after_label(page.text, sentence)
    return whole if match.end() - whole <= MAX_QUOTE_CHARACTERS // 2 else match.start()


def _negation_after(page: PageText, end: int) -> int:
    """Where the sentence ends whose "not" stands right after ``end``; ``end`` itself where none does."""
    sentence = page.sentence_at(end - 1)[1]
    match = _NEGATED_AFTER.match(page.text[end:sentence])
    return end if not match else page.widened(end, min(sentence, end + MAX_QUOTE_CHARACTERS // 2))[1]


def _over_break(piece: str, page: str, following: str) -> tuple[QuoteCheck, QuoteCheck] | None:
    first, second = page_text(page), page_text(following)
    words = list(WORD.finditer(piece))
    for at in range(len(words) - 1, 0, -1):
        tail = [s for s in first.same_words(piece[: words[at - 1].end()]) if _ends_page(page, s[1])]
        head = (
            [s for s in second.same_words(piece[words[at].start() :]) if _begins_page(following, s[0])] if tail else []
        )
        if head:
            found = [(QuoteStatus.PUNCTUATION, *tail[-1])], [(QuoteStatus.PUNCTUATION, *head[0])]
            return _checked(found[0], first), _checked(found[1], second)
    return None


def _ends_page(page: str, end: int) -> bool:
    """Whether at most a footer stands below ``end``."""
    rest = page[end:]
    return len(rest) <= _LARGEST_FOOTER and not WORD.search(rest.partition("\n")[0])


def _begins_page(page: str, start: int) -> bool:
    """Whether at most a header stands above ``start``."""
    above = page[:start]
    return len(above) <= _LARGEST_HEADER and not WORD.search(above.rpartition("\n")[2])
