"""The weighed question and the order of the shortlist (A2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policypal.domain.documents import DocumentType, Passage, RetrievedPassage
from policypal.search.fitted import ASKING, WEIGHTS
from policypal.search.question import Question, weigh
from policypal.search.reranking import FEATURES, features, rerank
from policypal.search.terms import term_position, terms


def _question(text: str) -> Question:
    return weigh(text, 1000, {term_position(t): 20 for t in terms(text)}, {})


def _hit(
    text: str, *, ordinal: int = 0, document: str = "d", score: float = 0.5, heading: str | None = None
) -> RetrievedPassage:
    passage = Passage(
        f"{document}{ordinal}", document, "T", "", DocumentType.REGULATORY, ordinal, 1, 0, len(text), heading, text
    )
    return RetrievedPassage(passage, score, 0.5)


def _column(name: str, question: str, texts: Sequence[str]) -> list[float]:
    hits = [_hit(text, ordinal=10 * n) for n, text in enumerate(texts)]
    return [float(x) for x in features(_question(question), hits)[:, FEATURES.index(name)]]


def test_a2_a_word_of_asking_says_less_than_a_word_that_names() -> None:
    text = "Elaborate on the outsourcing register"
    frequencies = {term_position(t): 20 for t in terms(text)}
    plain, weighed = (weigh(text, 1000, frequencies, asking) for asking in ({}, {"elabor": 0.25}))
    assert weighed.weights["elabor"] == pytest.approx(plain.weights["elabor"] / 4)
    assert weighed.lexical[term_position("elabor")] == pytest.approx(plain.lexical[term_position("elabor")] / 4)
    assert weighed.weights["outsourc"] == plain.weights["outsourc"]
    assert _question("What must firms do?").weights["must"] == 0


def test_a2_names_and_numbers_of_a_question_are_known() -> None:
    question = _question("When does an Authorised Person, under Rule 9.2.1(4), tell the Regulator?")
    assert question.names == set(terms("Authorised Person Rule Regulator"))
    assert question.numbers == {"9.2.1", "4"}
    assert not _question("Must records be kept? Firms asked.").names


def test_a2_a_phrase_counts_only_in_its_order_and_closeness_falls_with_distance() -> None:
    texts = ["the capital buffer rule", "a buffer of capital here", "capital is not any one buffer", "no such words"]
    assert _column("pairs", "capital buffer", texts) == [1.0, 0.0, 0.0, 0.0]
    close = _column("proximity", "capital buffer", texts)
    assert close[0] == 1.0 and close[0] > close[1] > close[2] > close[3] == 0.0


def test_a2_the_opening_is_the_heading_and_the_first_words() -> None:
    late = "word " * 30 + "outsourcing"
    question, hits = _question("outsourcing"), [_hit(late), _hit(late, heading="Outsourcing", ordinal=9)]
    assert features(question, hits)[:, FEATURES.index("opening")].tolist() == [0.0, 1.0]


def test_a2_a_passage_gains_from_its_neighbours_in_the_same_document_only() -> None:
    hits = [
        _hit("a", ordinal=1, score=0.9),
        _hit("b", ordinal=2),
        _hit("c", ordinal=3),
        _hit("d", ordinal=2, document="e"),
    ]
    table = features(_question("register"), hits)
    assert table[:, FEATURES.index("neighbour")].tolist() == [0.5, 0.9, 0.5, 0.0]
    assert table[:, FEATURES.index("second_neighbour")].tolist() == [0.5, 0.0, 0.9, 0.0]


def test_a2_coverage_counts_what_the_library_does_not_know_too() -> None:
    question = weigh("zebra register", 1000, {term_position("regist"): 20}, {})
    [hit] = rerank(question, [_hit("The register is kept.")])
    assert 0 < hit.coverage < 0.5
    assert rerank(_question("register kept"), [_hit("The register is kept.")])[0].coverage == 1.0


def test_a2_the_best_has_score_one_and_the_rest_follow() -> None:
    texts = [
        "Fees are paid.",
        "The outsourcing register is reviewed annually.",
        "Outsourcing is a matter of the board.",
    ]
    ranked = rerank(
        _question("Who reviews the outsourcing register?"), [_hit(t, ordinal=9 * n) for n, t in enumerate(texts)]
    )
    assert [h.passage.text for h in ranked] == [texts[1], texts[2], texts[0]]
    assert ranked[0].score == 1.0
    assert all(a.score > b.score > 0 for a, b in pairwise(ranked))


def test_a2_equal_passages_keep_a_fixed_order() -> None:
    hits = [_hit("same", ordinal=90), _hit("same", ordinal=10), _hit("same", ordinal=50)]
    orders = [[h.passage.id for h in rerank(_question("same"), order)] for order in (hits, hits[::-1])]
    assert orders[0] == orders[1] == ["d10", "d50", "d90"]


@settings(deadline=None)
@given(st.text(), st.lists(st.text(), max_size=8))
def test_a2_ranking_accepts_any_text(query: str, texts: list[str]) -> None:
    hits = [replace(_hit(text, ordinal=n), similarity=-1.0) for n, text in enumerate(texts)]
    ranked = rerank(weigh(query, 0, {}, ASKING), hits)
    assert sorted(h.passage.id for h in ranked) == sorted(h.passage.id for h in hits)
    assert all(0 <= h.score <= 1 and 0 <= h.coverage <= 1 + 1e-9 for h in ranked)


def test_the_fitted_tables_fit_the_features() -> None:
    assert list(WEIGHTS) == list(FEATURES)
    assert np.isfinite(list(WEIGHTS.values())).all()
    assert ASKING and all(0 < factor < 1 for factor in ASKING.values())
