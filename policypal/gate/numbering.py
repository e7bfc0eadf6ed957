"""The numbers sentences are cited by: "3.2" is the second sentence of the third passage (C2).

A model is shown numbers and answers with numbers; code puts the words beside them, so that a quotation can neither drift nor lose
its "unless". Headings have no number: they support nothing.
"""

import re
from functools import lru_cache

from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, ProvisionSentence
from policypal.gate.quotable import is_heading_only
from policypal.text.provisions import read_provisions

Span = tuple[int, int]
_NUMBER = re.compile(r"\W*(\d{1,6})\.(\d{1,6})\W*")


@lru_cache(maxsize=8_192)
def sentence_spans(text: str) -> tuple[Span, ...]:
    """Where the sentences, list items and table rows of a text stand, in code points; of nothing but headings, the headings."""
    read = [s for p in read_provisions([Page(1, text)]) for s in p.sentences]
    said = [s for s in read if s.kind is not Kind.HEADING and not _is_heading(s)] or read
    return tuple(sorted((s.start, s.end) for s in said))


def _is_heading(sentence: ProvisionSentence) -> bool:
    """Whether a line on its own reads like a heading, in a text that is not set like one of provisions."""
    return sentence.kind is Kind.STATEMENT and not sentence.introduction and is_heading_only(sentence.text)


def with_numbers(passage: int, text: str) -> str:
    """The text of a passage with a number before each of its sentences, as a prompt shows it."""
    parts, done = [], 0
    for n, (start, _) in enumerate(sentence_spans(text), 1):
        parts += [text[done:start], f"[{passage}.{n}] "]
        done = start
    return "".join([*parts, text[done:]])


def parts_of(number: str) -> tuple[int, int]:
    """The passage and the sentence within it that a number names, from 1; (0, 0) where it is no such number."""
    found = _NUMBER.fullmatch(number)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def span_of(sentence: int, text: str) -> Span | None:
    """The stretch of a passage's text that a sentence's number within it stands for; None where no sentence has it."""
    spans = sentence_spans(text)
    return spans[sentence - 1] if 1 <= sentence <= len(spans) else None


def whole_sentences(page: str, span: Span) -> Span:
    """The stretch of a page widened to the whole sentences it is of: a passage may end before the "unless"."""
    start, end = span
    of_it = [(a, b) for a, b in sentence_spans(page) if _holds_words(page, max(a, start), min(b, end))]
    return min([start, *(a for a, _ in of_it)]), max([end, *(b for _, b in of_it)])


def _holds_words(text: str, start: int, end: int) -> bool:
    return sum(c.isalnum() for c in text[start:end]) > 1
