"""Quotes, numbers, negations and modal verbs against the stored text, by code (C2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.services.quantities import Quantity, QuantityKind, find_quantities, number_value
from policypal.services.sentences import split_sentences

DRIFT_SCORE = 85.0
"""rapidfuzz partial ratio, 0–100, from which words are taken for a misquotation of the source's own."""
_MIN_DRIFT_CHARACTERS = 20
_ELLIPSIS = re.compile(r"\s*(?:\[\s*)?(?:…|\.{3,}|\. \. \.)(?:\s*\])?\s*")
_TOKEN = re.compile(r"[^\W_]+(?:[.,]\d+)*|[%€$£¥<>≤≥]")
_LINE_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\ufffe]\s*\n\s*(?=[a-z])|[\u00ad\ufffe]")


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


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Something a cited sentence says that none of its quotes says. ``kind``: number, date, negation or modal."""

    kind: str
    text: str


_Span = tuple[QuoteStatus, int, int]


def verify_quote(quote: str, page_text: str) -> QuoteCheck:
    """Find ``quote`` on its page (C2): exactly, then ignoring case and white space, then ignoring punctuation, then
    as a drifted wording. Pieces around an ellipsis are checked one by one, in order."""
    pieces = [p for p in _ELLIPSIS.split(_unquoted(quote)) if _TOKEN.search(p)]
    spans: list[_Span] = []
    for piece in pieces:
        found = _locate(piece, page_text, spans[-1][2] if spans else 0)
        if found is None:
            return QuoteCheck(QuoteStatus.ABSENT, clip_quote(quote.strip()))
        spans.append(found)
    if not spans:
        return QuoteCheck(QuoteStatus.ABSENT, clip_quote(quote.strip()))
    return _checked(spans, page_text)


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


def is_heading_only(quote: str) -> bool:
    """Whether the quote is a heading ("Article 5", "3. Record keeping"), which supports nothing (C2)."""
    text = _unquoted(quote).strip()
    body = _NUMBERED.sub("", text)
    if not body:
        return True
    if len(body.split()) > 12 or _FINITE.search(body) or re.search(r"[.;!?]$", body):
        return False
    if body.isupper() or _NUMBERED.match(text) or "\n" in text:
        return True
    words = [w for w in re.findall(r"[A-Za-z][\w'-]*", body) if len(w) > 3]
    return body[0].isupper() and not find_quantities(body) and (len(words) <= 5 or all(w[0].isupper() for w in words))


def check_sentence(sentence: str, quotes: list[str]) -> list[Unsupported]:
    """What ``sentence`` says in numbers, dates, negations and modal verbs that none of ``quotes`` says (C2).
    "thirty" and "30", "must" and "shall" are the same; "must" is not supported by "must not"."""
    evidence = " \n ".join(quotes)
    missing = [*_missing_quantities(sentence, evidence)]
    missing += _missing_modals(sentence, evidence)
    if not any(m.kind == "modal" for m in missing) and (word := _negation(sentence)) and not _negation(evidence):
        missing.append(Unsupported("negation", word))
    return missing


def _unquoted(quote: str) -> str:
    return quote.strip().strip("\"“”„«»'‘’").strip()


def _locate(piece: str, page: str, after: int) -> _Span | None:
    at = page.find(piece, after)
    if at >= 0:
        return QuoteStatus.EXACT, at, at + len(piece)
    for status, pattern in (
        (QuoteStatus.WHITESPACE, _whitespace_pattern(piece)),
        (QuoteStatus.PUNCTUATION, _punctuation_pattern(piece)),
    ):
        match = pattern.search(page, after)
        if match:
            return status, *match.span()
    return _drifted(piece, page, after)


def _whitespace_pattern(piece: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(re.escape(w) for w in piece.split()), re.I)


def _punctuation_pattern(piece: str) -> re.Pattern[str]:
    """Same words and signs in the same order, anything but words between them; words may break at a line's end."""
    joined = _LINE_HYPHEN.sub("", piece)
    words = [_breakable(t) for t in _TOKEN.findall(joined)]
    return re.compile(r"(?<![^\W_])" + r"[\W_]*?".join(words) + r"(?![^\W_])", re.I)


def _breakable(token: str) -> str:
    if not token.isalpha():
        # "5" must not match the beginning of "5.5" nor "5,000".
        return (
            re.escape(token)
            + (r"(?![.,]\d|\d)" if token[-1].isdigit() else "")
            + (r"(?=\W|_|$)" if token.isalnum() else "")
        )
    return r"(?:[-\u00ad\ufffe]\s*\n\s*|[\u00ad\ufffe])?".join(token) + r"(?=[\W_]|$)"


def _drifted(piece: str, page: str, after: int) -> _Span | None:
    if len(piece) < _MIN_DRIFT_CHARACTERS:
        return None
    needle = " ".join(piece.lower().split())
    hay, positions = _collapsed(page, after)
    found = fuzz.partial_ratio_alignment(needle, hay, score_cutoff=DRIFT_SCORE)
    if found is None or found.dest_end <= found.dest_start:
        return None
    # A long quote must not be "found" in a page shorter than itself.
    if found.src_end - found.src_start < 0.8 * len(needle) or found.dest_end - found.dest_start < 0.6 * len(needle):
        return None
    return QuoteStatus.DRIFTED, *_whole_words(page, positions[found.dest_start], positions[found.dest_end - 1] + 1)


def _collapsed(page: str, after: int) -> tuple[str, list[int]]:
    """The page from ``after`` on in lower case with single spaces, and where each character stands on the page."""
    characters: list[str] = []
    positions: list[int] = []
    for index in range(after, len(page)):
        character = " " if page[index].isspace() else page[index].lower()[0]
        if character == " " and (not characters or characters[-1] == " "):
            continue
        characters.append(character)
        positions.append(index)
    return "".join(characters), positions


def _whole_words(page: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and page[start - 1].isalnum() and page[start].isalnum():
        start -= 1
    while end < len(page) and page[end - 1].isalnum() and page[end].isalnum():
        end += 1
    while start < end and not page[start].isalnum() and page[start] not in '([“"‘€$£':
        start += 1
    while end > start and page[end - 1].isspace():
        end -= 1
    return start, end


def _checked(spans: list[_Span], page: str) -> QuoteCheck:
    status = max((s[0] for s in spans), key=list(QuoteStatus).index)
    start, end = spans[0][1], spans[-1][2]
    if end - start <= MAX_QUOTE_CHARACTERS:
        # One stretch of the source, so that an ellipsis cannot hide a "not".
        return QuoteCheck(status, page[start:end], start, end)
    if len(spans) == 1:
        text = clip_quote(page[start:end])
        return QuoteCheck(status, text, start, start + len(text))
    text = " … ".join(page[a:b] for _, a, b in spans)
    return QuoteCheck(status, text if len(text) <= MAX_QUOTE_CHARACTERS else clip_quote(page[start:end]), start, end)


_PROHIBITION = r"(?:(?:must|shall|may|can|should|will)\s*(?:not|never|no longer)\b(?! (?:later|less|fewer|more) than)|mustn't|can't|cannot|shan't|\b(?:is|are|be) (?:strictly )?(?:prohibited|forbidden|not (?:allowed|permitted))|\b(?:prohibits?|forbids?)\b|\bno \w+(?: \w+){0,2} (?:may|shall|must|can)\b)"
_MODALS: dict[str, re.Pattern[str]] = {
    "prohibition": re.compile(_PROHIBITION, re.I),
    "obligation": re.compile(
        r"\b(?:(?:must|shall)\b(?!\s*(?:not|never)\b(?! (?:later|less|fewer|more) than))|(?:is|are|be) (?:required|obliged|obligated) to\b|ha(?:s|ve) to\b|needs? to\b|(?:is|are) mandatory)",
        re.I,
    ),
    "recommendation": re.compile(r"\b(?:(?:should|ought to)\b(?!\s*(?:not|never)\b)|(?:is|are) recommended)", re.I),
    "permission": re.compile(r"\b(?:(?-i:may|can|might|could)\b(?!\s*not\b)|(?:is|are) (?:allowed|permitted|entitled) to\b)", re.I),
}  # fmt: skip
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|cannot|nobody|nothing|except|unless|exempt(?:ed)?|"
    r"prohibit(?:s|ed)?|forbid(?:s|den)?)\b|\w+n['’]t\b",
    re.I,
)


def _negation(text: str) -> str | None:
    match = _NEGATION.search(text)
    return match.group() if match else None


def _missing_modals(sentence: str, evidence: str) -> list[Unsupported]:
    missing = []
    for pattern in _MODALS.values():
        match = pattern.search(sentence)
        if match and not pattern.search(
            _without_prohibitions(evidence) if pattern is not _MODALS["prohibition"] else evidence
        ):
            missing.append(Unsupported("modal", match.group()))
        sentence = pattern.sub(" ", sentence) if pattern is _MODALS["prohibition"] else sentence
    return missing


def _without_prohibitions(text: str) -> str:
    return _MODALS["prohibition"].sub(" ", text)


_MARKER = re.compile(r"[📄🌐]\s*\d+|\[\d+\]")


def _missing_quantities(sentence: str, evidence: str) -> list[Unsupported]:
    sentence = _MARKER.sub(" ", sentence)
    known = find_quantities(evidence)
    numbers = _number_values(evidence)
    missing = []
    for quantity in find_quantities(sentence):
        if not any(_same(quantity, other) for other in known):
            missing.append(Unsupported("date" if quantity.kind is QuantityKind.DATE else "number", quantity.text))
    flagged = " ".join(m.text for m in missing)
    for match in re.finditer(r"\d+(?:[.,]\d+)*", sentence):
        value = number_value(match.group())
        if value is not None and value not in numbers and match.group() not in flagged:
            missing.append(Unsupported("number", match.group()))
    return missing


def _number_values(text: str) -> set[float]:
    words = re.findall(r"\d+(?:[.,]\d+)*|[A-Za-z]+(?:-[A-Za-z]+)?", text)
    return {v for w in words if (v := number_value(w)) is not None}


def _same(a: Quantity, b: Quantity) -> bool:
    if a.kind is QuantityKind.NUMBER:
        return a.value == b.value or (b.kind is QuantityKind.NUMBER and a.value == b.value)
    if a.kind is not b.kind:
        return False
    if a.kind is QuantityKind.DURATION:
        return (a.unit == b.unit and a.value == b.value) or _equal_units(a, b)
    if a.kind is QuantityKind.FREQUENCY:
        return abs(a.value - b.value) < 0.02 * b.value
    return a.value == b.value and a.unit == b.unit


_CONVERTIBLE = ({"hours", "days", "minutes", "weeks"}, {"months", "years", "quarters"})


def _equal_units(a: Quantity, b: Quantity) -> bool:
    """72 hours is three days and twelve months is one year; one month is not 30 days in law."""
    if not any({a.unit, b.unit} <= group for group in _CONVERTIBLE):
        return False
    return abs(a.value - b.value) <= 0.003 * max(a.value, b.value)
