"""A message without the names of documents: a title's words ask for nothing (G0)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from policypal.request.document_names import KnownDocument
from policypal.request.library import Library
from policypal.request.names import find_names
from policypal.request.sets import find_sets
from policypal.request.words import Word, split_words

MASK = "xdoc"
"""Stands for a document: a word like any other, so that word boundaries hold."""
_QUOTES = "\"“”'‘’«»„"


def masked(message: str, documents: Sequence[KnownDocument], today: date) -> str:
    """``message`` with every title, alias, acronym, file name and named set as :data:`MASK`. Years and "both editions of"
    beside a name stay: they are part of what is asked."""
    words, library = split_words(message), Library(documents)
    names = find_names(message, words, library, today)
    spans = [(n.name_start, n.name_end) for n in names]
    used = {i for start, end in spans for i in range(start, end)}
    spans += [(s.start, s.end) for s in find_sets(words, used, library)]
    for start, end in sorted(spans, reverse=True):
        message = _cut(message, words, start, end)
    return message


def _cut(message: str, words: Sequence[Word], start: int, end: int) -> str:
    """With the "@" and the quotation marks around the name, and a version in brackets behind it."""
    before, after = message[: words[start].start], message[words[end - 1].end :]
    opened = before.rstrip(_QUOTES + "@")
    closed = after.lstrip(_QUOTES) if opened != before else after
    possessive = "'s" if words[end - 1].is_possessive else ""
    return f"{opened}{MASK}{possessive}{re.sub(r'^ ?[(][^()]{1,30}[)]', '', closed)}"
