"""Terms, BM25 weights and confidence (A1, A2, C4)."""

from __future__ import annotations

import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.search import terms as terms_module
from policypal.search.bm25 import K1, REFERENCE_TERMS, B, document_weights, idf, query_weights
from policypal.search.terms import LEXICAL_DIMENSIONS, term_position, terms


def test_terms_are_stemmed_folded_and_free_of_stop_words() -> None:
    assert terms("The Controller's obligations, and the naïve bank’s 10.5% buffers") == [
        "control", "oblig", "naiv", "bank", "10.5", "buffer",
    ]  # fmt: skip


def test_terms_are_the_same_in_every_thread() -> None:
    """The stemming library is not thread-safe; two documents are read at the same time."""
    words = [
        f"{stem}{n}{ending}"
        for n in range(400)
        for stem in ("report", "obligat")
        for ending in ("ing", "ions", "ational")
    ]
    alone = [terms(w) for w in words]
    terms_module._stem.cache_clear()
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(lambda w: [terms_module._stem.__wrapped__(t) for t in [w]], words * 8))
    finally:
        sys.setswitchinterval(switch)
    assert together == alone * 8


@given(st.text())
def test_terms_accept_any_text(text: str) -> None:
    assert all(0 <= term_position(t) < LEXICAL_DIMENSIONS for t in terms(text))


@settings(deadline=None)
@given(st.text())
def test_accents_are_folded_like_over_the_whole_text(text: str) -> None:
    text = text.lower().replace("’", "'")
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    assert terms_module._fold(text) == bare


def test_bm25_inner_product_is_the_textbook_score() -> None:
    text = "breach breach report hours authority"
    weights, count = document_weights(text)
    query = query_weights(terms("breach hours"), 100, {term_position("breach"): 9, term_position("hour"): 40}, {})
    score = sum(w * weights.get(p, 0.0) for p, w in query.items())
    norm = K1 * (1 - B + B * count / REFERENCE_TERMS)
    expected = idf(9, 100) * 2 * (K1 + 1) / (2 + norm) + idf(40, 100) * 1 * (K1 + 1) / (1 + norm)
    assert score == pytest.approx(expected)


def test_idf_is_never_negative() -> None:
    assert idf(100, 100) > 0
    assert idf(1, 100) > idf(50, 100)
