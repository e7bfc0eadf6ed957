"""The fit of the ranking finds what was planted (issue 4)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from policypal.search import fitted
from policypal.search.reranking import FEATURES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def fit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fit_ranking_benchmark", ROOT / "benchmarks" / "fit_ranking.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_words_that_ask_get_small_factors(fit: ModuleType) -> None:
    texts = {(1, str(n)): f"Topic{n} requires a register of records." for n in range(40)}
    questions = [
        fit.Labelled(f"Elaborate: which register does topic{n} require?", frozenset({(1, str(n))}), 0)
        for n in range(40)
    ]
    factors = fit.asking_factors(questions, texts)
    assert list(factors) == ["elabor"] and 0 < factors["elabor"] < 0.5
    assert fit.asking_factors(questions[:14], texts) == {}


def test_the_fit_finds_the_feature_that_decides(fit: ModuleType) -> None:
    chance = np.random.default_rng(1)
    shortlists = []
    for n in range(200):
        table = chance.random((20, len(FEATURES)))
        # the right one is drawn by a softmax that looks at "pairs" alone
        share = np.exp(6 * table[:, FEATURES.index("pairs")])
        relevant = np.arange(20) == chance.choice(20, p=share / share.sum())
        shortlists.append(fit.Shortlisted(fit.Labelled(str(n), frozenset({(1, "1")}), n % 5), table, relevant))
    weights = fit.fit(shortlists)
    assert weights["pairs"] == pytest.approx(6, abs=1)
    assert all(abs(w) < 1 for name, w in weights.items() if name != "pairs")
    report = fit.cross_validated(shortlists)
    assert report["questions"] == 200 and report["cv_recall_at_10"] > 0.9


def test_the_written_module_holds_the_tables(fit: ModuleType) -> None:
    text = fit.module_text(fitted.ASKING, fitted.WEIGHTS)
    assert text == Path(fitted.__file__).read_text(encoding="utf-8")
