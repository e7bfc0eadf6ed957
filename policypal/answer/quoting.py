"""Quotations: exact words of the evidence, at most 300 characters each, and the templates they stand in (C1, C6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from policypal.answer.evidence import CitedSentence, Evidence, Quote
from policypal.answer.statements import Part, Span, Statement
from policypal.domain.citations import MAX_QUOTE_CHARACTERS
from policypal.gate.verify import is_heading_only
from policypal.search.terms import terms

MAX_QUOTES = 4
MAX_LIST_QUOTES = 8
"""A list is quoted with its introduction, an item or a few to a quote."""
_WHOLE_SENTENCE_QUOTES = 3
_CLAUSE = re.compile(
    r"[;:]\s+|,\s+|\s+(?=\((?:[a-z]{1,3}|\d+)\)\s)|\s+(?=(?:unless|provided|except|where|which|and|or)\b)"
)


def cite(
    statement: Statement, focus: Collection[str] = (), *, with_items: bool = False, prefix: str = ""
) -> CitedSentence:
    """The statement as a template around its own words: ``GDPR, page 52: “In the case of …”``.

    ``focus`` are stemmed terms that decide which clause of an overlong sentence is kept. ``with_items`` adds the list a
    line introduces. ``prefix`` goes before the attribution.
    """
    said = quote(statement, focus, with_items=with_items)
    return CitedSentence(text=f"{prefix}{attribution(statement.evidence)}: {said.text}", quotes=said.quotes)


def quote(
    statement: Statement, focus: Collection[str] = (), *, with_items: bool = False, prefix: str = ""
) -> CitedSentence:
    """The statement's own words in quotation marks, for places that name the document themselves (U2d)."""
    parts = quoted_parts(statement, focus, with_items=with_items)
    quotes = [Quote(evidence=part.evidence.number, text=part.words) for part in parts]
    last = statement.items[-1] if with_items and statement.items else statement.parts[-1]
    ends = bool(parts) and parts[-1].evidence is last.evidence and parts[-1].span[1] >= last.span[1]
    breaks_off = not ends or not (statement.complete or (with_items and statement.items))
    return CitedSentence(text=f"{prefix}{quotation(parts, breaks_off=breaks_off)}", quotes=quotes)


def attribution(evidence: Evidence) -> str:
    """Where the words stand: document and page. Beside the quotes, all that a keyless sentence says of its own."""
    return evidence.document if evidence.page is None else f"{evidence.document}, page {evidence.page}"


def quotation(parts: Sequence[Part], *, breaks_off: bool = False) -> str:
    """The parts' words in quotation marks; "[…]" marks what was left out between them, or after the last."""
    words: list[str] = []
    for index, part in enumerate(parts):
        if index and _skips(parts[index - 1], part):
            words.append("[…]")
        words.append(" ".join(part.words.split()))
    if breaks_off:
        words.append("[…]")
    return f"“{' '.join(words)}”"


def _skips(left: Part, right: Part) -> bool:
    """Parts of different passages are one sentence, cut where the first passage ends."""
    return left.evidence is right.evidence and bool(left.evidence.text[left.span[1] : right.span[0]].strip())


def quoted_parts(statement: Statement, focus: Collection[str] = (), *, with_items: bool = False) -> list[Part]:
    """Parts of at most 300 characters that carry the statement, in reading order and at most four, eight of a list. An introduction
    that is no more than a heading ("For all systems:") is left out, unless it shares a quote with what follows (C2)."""
    body = _clauses(statement.parts, focus)
    own = statement.evidence
    if with_items and statement.items:
        items = (part for item in statement.items for part in _clauses([item], focus)[:1])
        body = [*body[-1:], *items]
    elif statement.intro is not None:
        body = [*_clauses([Part(own, statement.intro)], focus)[-1:], *body]
    joined = _joined(body)
    most = MAX_LIST_QUOTES if with_items and statement.items else MAX_QUOTES
    return ([part for part in joined if not is_heading_only(part.words)] or joined)[:most]


def _clauses(parts: Sequence[Part], focus: Collection[str]) -> list[Part]:
    """The parts cut at clause boundaries into quotable ones; of a very long sentence, its opening and its best part."""
    cut = [Part(part.evidence, span) for part in parts for span in _cut(part.evidence.text, part.span)]
    if len(cut) <= _WHOLE_SENTENCE_QUOTES:
        return cut
    wanted = set(focus)
    best = max(cut[1:], key=lambda part: len(wanted & set(terms(part.words))))
    return [cut[0], best]


def _cut(text: str, span: Span) -> list[Span]:
    start, end = span
    parts: list[Span] = []
    while end - start > MAX_QUOTE_CHARACTERS:
        window = text[start : start + MAX_QUOTE_CHARACTERS]
        boundaries = [m.end() for m in _CLAUSE.finditer(window) if m.end() >= 60] or [
            m.end() for m in re.finditer(r"\s+", window)
        ]
        length = boundaries[-1] if boundaries else MAX_QUOTE_CHARACTERS
        parts.append(_trimmed(text, start, start + length))
        start += length
    parts.append(_trimmed(text, start, end))
    return [part for part in parts if part[1] > part[0]]


def _trimmed(text: str, start: int, end: int) -> Span:
    raw = text[start:end]
    return start + len(raw) - len(raw.lstrip()), end - (len(raw) - len(raw.rstrip()))


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Neighbouring parts merged while they fit one quote."""
    merged: list[Part] = []
    for part in parts:
        if merged and _fits(merged[-1], part):
            merged[-1] = Part(part.evidence, (merged[-1].span[0], part.span[1]))
        else:
            merged.append(part)
    return merged


def _fits(left: Part, right: Part) -> bool:
    if left.evidence is not right.evidence or left.evidence.text[left.span[1] : right.span[0]].strip():
        return False
    return left.span[1] <= right.span[0] and right.span[1] - left.span[0] <= MAX_QUOTE_CHARACTERS
