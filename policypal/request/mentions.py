"""The places of a message that stand for documents: names, descriptions, sets, editions, pronouns, and names of documents that
the library does not hold (G0, G4). What they mean is decided in :mod:`.binding`."""

import re
from collections.abc import Sequence
from datetime import date

from policypal.request.library import Library
from policypal.request.phrases import Phrases
from policypal.request.scanning import MASK, QUOTES
from policypal.request.scanning import Mention as Mention
from policypal.request.words import Word, split_words


def find_mentions(message: str, library: Library, today: date) -> list[Mention]:
    """Every mention, in reading order; none overlaps another."""
    return Phrases(message, library, today).find()


def masked(message: str, library: Library, today: date) -> str:
    """``message`` with every name and named set, and the words that describe a document, as :data:`MASK`: they ask for nothing
    (G0). Years and "both editions of" beside a name stay: they are part of what is asked."""
    words = split_words(message)
    for m in reversed(find_mentions(message, library, today)):
        start, end = m.name if m.name[1] else (m.start, m.end)
        if m.kind == "described":
            if not m.modifiers or not library.described([w.stem for w in m.modifiers], m.noun):
                continue
            start = next(i for i, w in enumerate(words) if w.start == m.modifiers[0].start)
        elif m.kind not in ("name", "set"):
            continue
        message = _cut(message, words, start, end)
    return message


def _cut(message: str, words: Sequence[Word], start: int, end: int) -> str:
    """With the "@" and the quotation marks around the name, and a version in brackets behind it."""
    before, after = message[: words[start].start], message[words[end - 1].end :]
    opened = before.rstrip(QUOTES + "@")
    closed = after.lstrip(QUOTES) if opened != before else after
    possessive = "'s" if words[end - 1].is_possessive else ""
    return f"{opened}{MASK}{possessive}{re.sub(r'^ ?[(][^()]{1,30}[)]', '', closed)}"
