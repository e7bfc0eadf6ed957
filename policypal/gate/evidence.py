"""What a statement cites, as it is read where it stands: whole sentences with the introduction, row and headings they belong to (C2b)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from policypal.domain.documents import Page
from policypal.domain.provisions import Kind, Provision, ProvisionSentence
from policypal.text.provisions import read_provisions

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CitedText:
    """One cited sentence in full. ``text`` has its introduction; ``before`` and ``after`` are its neighbours in the same provision,
    which may take back what it says; ``headings`` lead to it, its label and scope included. ``quoted`` are the cited words,
    ``quote`` the number of the quotation they are of."""

    text: str
    kind: Kind
    quoted: str
    before: str = ""
    after: str = ""
    headings: str = ""
    party: str = ""
    quote: int = 0


@dataclass(frozen=True, slots=True)
class Cited:
    """All that one statement cites. ``named`` holds what it may call its sources: titles, editions, pages."""

    texts: tuple[CitedText, ...]
    named: str = ""

    @property
    def headings(self) -> str:
        return " ".join(dict.fromkeys(t.headings for t in self.texts))


def cited_words(quotes: Iterable[str], named: str = "") -> Cited:
    """Quotations whose pages are not at hand, each read as a text of its own; an empty one keeps its number."""
    texts = [
        replace(text, quote=number)
        for number, quote in enumerate(quotes)
        if quote.strip()
        for text in cited_texts(quote, [(0, len(quote))])
    ]
    return Cited(tuple(texts), named)


@lru_cache(maxsize=256)
def _provisions(page: str) -> tuple[Provision, ...]:
    return tuple(read_provisions([Page(1, page)]))


def cited_texts(page: str, spans: Iterable[Span]) -> list[CitedText]:
    """The sentences of a page that hold the ``spans``, each once, in reading order; what no sentence holds stands for itself."""
    found: dict[int, CitedText] = {}
    for number, (start, end) in enumerate(spans):
        inside = [
            (k, i)
            for k, i in _sentences_of(page)
            if (s := _provisions(page)[k].sentences[i]).start < end and s.end > start
        ]
        for k, at in inside:
            sentence = _provisions(page)[k].sentences[at]
            quoted = _flat(page[max(start, sentence.start) : min(end, sentence.end)])
            if sum(c.isalnum() for c in quoted) > 1:
                found.setdefault(sentence.start, _cited(page, k, at, quoted, number))
        if not inside:
            words = _flat(page[start:end])
            found.setdefault(start, CitedText(words, Kind.STATEMENT, words, quote=number))
    return [found[at] for at in sorted(found)]


@lru_cache(maxsize=256)
def _sentences_of(page: str) -> tuple[tuple[int, int], ...]:
    """Where the sentences of a page are that say something: the number of the provision, and the one within it."""
    return tuple(
        (k, i) for k, p in enumerate(_provisions(page)) for i, s in enumerate(p.sentences) if s.kind is not Kind.HEADING
    )


def _cited(page: str, k: int, at: int, quoted: str, number: int) -> CitedText:
    provisions = _provisions(page)
    provision = provisions[k]
    sentence = provision.sentences[at]
    beside = [_flat(provision.sentences[i].text) if 0 <= i < len(provision.sentences) else "" for i in (at - 1, at + 1)]
    scope = next(
        (
            s.text
            for p in reversed(provisions[: k + 1])
            for s in reversed(p.sentences)
            if s.kind is Kind.HEADING and s.start < sentence.start
        ),
        "",
    )
    labels = f"{provision.label} {' '.join(provision.headings)} {scope} {_label(sentence)}"
    return CitedText(
        _flat(sentence.full), sentence.kind, quoted, beside[0], beside[1], _flat(labels), sentence.party, number
    )


_MARK = re.compile(r"^\s*\(?[\w.]{1,8}[.)]?(?=\s)")


def _label(sentence: ProvisionSentence) -> str:
    match = _MARK.match(sentence.text)
    return match[0].strip() if match and any(c.isdigit() for c in match[0]) else ""


def _flat(text: str) -> str:
    text = re.sub(r"(?<=[a-z])-\s*\n\s*(?=[a-z])", "", text)
    return " ".join(text.split())


_BEFORE, _AFTER = 1_600, 800
"""Characters of a page around what is cited, in which a reader finds the head of its table and the note below it."""


def surroundings(page: str, spans: Sequence[Span]) -> str:
    """The stretch of a page around the ``spans``, from one line to another."""
    start, end = max(0, min(s for s, _ in spans) - _BEFORE), min(len(page), max(e for _, e in spans) + _AFTER)
    begin = page.rfind("\n", 0, start) + 1
    until = page.find("\n", end)
    return page[begin : until if until >= 0 else len(page)].strip()
