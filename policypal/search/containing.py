"""Documents that contain the words somebody looks for, and the passage that shows it (D3)."""

import re
from collections.abc import Sequence

from policypal.db import index
from policypal.db.pages import documents_containing
from policypal.db.pool import Database
from policypal.domain.documents import TextMatch
from policypal.domain.reading import ELLIPSIS, Piece
from policypal.search.bm25 import query_weights
from policypal.search.terms import term_position, terms

_MOST_TERMS = 12
_BEFORE = 60
_EXCERPT = 160
_WORD = re.compile(r"\w+(?:[.,'’]\w+)*")


def find_containing(db: Database, user_id: str, words: str) -> dict[str, TextMatch]:
    """By document id: the best passage that holds all of ``words``, stop words left out. Nothing if only those are left."""
    positions = [term_position(t) for t in dict.fromkeys(terms(words))][:_MOST_TERMS]
    if not positions:
        return {}
    chunks, frequencies = index.corpus_frequencies(db, user_id, positions)
    weights = query_weights(terms(words), chunks, frequencies, {})
    return documents_containing(db, user_id, positions, weights)


def excerpt(text: str, words: str) -> list[Piece]:
    """The part of ``text``, about 160 characters, that holds most of ``words``; cut between words."""
    wanted = set(terms(words))
    hits = [(m.span(), frozenset(found)) for m in _WORD.finditer(text) if (found := wanted.intersection(terms(m[0])))]
    start = _word_start(text, max(0, _densest(hits) - _BEFORE))
    end = _word_end(text, start + _EXCERPT)
    pieces = _pieces(text, [span for span, _ in hits if start <= span[0] and span[1] <= end], start, end)
    return [Piece(f"{ELLIPSIS} ", False)] * (start > 0) + pieces + [Piece(f" {ELLIPSIS}", False)] * (end < len(text))


def _densest(hits: Sequence[tuple[tuple[int, int], frozenset[str]]]) -> int:
    """Where the excerpt that holds most different words begins."""

    def held(first: int) -> int:
        near = [found for (_, end), found in hits[first:] if end - hits[first][0][0] <= _EXCERPT - _BEFORE]
        return len(frozenset().union(*near))

    best = max(range(len(hits)), key=lambda n: (held(n), -n), default=None)
    return 0 if best is None else hits[best][0][0]


def _pieces(text: str, spans: Sequence[tuple[int, int]], start: int, end: int) -> list[Piece]:
    pieces = []
    for first, last in spans:
        pieces += [Piece(text[start:first], False), Piece(text[first:last], True)]
        start = last
    return [p for p in [*pieces, Piece(text[start:end], False)] if p.text]


def _word_start(text: str, at: int) -> int:
    return 0 if at == 0 else next((n + 1 for n in range(at, -1, -1) if text[n].isspace()), 0)


def _word_end(text: str, at: int) -> int:
    return next((n for n in range(at, len(text)) if text[n].isspace()), len(text))
