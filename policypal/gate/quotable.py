"""What may stand as a quotation, and how much of it is shown (C1, C2)."""

import re

from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.text.quantities import find_quantities
from policypal.text.sentences import split_sentences


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
    text = quote.strip()
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
